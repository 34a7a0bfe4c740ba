// What the makers of large truths share.
#pragma once

#include "reference/truth.hpp"

namespace msda {

/// Makes `elements` zeros of an output that is empty, and rows without sensitivities of any.
/// `shape` is there.
void make_room(Truth& truth, std::size_t elements, unsigned threads);

/// Sets the mean squares of the rows themselves, and how unevenly their elements share them
/// (Truth::unevenness); all other sensitivities of the rows stay.
void weigh_output(Truth& truth, unsigned threads);

}  // namespace msda
