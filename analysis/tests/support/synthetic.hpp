// Records made for tests.
#pragma once

#include <string>
#include <vector>

#include "render/formats.hpp"

namespace msda {

/// The report of a manifest as its file has it.
inline Report make_report(const nlohmann::json& manifest, std::vector<Record> records,
                          const std::vector<SearchTrial>& trials = {},
                          const std::vector<KernelCounters>& kernels = {}) {
  return make_report(manifest_from_json(manifest), std::move(records), trials, kernels);
}

}  // namespace msda

namespace msda::synthetic {

/// `blocks` blocks in each of `processes` processes with three samples around `seconds`, whose
/// median is `seconds` exactly.
inline std::vector<SampleBlock> steady(double seconds, int processes = 1, int blocks = 5) {
  std::vector<SampleBlock> result;
  for (int p = 0; p < processes; ++p) {
    for (int b = 0; b < blocks; ++b) {
      result.push_back({p, b, {seconds * 1.2, seconds, seconds * 0.9}});
    }
  }
  return result;
}

inline Record record(const std::string& arm, std::vector<SampleBlock> samples) {
  Record result;
  result.problem = "captured";
  result.arm = arm;
  result.cell = "captured/" + arm + "/warm";
  result.composition = arm;
  result.device = "cpu";
  result.status = CellStatus::kOk;
  result.outputs = {
      {.name = "output", .relative_l2 = 5.6e-4, .tolerance = 1e-3, .worst_element = {}}};
  result.samples = std::move(samples);
  result.traffic.read = 4'000'000;
  result.traffic.gathered = 64'000'000;
  result.traffic.flops = 8'000'000;
  return result;
}

inline Record baseline(const std::string& arm, std::vector<SampleBlock> samples) {
  Record result = record(arm, std::move(samples));
  result.baseline = true;
  return result;
}

inline Record without_time(const std::string& arm, CellStatus status, const std::string& reason) {
  Record result = record(arm, {});
  result.status = status;
  result.reason = reason;
  return result;
}

/// The same block pattern for two arms, the second slower by a factor that drifts a little from
/// block to block: ratios around `ratio` with a known spread.
inline std::vector<SampleBlock> scaled(const std::vector<SampleBlock>& blocks, double ratio,
                                       double drift) {
  std::vector<SampleBlock> result = blocks;
  double sign = 1;
  for (SampleBlock& block : result) {
    for (double& seconds : block.seconds) seconds *= ratio * (1 + sign * drift);
    sign = -sign;
  }
  return result;
}

}  // namespace msda::synthetic
