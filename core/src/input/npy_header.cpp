#include "input/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include <msda/error.hpp>

namespace msda {
namespace {

/// A recursive-descent parser for the subset of Python literals that NumPy writes.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      if (!seen.insert(key).second) fail(fmt::format("no second '{}'", key));
      expect(':');
      parse_value(key, header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("nothing after '}'");
    if (seen.size() != 3) fail("the keys 'descr', 'fortran_order' and 'shape'");
    return header;
  }

 private:
  void parse_value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      header.descr = parse_string();
    } else if (key == "fortran_order") {
      header.fortran_order = parse_bool();
    } else if (key == "shape") {
      header.shape = parse_tuple();
    } else {
      fail("only the keys 'descr', 'fortran_order' and 'shape'");
    }
  }

  std::string parse_string() {
    skip_space();
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a quoted string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a closing quote");
    std::string string(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return string;
  }

  bool parse_bool() {
    skip_space();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      const std::string_view expected(word);
      if (text_.substr(at_, expected.size()) == expected) {
        at_ += expected.size();
        return value;
      }
    }
    fail("True or False");
  }

  std::vector<std::int64_t> parse_tuple() {
    std::vector<std::int64_t> items;
    expect('(');
    while (!accept(')')) {
      items.push_back(parse_size());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return items;
  }

  std::int64_t parse_size() {
    skip_space();
    std::int64_t value = 0;
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a size");
    at_ += static_cast<std::size_t>(end - first);
    return value;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c));
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw UsageError(
        fmt::format("malformed .npy header: expected {} at byte {} of the header", expected, at_));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text) { return HeaderParser(text).parse(); }

}  // namespace msda
