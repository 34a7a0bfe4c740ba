#include "counters/byte_claims.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace msda {
namespace {

constexpr double kWavefrontBytes = 128;

/// The sum over a launch's kernels; nullopt when its main kernel lacks it.
std::optional<double> sum_of(const CountedLaunch& launch, const char* metric) {
  auto sum = launch.kernel.find(metric);
  if (!sum) return sum;
  for (const KernelCounters& prepass : launch.prepasses) *sum += prepass.find(metric).value_or(0);
  return sum;
}

/// The largest part of all gathers that can be of resident levels: every level has as many.
double most_resident(std::vector<double> levels, double shared_bytes) {
  if (levels.empty()) return shared_bytes > 0 ? 1 : 0;
  std::ranges::sort(levels);
  double used = 0;
  std::size_t count = 0;
  while (count < levels.size() && used + levels[count] <= shared_bytes) used += levels[count++];
  return static_cast<double>(count) / static_cast<double>(levels.size());
}

void judge(ByteClaim& claim) {
  const double ratio = claim.ratio();
  claim.verdict = ratio < 1 - kByteTolerance   ? ByteVerdict::kAbsorbed
                  : ratio > 1 + kByteTolerance ? ByteVerdict::kInflated
                                               : ByteVerdict::kConfirmed;
}

void add(MemoryStep step, double low, double high, double counted, std::vector<ByteClaim>& claims) {
  if (high <= 0) return;
  ByteClaim claim{step, low, high, counted, ByteVerdict::kConfirmed};
  judge(claim);
  claims.push_back(claim);
}

void add_shared(const CountedLaunch& launch, std::vector<ByteClaim>& claims) {
  const auto wavefronts = sum_of(launch, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  const auto loads = sum_of(launch, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum");
  const auto stores = sum_of(launch, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum");
  if (!wavefronts || !loads || !stores) return;
  const double least = std::max(0.0, *wavefronts - *loads - *stores) * kWavefrontBytes;
  add(MemoryStep::kShared, least, least, *wavefronts * kWavefrontBytes, claims);
}

}  // namespace

std::string_view name_of(MemoryStep step) {
  switch (step) {
    case MemoryStep::kDram: return "DRAM";
    case MemoryStep::kL2ToL1: return "L2 to L1";
    case MemoryStep::kShared: break;
  }
  return "shared memory";
}

std::string_view name_of(ByteVerdict verdict) {
  switch (verdict) {
    case ByteVerdict::kConfirmed: return "confirmed";
    case ByteVerdict::kAbsorbed: return "absorbed";
    case ByteVerdict::kInflated: break;
  }
  return "inflated";
}

double ByteClaim::ratio() const {
  if (counted < low) return counted / low;
  return counted > high ? counted / high : 1;
}

std::vector<double> level_bytes(const Manifest& manifest, const std::string& problem) {
  std::vector<double> bytes;
  for (const ProblemEntry& one : manifest.problems) {
    if (one.name() != problem) continue;
    const auto size = static_cast<std::int64_t>(size_of(one.problem.types.value));
    for (const Level& level : one.problem.levels) {
      bytes.push_back(
          static_cast<double>(level.height * level.width * one.problem.channels * size));
    }
  }
  return bytes;
}

std::vector<ByteClaim> byte_claims(const CountedLaunch& launch, const Record& record,
                                   const std::vector<double>& levels) {
  std::vector<ByteClaim> claims;
  const auto least = static_cast<double>(record.traffic.once());
  const auto gathered = static_cast<double>(record.traffic.gathered);
  if (const auto dram = sum_of(launch, "dram__bytes.sum")) {
    add(MemoryStep::kDram, least, least, *dram, claims);
  }
  if (const auto read = sum_of(launch, "l1tex__m_xbar2l1tex_read_bytes.sum")) {
    const auto shared = static_cast<double>(record.resources.dynamic_shared_bytes +
                                            record.resources.static_shared_bytes);
    add(MemoryStep::kL2ToL1, gathered * (1 - most_resident(levels, shared)), gathered + least,
        *read, claims);
  }
  add_shared(launch, claims);
  return claims;
}

std::string in_words(const std::vector<ByteClaim>& claims) {
  std::vector<std::string> parts;
  for (const ByteClaim& claim : claims) {
    std::string text = fmt::format("{} {}", name_of(claim.step), name_of(claim.verdict));
    if (claim.verdict != ByteVerdict::kConfirmed) text += fmt::format(" ({:.2f}x)", claim.ratio());
    parts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace msda
