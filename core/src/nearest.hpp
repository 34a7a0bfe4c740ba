// "Did you mean": the one way the program guesses at a mistyped name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace msda {

/// The candidate with the smallest edit distance when that is small enough to be a typing error;
/// "" otherwise.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// " (did you mean 'x'?)" or "".
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// What was written, as messages quote it: visible(), and a long text is cut, with its size.
std::string shortened(std::string_view text);

/// "cold, warm, graph", what there is to choose from; of very many the first, and how many more.
std::string choices(const std::vector<std::string>& names);

/// Throws UsageError "no mode 'warn' (did you mean 'warm'?): there are cold, warm, graph".
[[noreturn]] void throw_no_such_name(std::string_view what, std::string_view name,
                                     const std::vector<std::string>& names);

}  // namespace msda
