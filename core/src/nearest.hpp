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

}  // namespace msda
