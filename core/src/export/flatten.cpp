#include "export/flatten.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

namespace msda {
namespace {

constexpr std::string_view kHostHeaders = "msda/simt/host/";
constexpr std::size_t kRule = 100;  ///< columns of a heading

/// The path of an include in angle brackets.
std::optional<std::string> include_of(const std::string& line) {
  constexpr std::string_view kBegin = "#include <";
  if (line.rfind(kBegin, 0) != 0) return std::nullopt;
  return line.substr(kBegin.size(), line.find('>') - kBegin.size());
}

std::string heading(const std::string& path) {
  std::string text = fmt::format("// --- {} ", path);
  text.append(kRule - std::min(kRule, text.size()), '-');
  return text + "\n";
}

/// Without empty lines at its ends, and with one where there are several.
std::string tidied(const std::string& text) {
  std::string tidy;
  bool was_empty = true;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!(line.empty() && was_empty)) tidy += line + "\n";
    was_empty = line.empty();
  }
  while (tidy.size() > 1 && tidy.compare(tidy.size() - 2, 2, "\n\n") == 0) tidy.pop_back();
  return tidy;
}

/// Contracts are for writers of policies: they were checked when the kernel was composed, and nvcc
/// does not hand them to the host's compiler as they are. Leaves out concepts of a `class Policy`,
/// with the comment above, and the assertions of a unit.
class ContractFilter {
 public:
  std::string without_contracts(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) take(line);
    return kept_ + pending_;
  }

 private:
  void take(const std::string& line) {
    const auto begins = [&](std::string_view words) { return line.rfind(words, 0) == 0; };
    if (!end_.empty()) {
      if (line.ends_with(end_)) end_.clear();
    } else if (begins("static_assert(msda::") && line.find("Policy<K::") != std::string::npos) {
      end_ = ");";
    } else if (begins("concept ") && pending_.find("<class Policy") != std::string::npos) {
      pending_.clear();
      end_ = "};";
    } else if (begins("///") || begins("template <")) {
      pending_ += line + "\n";
    } else {
      kept_ += pending_ + line + "\n";
      pending_.clear();
    }
  }

  std::string kept_;
  std::string pending_;  ///< comments and template heads, which belong to what follows
  std::string end_;      ///< of what is left out just now; "" outside of it
};

std::string trimmed(const std::string& text) {
  return tidied(ContractFilter().without_contracts(text));
}

}  // namespace

std::string Flattener::included(const std::string& path, const std::vector<UnitHeader>& headers) {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const UnitHeader& header) { return header.path == path; });
  if (found == headers.end()) {
    outside_.insert(path);
    return "";
  }
  if (!seen_.insert(path).second) return "";
  std::string before;
  std::string own;
  std::istringstream lines(found->text);
  for (std::string line; std::getline(lines, line);) {
    const auto include = include_of(line);
    if (line == "#pragma once") continue;
    if (!include || include->rfind(kHostHeaders, 0) == 0) {
      own += line + "\n";
    } else {
      before += included(*include, headers);
    }
  }
  return before + heading(path) + trimmed(own) + "\n";
}

std::string Flattener::flat(const std::string& text, const std::vector<UnitHeader>& headers) {
  std::string before;
  std::string own;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto include = include_of(line);
    if (include) {
      before += included(*include, headers);
    } else {
      own += line + "\n";
    }
  }
  return before + trimmed(own);
}

}  // namespace msda
