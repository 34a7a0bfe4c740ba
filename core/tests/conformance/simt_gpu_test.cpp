// The device simt against a GPU: outputs are equal bit for bit where arithmetic is fp32 or half2.
#include <gtest/gtest.h>

#include "conformance/awkward_problems.hpp"
#include "conformance/conformance.hpp"
#include "measure/device_input.hpp"

namespace msda {
namespace {

/// Why the outputs may differ in the last bits (docs/simt.md); null where they must not.
const char* why_different(const std::string& name) {
  if (name == "texture") return "texture units do not say how they round a blend";
  if (name == "im2col") return "a GPU's compiler contracts its blends as it does the original's";
  if (name == "tensor-core-attempt") return "tensor cores cut bits off inside a sum";
  return nullptr;
}

Bytes output_of(Device& device, const Composition& composition, const Input& source) {
  const Prepared prepared = device.prepare(composition, source.problem);
  DeviceInput input(device, source);
  prepared.executable->bind(input.tensors());
  input.poison_outputs();
  device.synchronize();
  prepared.executable->launch(input.tensors(), device.stream());
  device.synchronize();
  return input.download_output(0);
}

class SimtAgainstGpu : public ::testing::TestWithParam<std::string> {};

TEST_P(SimtAgainstGpu, GivesTheSameBits) {
  const Composition composition = shipped_composition(GetParam());
  if (composition.device_count() > gpus()) GTEST_SKIP() << "there are fewer GPUs";
  const auto gpu = open_device("cuda:0");
  const auto simt = open_device("simt");
  int compared = 0;
  for (const AwkwardProblem& awkward : awkward_problems()) {
    const Problem& problem = awkward.problem;
    if (composition.unsupported(problem, gpu->info()) ||
        composition.unsupported(problem, simt->info())) {
      continue;
    }
    const Input input = make_input(awkward);
    try {
      const Bytes theirs = output_of(*gpu, composition, input);
      const Bytes ours = output_of(*simt, composition, input);
      const std::size_t size = size_of(problem.types.output);
      std::size_t different = 0;
      for (std::size_t at = 0; at < ours.size(); at += size)
        different += !std::equal(&ours[at], &ours[at] + size, &theirs[at]);
      EXPECT_EQ(different, 0U) << "of " << ours.size() / size << " elements, on " << problem.name;
      ++compared;
    } catch (const Unsupported& refusal) {
      EXPECT_STRNE(refusal.what(), "");
    }
  }
  EXPECT_GT(compared, 0);
}

std::vector<std::string> names_to_compare() {
  std::vector<std::string> names;
  for (const std::string& name : shipped_names(DeviceKind::kCuda)) {
    if (why_different(name) == nullptr) names.push_back(name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Shipped, SimtAgainstGpu, ::testing::ValuesIn(names_to_compare()),
                         [](const auto& info) { return test_name(info.param); });

}  // namespace
}  // namespace msda
