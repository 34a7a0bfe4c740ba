// What simt checks, NVRTC compiles: the compiler of simt takes code that NVRTC refuses, and a
// composition that is right on simt alone serves nobody.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <mutex>

#include "compose/unit_writer.hpp"
#include "conformance/combinations.hpp"
#include "conformance/simt_checks.hpp"
#include "jit/compiler.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

constexpr std::size_t kParts = 16;
constexpr int kHopper = 90;

std::vector<SimtCheck> checks() {
  std::vector<SimtCheck> all;
  for (auto& suite : {alone_checks(), fused_checks(), fused_backward_checks(), backward_checks(),
                      level_points_checks(), covering_checks()}) {
    for (const SimtCheck& check : suite) {
      if (!check.cases.empty()) all.push_back(check);
    }
  }
  return all;
}

class ChecksCompile : public testing::TestWithParam<std::size_t> {};

TEST_P(ChecksCompile, ForHopperAsOnSimt) {
  const std::vector<SimtCheck> all = checks();
  const Compiler compiler;
  const DeviceInfo device = device_to_compile_for(kHopper);
  std::mutex mutex;
  parallel_for(static_cast<std::int64_t>((all.size() + kParts - 1) / kParts), 1, 0,
               [&](std::int64_t begin, std::int64_t) {
                 const std::size_t at = static_cast<std::size_t>(begin) * kParts + GetParam();
                 if (at >= all.size()) return;
                 const SimtCheck& check = all[at];
                 const Problem& problem = check.pool().at(check.cases.front()).problem;
                 if (check.composition.unsupported(problem, device)) return;
                 try {
                   compiler.compile(write_unit(check.composition, problem).unit,
                                    architecture_name(kHopper));
                 } catch (const Error& error) {
                   const std::lock_guard lock(mutex);
                   ADD_FAILURE() << check.suite << ": " << check.composition.describe() << " on "
                                 << problem.name << ": " << error.what();
                 }
               });
}

INSTANTIATE_TEST_SUITE_P(Parts, ChecksCompile, testing::Range(std::size_t{0}, kParts));

}  // namespace
}  // namespace msda
