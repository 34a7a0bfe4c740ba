// What an arithmetic rounds, and to what. Verification derives from it how far a right result may
// be from the exact one (core/src/reference/bounds.hpp, docs/measurement.md).
#pragma once

#include <msda/dtype.hpp>

namespace msda {

/// One number that is rounded `times` times on its way.
struct Rounding {
  Format to;
  double times = 1;
  friend constexpr bool operator==(const Rounding&, const Rounding&) = default;
};

/// The roundings between the stored tensors and the stored output. The defaults are those of
/// float32 throughout, however the operations are arranged; a variant names what it does more
/// coarsely. The output's own type is the problem's and not told here.
struct Arithmetic {
  /// A location times its level's size, less 1/2: conversion, product and difference.
  Rounding coordinates{kFp32, 8};
  /// A location as a number from -1 to 1, as PyTorch's grid_sample takes it: the unit is one of
  /// half the level's size, however near to the first pixel the location is.
  Rounding normalized{kExact, 0};
  /// Where two pixels are blended by a fraction in fixed point: its steps, 1/256 for 8 bits. 0: by
  /// a floating-point number.
  double fraction_step = 0;
  /// The weight of a corner: products of two fractions and the attention weight.
  Rounding weights{kFp32, 4};
  /// A value that is stored anew before it is read.
  Rounding values{kExact, 0};
  /// Where values are stored anew in fixed point: the step, as a part of the largest magnitude of
  /// the same image, head and level.
  double value_step = 0;
  /// Additions one after the other, up to where a sum goes on in float32. 0 times: all corners of
  /// all points.
  Rounding sums{kFp32, 0};
  /// The same where contributions of many threads meet in an output that is their sum. 0 times: all
  /// that an element gets.
  Rounding accumulation{kFp32, 0};
  /// Where such a sum is one of whole numbers: the step of the fixed point, as a part of the
  /// largest magnitude of a contribution (attention weight times gradient) in the input. 0: no
  /// fixed point.
  double accumulation_step = 0;

  friend constexpr bool operator==(const Arithmetic&, const Arithmetic&) = default;
};

}  // namespace msda
