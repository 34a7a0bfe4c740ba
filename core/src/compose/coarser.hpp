// The arithmetic of several parts of a composition.
#pragma once

#include <msda/arithmetic.hpp>
#include <msda/problem.hpp>

namespace msda {

/// Of each property the one that makes the larger error of an output, whose row is the sum of all
/// of the problem's corners.
Arithmetic coarser(const Arithmetic& a, const Arithmetic& b, const Problem& problem);

}  // namespace msda
