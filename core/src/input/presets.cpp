#include <fmt/format.h>
#include <fmt/ranges.h>

#include <msda/error.hpp>

#include "input/input.hpp"
#include "nearest.hpp"

namespace msda {
namespace {

using Levels = std::vector<Level>;

// Feature pyramids: strides 8, 16, 32, 64 of the image unless a comment says otherwise.
const Levels& ledger_levels() {
  static const Levels levels = {{92, 160}, {46, 80}, {23, 40}, {12, 20}};
  return levels;
}
const Levels& ddetr_levels() {  // 800x1066
  static const Levels levels = {{100, 134}, {50, 67}, {25, 34}, {13, 17}};
  return levels;
}
const Levels& dino_levels() {  // 800x1333
  static const Levels levels = {{100, 167}, {50, 84}, {25, 42}, {13, 21}};
  return levels;
}
const Levels& dino_5scale_levels() {  // 800x1333 from stride 4 on
  static const Levels levels = {{200, 334}, {100, 167}, {50, 84}, {25, 42}, {13, 21}};
  return levels;
}
const Levels& bevformer_levels() {  // one camera, 928x1600
  static const Levels levels = {{116, 200}, {58, 100}, {29, 50}, {15, 25}};
  return levels;
}

constexpr std::int64_t kEveryPixel = 0;  ///< one query for each pixel

struct Preset {
  const char* name;
  std::int64_t batch;
  Levels levels;
  std::int64_t queries;
  std::int64_t points;
  std::int64_t heads = 8;
  std::int64_t channels = 32;
  ValueLayout layout = ValueLayout::kPlain;
};

const std::vector<Preset>& presets() {
  constexpr ValueLayout kBorder = ValueLayout::kZeroBorder;
  static const std::vector<Preset> all = {
      {"ledger-48", 48, ledger_levels(), 15422, 8, 1},
      {"ledger-48-padded", 48, ledger_levels(), 15422, 8, 1, 32, kBorder},
      {"ledger-48-square", 48, ledger_levels(), 20522, 8, 1, 32, kBorder},
      {"ddetr-encoder", 2, ddetr_levels(), kEveryPixel, 4},
      {"ddetr-decoder", 2, ddetr_levels(), 300, 4},
      {"dino-encoder", 1, dino_levels(), kEveryPixel, 4},
      {"dino-decoder", 1, dino_levels(), 900, 4},
      {"dino-5scale-encoder", 1, dino_5scale_levels(), kEveryPixel, 4},
      {"mask2former", 2, {{128, 128}, {64, 64}, {32, 32}}, kEveryPixel, 4},
      {"rtdetr-decoder", 8, {{80, 80}, {40, 40}, {20, 20}}, 300, 4},
      {"rfdetr-decoder", 8, {{36, 36}}, 300, 2, 16, 16},
      {"bevformer-sca", 6, bevformer_levels(), 40000, 8},
      {"bevformer-tsa", 2, {{200, 200}}, 40000, 4},
      {"dcnv4-bench", 1, {{100, 152}, {50, 76}, {25, 38}, {13, 19}}, 15200, 8},
      {"captured-decoder", 2, {{32, 40}, {16, 20}, {8, 10}, {4, 5}}, 300, 4},
  };
  return all;
}

Problem to_problem(const Preset& preset) {
  Problem problem;
  problem.name = preset.name;
  problem.batch = preset.batch;
  problem.heads = preset.heads;
  problem.channels = preset.channels;
  problem.points = preset.points;
  problem.levels = preset.levels;
  problem.layout = preset.layout;
  problem.queries = preset.queries == kEveryPixel ? problem.spatial_size() : preset.queries;
  return problem;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

Problem preset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return to_problem(preset);
  }
  const std::vector<std::string> names = preset_names();
  throw UsageError(fmt::format("no problem preset '{}'{}: there are {}", name,
                               suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace msda
