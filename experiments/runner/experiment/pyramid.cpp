#include "runner/experiment/pyramid.hpp"

#include <charconv>

#include <fmt/format.h>
#include <boost/algorithm/string/split.hpp>

#include <msda/error.hpp>

#include "input/input.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

/// Pixels of `levels` halved levels from (height, width) down.
std::int64_t pixels(std::int64_t height, std::int64_t width, std::int64_t levels) {
  std::int64_t sum = 0;
  for (std::int64_t l = 0; l < levels; ++l) {
    sum += height * width;
    height = (height + 1) / 2;
    width = (width + 1) / 2;
  }
  return sum;
}

/// The width with which `height` gives the size; the pixels grow with the width, so bisection finds
/// it.
std::optional<std::int64_t> width_for(std::int64_t height, std::int64_t spatial_size,
                                      std::int64_t levels) {
  std::int64_t low = height;
  std::int64_t high = spatial_size / height;
  while (low <= high) {
    const std::int64_t middle = low + (high - low) / 2;
    const std::int64_t found = pixels(height, middle, levels);
    if (found == spatial_size) return middle;
    if (found < spatial_size) {
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_size(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

}  // namespace

std::vector<Level> halved(Level first, std::int64_t levels) {
  std::vector<Level> all;
  for (std::int64_t l = 0; l < levels; ++l) {
    all.push_back(first);
    first = {(first.height + 1) / 2, (first.width + 1) / 2};
  }
  return all;
}

std::optional<Pyramid> pyramid_of_size(std::int64_t spatial_size, std::int64_t levels) {
  for (const char* name : {"ledger-48", "ledger-48-padded"}) {
    const Problem known = preset(name);
    if (known.spatial_size() == spatial_size && known.level_count() == levels) {
      return Pyramid{known.levels, known.layout};
    }
  }
  std::int64_t height = 1;
  while (height * height < spatial_size) ++height;
  for (; height >= 1; --height) {
    if (const auto width = width_for(height, spatial_size, levels)) {
      return Pyramid{halved({height, *width}, levels), ValueLayout::kPlain};
    }
  }
  return std::nullopt;
}

std::vector<std::int64_t> parse_size_list(const std::string& text) {
  std::vector<std::string> parts;
  boost::split(parts, text, [](char c) { return c == ','; });
  std::vector<std::int64_t> sizes;
  for (const std::string& part : parts) {
    const auto size = parse_size(part);
    if (!size) throw UsageError(fmt::format("'{}' is not a number from 1", part));
    sizes.push_back(*size);
  }
  return sizes;
}

std::vector<Level> parse_level_list(const std::string& text) {
  std::vector<std::string> parts;
  boost::split(parts, text, [](char c) { return c == ','; });
  std::vector<Level> levels;
  for (const std::string& part : parts) {
    const std::size_t cross = part.find('x');
    const auto height = parse_size(part.substr(0, cross));
    const auto width =
        cross == std::string::npos ? std::nullopt : parse_size(part.substr(cross + 1));
    if (!height || !width) {
      throw UsageError(
          fmt::format("'{}' is not HEIGHTxWIDTH, such as 92x160; separate levels by commas", part));
    }
    levels.push_back({*height, *width});
  }
  return levels;
}

Form<std::int64_t> size_form() {
  // Products of sizes that leave 63 bits are refused by validate().
  constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;
  Form<std::int64_t> form = form::integer<std::int64_t>(1, kLargestSize);
  form.words = "an integer from 1";
  return form;
}

const Settings<PyramidSpec>& pyramid_settings() {
  using P = PyramidSpec;
  static const Settings<P> settings{
      setting("spatial_size", &P::spatial_size, size_form(),
              "pixels of all levels; without `levels` a pyramid is made of them"),
      setting("num_levels", &P::level_count, form::integer<std::int64_t>(1, kMaxLevels),
              "of that pyramid")
          .otherwise("4, or as `levels` has them"),
      setting("im2col_step", &P::im2col_step, form::integer<std::int64_t>(1),
              "changes nothing; it must divide `batch` or exceed it")};
  return settings;
}

void make_pyramid(const YamlMap& map, const PyramidSpec& pyramid, Problem& problem) {
  const YamlNode size = *map.find("spatial_size");
  const auto layout = map.find("layout");
  if (map.find("levels")) {
    Problem bordered = problem;
    bordered.layout = ValueLayout::kZeroBorder;
    if (!layout && pyramid.spatial_size == bordered.spatial_size()) problem = bordered;
    return;
  }
  const std::int64_t count = pyramid.level_count.value_or(4);
  const auto made = pyramid_of_size(*pyramid.spatial_size, count);
  if (!made) {
    size.fail(
        fmt::format("no pyramid of {} halved levels has this many pixels; give the levels: "
                    "levels=HxW,HxW,...",
                    count));
  }
  problem.levels = made->levels;
  if (!layout) problem.layout = made->layout;
}

void check_pyramid(const YamlMap& map, const PyramidSpec& pyramid, const Problem& problem) {
  const auto check = [&](const char* key, const std::optional<std::int64_t>& given,
                         std::int64_t actual) {
    if (!given || *given == actual) return;
    map.find(key)->fail(fmt::format("{} has {}", describe(problem), actual));
  };
  check("spatial_size", pyramid.spatial_size, problem.spatial_size());
  check("num_levels", pyramid.level_count, problem.level_count());
  const std::int64_t step = pyramid.im2col_step.value_or(1);
  if (step <= problem.batch && problem.batch % step != 0) {
    map.find("im2col_step")
        ->fail(fmt::format("it must divide batch ({}) or exceed it", problem.batch));
  }
}

}  // namespace msda
