#include "evidence/sass.hpp"

#include <algorithm>
#include <string>

namespace msda {
namespace {

void add(std::string_view opcode, int count, Numbers& numbers) {
  const std::size_t end = std::min(opcode.find('.'), opcode.size());
  const std::string name = "sass." + std::string(opcode.substr(0, end));
  numbers[name] += count;
  std::string_view modifiers = opcode.substr(end);
  while (!modifiers.empty()) {
    modifiers.remove_prefix(1);
    const std::size_t next = std::min(modifiers.find('.'), modifiers.size());
    if (next > 0) numbers[name + "." + std::string(modifiers.substr(0, next))] += count;
    modifiers.remove_prefix(next);
  }
}

}  // namespace

Numbers count_sass(const std::vector<SassFunction>& code, std::string_view symbol) {
  Numbers numbers;
  for (const SassFunction& function : code) {
    if (!symbol.empty() && function.symbol != symbol) continue;
    for (const auto& [opcode, count] : opcode_counts(function, true)) add(opcode, count, numbers);
  }
  return numbers;
}

}  // namespace msda
