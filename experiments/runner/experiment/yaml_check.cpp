#include "runner/experiment/yaml_check.hpp"

#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include "characters.hpp"
#include "runner/experiment/yaml_node.hpp"

namespace msda {
namespace {

/// Experiments nest their values at most a dozen deep. The parser recurses, and a stack may be
/// small.
constexpr int kDeepest = 40;

/// The parser takes hundreds of bytes for each value, and the file may have millions of them.
constexpr std::size_t kMostValues = 500'000;

[[noreturn]] void fail_at(const SourcePlace& place, const std::string& message) {
  throw UsageError(to_string(place) + ": " + message);
}

/// yaml-cpp ends silently at some control characters, takes what follows a carriage return in a
/// comment for a part of it, and replaces bytes that are not UTF-8.
void check_characters(std::string_view text, const std::string& file) {
  SourcePlace place{file, 1, 1};
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  while (!text.empty()) {
    const Character next = first_character(text);
    if (!next.valid) fail_at(place, "the file is not UTF-8 text");
    const bool space = next.point == U'\n' || next.point == U'\t' || text.starts_with("\r\n");
    if (is_control(next.point) && !space) {
      fail_at(place,
              fmt::format("the control character {} stands in the file", escape_of(next.point)));
    }
    ++place.column;
    if (next.point == U'\n') place = {file, place.line + 1, 1};
    text.remove_prefix(next.bytes);
  }
}

/// Follows the parser, and stops it where the file has more in it than is read.
class Checks : public YAML::EventHandler {
 public:
  explicit Checks(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      fail(mark,
           "a second document begins here; a file has one, and its text ends at '...' or at "
           "a second '---'");
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count(mark);
    for (const YAML::anchor_t open : open_) {
      if (open == anchor) fail(mark, "an alias stands inside the value that it names");
    }
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& text) override {
    count(mark);
    check_tag(mark, tag);
    if (tag == "?" && text == "<<") {
      fail(mark, "merge keys ('<<') are not read; write the keys themselves");
    }
    if (text.find('\0') != std::string::npos) fail(mark, "a text holds the character \\x00");
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    fail_at({file_, mark.line + 1, mark.column + 1}, message);
  }

  void count(const YAML::Mark& mark) {
    if (++values_ > kMostValues) {
      fail(mark, fmt::format("the file has more than {} values", kMostValues));
    }
  }

  /// "?" and "!" are what plain and quoted values have by themselves.
  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    fail(mark, "tags such as !!str are not read; quotes make a text, and their absence a number");
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    count(mark);
    check_tag(mark, tag);
    open_.push_back(anchor);
    if (open_.size() > kDeepest) {
      fail(mark, fmt::format("values are nested more than {} deep", kDeepest));
    }
  }

  const std::string& file_;
  std::vector<YAML::anchor_t> open_;  ///< anchors of the values around, 0 for those without
  std::size_t values_ = 0;
  int documents_ = 0;
};

}  // namespace

void check_yaml(const std::string& text, const std::string& file) {
  check_characters(text, file);
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Checks checks(file);
  while (parser.HandleNextDocument(checks)) {
  }
}

}  // namespace msda
