// Feature pyramids from what little is said of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <msda/problem.hpp>

#include "runner/experiment/settings.hpp"

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

/// Of a size of a problem.
Form<std::int64_t> size_form();
/// "3,6,3". Throws UsageError.
std::vector<std::int64_t> parse_size_list(const std::string& text);

/// What older command lines say of a problem besides.
struct PyramidSpec {
  std::optional<std::int64_t> spatial_size;
  std::optional<std::int64_t> level_count;
  std::optional<std::int64_t> im2col_step;
};

/// Its keys.
const Settings<PyramidSpec>& pyramid_settings();

/// The levels, and the layout where it is not given, from the number of pixels, which is. Throws
/// UsageError where no pyramid has so many.
void make_pyramid(const YamlMap& map, const PyramidSpec& pyramid, Problem& problem);
/// Throws UsageError for a number that the problem has not.
void check_pyramid(const YamlMap& map, const PyramidSpec& pyramid, const Problem& problem);

}  // namespace msda
