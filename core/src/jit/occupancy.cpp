#include "jit/occupancy.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <msda/error.hpp>

namespace msda {
namespace {

constexpr int kWarpThreads = 32;
constexpr int kRegisterUnit = 256;              ///< registers are given to a warp in such units
constexpr int kSharedUnit = 128;                ///< bytes
constexpr std::int64_t kReservedShared = 1024;  ///< of each block, for the system

constexpr std::int64_t kib(std::int64_t count) { return count * 1024; }

const std::map<int, SmLimits>& table() {
  static const std::map<int, SmLimits> kTable = {
      {80, {2048, 32, 65536, kib(164), kib(163)}},  {86, {1536, 16, 65536, kib(100), kib(99)}},
      {87, {1536, 16, 65536, kib(164), kib(163)}},  {89, {1536, 24, 65536, kib(100), kib(99)}},
      {90, {2048, 32, 65536, kib(228), kib(227)}},  {100, {2048, 32, 65536, kib(228), kib(227)}},
      {103, {2048, 32, 65536, kib(228), kib(227)}}, {120, {1536, 24, 65536, kib(100), kib(99)}},
  };
  return kTable;
}

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

int capability_of(const std::string& architecture) {
  const std::string digits = architecture.rfind("sm_", 0) == 0 ? architecture.substr(3) : "";
  const std::size_t end = digits.find_first_not_of("0123456789");
  const int capability = digits.empty() || end == 0 ? 0 : std::stoi(digits.substr(0, end));
  if (table().count(capability) != 0) return capability;
  std::vector<std::string> known;
  for (const auto& [number, limits] : table()) known.push_back(fmt::format("sm_{}", number));
  throw UsageError(
      fmt::format("no architecture '{}'; there are: {} (and those with an 'a', sm_90a)",
                  architecture, fmt::join(known, ", ")));
}

SmLimits sm_limits(const std::string& architecture) {
  return table().at(capability_of(architecture));
}

std::vector<int> known_capabilities() {
  std::vector<int> all;
  for (const auto& [capability, limits] : table()) all.push_back(capability);
  return all;
}

DeviceInfo compile_target(int capability) {
  DeviceInfo device;
  device.id = fmt::format("sm_{}", capability);
  device.name = device.id;
  device.kind = DeviceKind::kCuda;
  device.compute_capability = capability;
  device.shared_bytes = sm_limits(device.id).shared_bytes_of_block;
  return device;
}

Occupancy occupancy(const SmLimits& limits, int threads, int registers, std::int64_t shared_bytes) {
  const std::int64_t warps = rounded_up(threads, kWarpThreads) / kWarpThreads;
  const std::int64_t registers_of_block =
      warps * rounded_up(std::int64_t{std::max(registers, 1)} * kWarpThreads, kRegisterUnit);
  const std::int64_t shared_of_block = rounded_up(shared_bytes + kReservedShared, kSharedUnit);
  const std::pair<std::int64_t, const char*> allowed[] = {
      {limits.threads / (warps * kWarpThreads), "threads"},
      {limits.registers / registers_of_block, "registers"},
      {shared_bytes > limits.shared_bytes_of_block ? 0 : limits.shared_bytes / shared_of_block,
       "shared memory"},
      {limits.blocks, "blocks"},
  };
  const auto& least =
      *std::min_element(std::begin(allowed), std::end(allowed),
                        [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto blocks = static_cast<int>(least.first);
  return {blocks, static_cast<double>(blocks * threads) / limits.threads, least.second};
}

}  // namespace msda
