#include "jit/launch_plan.hpp"

#include <fmt/format.h>

#include <cstring>

#include <msda/error.hpp>

#include "jit/elf.hpp"

namespace msda {

LaunchPlan read_plan(const Module& module) {
  const auto bytes = elf_symbol_bytes(module.cubin, module.plan_symbol);
  LaunchPlan plan;
  if (bytes.size() != sizeof plan) {
    throw Error(fmt::format("launch plan in {} has {} bytes, expected {}",
                            module.directory.string(), bytes.size(), sizeof plan));
  }
  std::memcpy(&plan, bytes.data(), sizeof plan);
  return plan;
}

std::size_t workspace_bytes(const Extent& extent, std::int64_t batch, std::int64_t queries) {
  return static_cast<std::size_t>(extent.fixed + extent.per_image * batch +
                                  extent.per_query * batch * queries);
}

}  // namespace msda
