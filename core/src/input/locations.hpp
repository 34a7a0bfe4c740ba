// Where the sampling points of a generated input lie: one sampler for each Distribution.
#pragma once

#include <vector>

#include "input/input.hpp"
#include "input/random.hpp"

namespace msda {

/// A position in units of the image: (0, 0) is its top left corner, (1, 1) its bottom right one.
struct Location {
  double x = 0;
  double y = 0;
};

/// The reference point of each query, [Q]. When there is one query for each pixel of the levels
/// (with or without their border) query q stands on pixel q, as in an encoder; a border pixel's
/// reference is moved to the nearest point of the image. Otherwise the queries form rows that cover
/// the image evenly, in the proportions of level 0.
std::vector<Location> reference_points(const Problem& problem);

/// The offset in pixels of point 0 of each head, [H]: the directions that Deformable-DETR's
/// sampling offsets have at initialisation (Zhu et al., 2021; _reset_parameters in the authors'
/// code), equally spread angles scaled so that the larger coordinate is 1.
std::vector<Location> initial_directions(std::int64_t heads);

/// [B, Q, H, L, P, 2] of types.location.
Bytes generate_locations(const Problem& problem, const Generation& generation,
                         const RandomSource& random, unsigned threads);

}  // namespace msda
