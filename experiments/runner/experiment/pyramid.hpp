// Feature pyramids from what little is said of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <msda/problem.hpp>

namespace msda {

struct Pyramid {
  std::vector<Level> levels;
  ValueLayout layout = ValueLayout::kPlain;
};

/// `levels` levels from `first` down, each half as high and wide as the one before, rounded up.
std::vector<Level> halved(Level first, std::int64_t levels);

/// The pyramid of `levels` halved levels that has `spatial_size` pixels in all: that of the preset
/// ledger-48, plain or inside its border, where the size is one of its two; else the one nearest to
/// a square, in landscape. nullopt when there is none.
std::optional<Pyramid> pyramid_of_size(std::int64_t spatial_size, std::int64_t levels);

/// "92x160,46x80"; throws UsageError that quotes the part that is not HxW.
std::vector<Level> parse_level_list(const std::string& text);

}  // namespace msda
