#include "conformance/large_counts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <msda/operators/forward.hpp>
#include "input/elements.hpp"
#include "measure/verify.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

std::uint16_t half_of(float number) {
  std::uint16_t bits = 0;
  store_element(DType::kFloat16, reinterpret_cast<std::byte*>(&bits), 0, number);
  return bits;
}

float value_of(const LargeCount& one, std::int64_t image) {
  return one.by_image ? static_cast<float>(image) : 1.0F;
}

/// Each image of a tensor has one number.
void fill(Input& input, std::size_t tensor, const std::function<float(std::int64_t)>& number) {
  Bytes& bytes = input.tensors[tensor];
  const std::int64_t all = elements(input.problem, input.specs[tensor]);
  bytes.resize(static_cast<std::size_t>(all) * sizeof(std::uint16_t));
  const std::int64_t each = all / input.problem.batch;
  for (std::int64_t image = 0; image < input.problem.batch; ++image) {
    std::fill_n(reinterpret_cast<std::uint16_t*>(bytes.data()) + image * each, each,
                half_of(number(image)));
  }
}

}  // namespace

std::vector<LargeCount> large_counts(bool small) {
  const std::int64_t queries = small ? 840 : 8'400'000;
  const std::int64_t side = small ? 16 : 512;
  const auto halves = [](const Problem& problem) { return in_type(DType::kFloat16, problem); };
  return {{halves(make_problem(
               {.queries = queries, .heads = 8, .channels = 32, .points = 1, .levels = {{8, 8}}})),
           false},
          {halves(make_problem({.batch = 33,
                                .queries = 4,
                                .heads = 8,
                                .channels = 32,
                                .points = 1,
                                .levels = {{side, side}}})),
           true},
          {halves(make_problem(
               {.queries = queries, .heads = 8, .channels = 8, .points = 16, .levels = {{8, 8}}})),
           false}};
}

std::string fault_of(Device& device, const Composition& composition, const LargeCount& one) {
  const Problem& problem = one.problem;
  if (const auto refusal = composition.unsupported(problem, device.info())) return *refusal;
  Input input(problem, forward::kTensors);
  fill(input, forward::kValue, [&](std::int64_t image) { return value_of(one, image); });
  fill(input, forward::kLocations, [](std::int64_t) { return 0.5F; });
  fill(input, forward::kWeights,
       [&](std::int64_t) { return 1 / static_cast<float>(problem.points); });
  const Prepared prepared = device.prepare(composition, problem);
  DeviceInput on_device(device, input);
  const Bytes output = run_poisoned(device, *prepared.executable, on_device).front();
  if (std::string beside = on_device.written_beside(); !beside.empty()) return beside;
  const auto* const numbers = reinterpret_cast<const std::uint16_t*>(output.data());
  const std::int64_t each = elements(problem, forward::kOutput) / problem.batch;
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const std::uint16_t right = half_of(value_of(one, image));
    const auto* const begin = numbers + image * each;
    const auto* const wrong =
        std::find_if(begin, begin + each, [=](std::uint16_t bits) { return bits != right; });
    if (wrong == begin + each) continue;
    return fmt::format("element {} of image {} has the bits {:#06x} and not {:#06x}", wrong - begin,
                       image, *wrong, right);
  }
  return "";
}

}  // namespace msda
