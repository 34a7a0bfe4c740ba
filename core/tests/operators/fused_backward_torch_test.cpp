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

/// With a row without a weight, and a logit of minus infinity.
Input make_case(const References& references) {
  Input input = make_fused_gradient_input(make_problem({.batch = 2,
                                                        .queries = 7,
                                                        .heads = 2,
                                                        .channels = 3,
                                                        .points = 4,
                                                        .levels = {{9, 14}, {5, 7}, {1, 1}}}),
                                          references, Distribution::kOutside, 5);
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  constexpr std::int64_t kOfRow = 12;
  for (std::int64_t i = 0; i < kOfRow; ++i) {
    store_element(DType::kFloat32, input.at("logits").data(), 3 * kOfRow + i, kNone);
  }
  store_element(DType::kFloat32, input.at("logits").data(), 5 * kOfRow, kNone);
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
  for (const std::int64_t size : {p.batch, p.queries, p.heads, p.channels, p.points,
                                  p.references.coordinates, p.references.anchors}) {
    sizes << size << " ";
  }
  for (const Level& level : p.levels) sizes << level.height << " " << level.width << " ";
}

TEST(FusedBackwardReference, AgreesWithAutogradOfPyTorch) {
  if (std::system("python3 -c 'import torch' > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "python3 has no PyTorch";
  }
  const TemporaryDirectory directory;
  std::string command = fmt::format("python3 -W ignore {}", MSDA_FUSED_AUTOGRAD);
  for (const References& references : kinds_of_references()) {
    const std::filesystem::path own = directory.path() / name_of_kind(references);
    write_case(make_case(references), own);
    command += " " + own.string();
  }
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace msda
