// Edits that no one thought of: the usual operators of mutation testing (Offutt et al., An
// experimental determination of sufficient mutant operators, TOSEM 5(2), 1996), on lines of text.
#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "mutation/mutants.hpp"

namespace msda {
namespace {

/// What an operator makes of a line; the line itself where it has nothing to do.
struct Operator {
  const char* name;
  const char* find;
  const char* replace;
};

constexpr std::array kOperators = {
    Operator{"negated condition", R"(\bif \((.*)\)( \{| return.*;| continue;)$)", "if (!($1))$2"},
    Operator{"negated constant condition", R"(\bif constexpr \((.*)\)( \{| return.*;)$)",
             "if constexpr (!($1))$2"},
    Operator{"< for <=", R"(([^<\- ]) < ([^<]))", "$1 <= $2"},
    Operator{"one more", R"(([\w\)\]]) \+ 1\b(?!\.))", "$1 + 2"},
    Operator{"one less", R"(([\w\)\]]) - 1\b(?!\.))", "$1 - 2"},
    Operator{"plus for minus", R"(([\w\)\]]) - (\w))", "$1 + $2"},
    Operator{"times for plus", R"(([\w\)\]]) \+ ([a-z]\w*))", "$1 * $2"},
    Operator{"or for and", R"( && )", " || "},
    Operator{
        "arguments exchanged",  // not of a function for which they are the same
        R"(\b(?!(?:f?(?:min|max)f?|h(?:add|mul)2?|fmaf?)\()([a-z_]\w*\()([a-z]\w*), ([a-z]\w*)([,\)]))",
        "$1$3, $2$4"},
    Operator{
        "statement dropped",
        R"(^(\s+)(?!return|const|auto|static|using|int|float|unsigned|bool|long|break|continue)[a-z][\w:\.\[\]\->]*(\(.*\)| [\+\-\*\|&]?= .*);$)",
        "$1;"},
};

/// Lines that declare, or that the compiler alone reads.
bool is_code(const std::string& line) {
  static const std::regex kOther(
      R"(^\s*(//|///|#|\*|template|static_assert|using|namespace|struct|class|requires|concept|friend)|__device__|__global__|operator|constexpr|= default|= delete)");
  return line.find("if constexpr") != std::string::npos || !std::regex_search(line, kOther);
}

/// Follows a text line by line through what decides no result on the device simt, which no check
/// there can find.
class Unseen {
 public:
  bool has(const std::string& line) {
    if (line.starts_with("#if")) {
      hidden_.push_back(line == "#if !defined(MSDA_SIMT_HOST)");
    } else if (line.starts_with("#else") && !hidden_.empty()) {
      hidden_.back() = false;
    } else if (line.starts_with("#endif") && !hidden_.empty()) {
      hidden_.pop_back();
    }
    if (line.find(" idle() {") != std::string::npos) in_idle_ = true;
    const bool in_idle = in_idle_;
    if (line == "  }") in_idle_ = false;
    return in_idle || std::ranges::find(hidden_, true) != hidden_.end();
  }

 private:
  std::vector<bool> hidden_;  ///< for each #if: the code of GPUs alone, in PTX
  bool in_idle_ = false;      ///< words for reports; evidence_simt_test reads them
};

/// Of a number of parts that is rounded up: one part more has nothing to do. That one part fewer
/// leaves something out, the other operators try.
bool only_adds_a_part(const Operator& op, const std::string& code) {
  return op.name == std::string_view("plus for minus") &&
         code.find(" - 1) / ") != std::string::npos;
}

/// The smaller or larger of two numbers, which are the same where they are equal.
bool chooses_among_equals(const Operator& op, const std::string& code) {
  static const std::regex kChoice(R"(([\w\.:]+) < ([\w\.:]+) \? (\1 : \2|\2 : \1)\b)");
  return op.name == std::string_view("< for <=") && std::regex_search(code, kChoice);
}

void add_edits(const UnitHeader& header, std::vector<Mutant>& mutants) {
  std::istringstream text(header.text);
  std::string before;
  Unseen unseen;
  for (std::string line; std::getline(text, line); before = line) {
    if (unseen.has(line) || !is_code(line)) continue;
    const std::string code = line.substr(0, line.find("  //"));
    // With the line before it, so that more are there once.
    const std::string find = "\n" + before + "\n" + line + "\n";
    const std::size_t at = header.text.find(find);
    if (at == std::string::npos || header.text.find(find, at + 1) != std::string::npos) continue;
    for (const Operator& op : kOperators) {
      const std::string edited = std::regex_replace(code, std::regex(op.find), op.replace,
                                                    std::regex_constants::format_first_only);
      if (edited == code || only_adds_a_part(op, code) || chooses_among_equals(op, code)) continue;
      Mutant mutant{fmt::format("{}: {}", op.name, code.substr(code.find_first_not_of(' '))),
                    header.path,
                    find,
                    "\n" + before + "\n" + edited + "\n",
                    "",
                    ""};
      mutant.is_generated = true;
      mutants.push_back(std::move(mutant));
    }
  }
}

}  // namespace

std::vector<Mutant> generate_mutants(const std::vector<UnitHeader>& headers, std::size_t count,
                                     std::uint64_t seed) {
  std::vector<Mutant> all;
  for (const UnitHeader& header : headers) add_edits(header, all);
  std::mt19937_64 random(seed);
  std::vector<Mutant> drawn;
  std::sample(std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()),
              std::back_inserter(drawn), count, random);
  return drawn;
}

}  // namespace msda
