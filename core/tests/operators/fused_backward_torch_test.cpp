// The reference of `fused-backward` against autograd of PyTorch in float64, where that is
// installed.
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fused_gradients.hpp"

namespace msda {
namespace {

void write(const std::filesystem::path& file, const std::vector<double>& numbers) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(double)));
}

/// With a row without a weight, and a logit of minus infinity. `points`: of each level.
Input make_case(const References& references, std::vector<std::int64_t> points, bool padding) {
  Problem problem = make_problem({.batch = 2,
                                  .queries = 7,
                                  .heads = 2,
                                  .channels = 3,
                                  .points = std::ranges::max(points),
                                  .levels = {{9, 14}, {5, 7}, {1, 1}}});
  problem.level_points = std::move(points);
  problem.padding = padding;
  Input input = make_fused_gradient_input(problem, references, Distribution::kOutside, 5);
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  const std::int64_t of_row = problem.row_points();
  for (std::int64_t i = 0; i < of_row; ++i) {
    store_element(DType::kFloat32, input.at("logits").data(), 3 * of_row + i, kNone);
  }
  store_element(DType::kFloat32, input.at("logits").data(), 5 * of_row, kNone);
  return input;
}

void write_case(const Input& input, const std::filesystem::path& directory) {
  std::filesystem::create_directory(directory);
  for (const char* name : {"value", "offsets", "logits", "reference_points", "grad_output"}) {
    write(directory / name, doubles_of(input, name));
  }
  const FusedGradients g = fused_gradients_of(input);
  write(directory / "grad_value", g.value);
  write(directory / "grad_offsets", g.offsets);
  write(directory / "grad_logits", g.logits);
  write(directory / "grad_reference_points", g.references);
  const Problem& p = input.problem;
  std::ofstream sizes(directory / "sizes");
  for (const std::int64_t size :
       {p.batch, p.queries, p.heads, p.channels, p.references.coordinates, p.references.anchors}) {
    sizes << size << " ";
  }
  for (std::size_t l = 0; l < p.levels.size(); ++l) {
    sizes << p.levels[l].height << " " << p.levels[l].width << " " << p.points_of(l) << " ";
  }
  const Bytes& mask = input.at("padding_mask");
  std::ofstream(directory / "padding_mask", std::ios::binary)
      .write(reinterpret_cast<const char*>(mask.data()), static_cast<std::streamsize>(mask.size()));
}

TEST(FusedBackwardReference, AgreesWithAutogradOfPyTorch) {
  if (std::system("python3 -c 'import torch' > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "python3 has no PyTorch";
  }
  const TemporaryDirectory directory;
  std::string command = fmt::format("python3 -W ignore {}", MSDA_FUSED_AUTOGRAD);
  const auto add = [&](const std::string& name, const Input& input) {
    const std::filesystem::path own = directory.path() / name;
    write_case(input, own);
    command += " " + own.string();
  };
  for (const References& references : kinds_of_references()) {
    const std::string name = name_of_kind(references);
    add(name, make_case(references, {4, 4, 4}, false));
    add(name + "_padded", make_case(references, {8, 4, 12}, true));
  }
  add("scattered", make_case({2, 0}, {3, 6, 1}, true));
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace msda
