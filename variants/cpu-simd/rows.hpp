// Rows of the operator's output with vector instructions: what the CPU variants with SIMD are built
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <msda/variant.hpp>

#include "row_plan.hpp"

namespace msda::cpu_rows {

/// Names of the instruction sets this program was built for, widest first: "avx512", "avx2",
/// "sse4", "portable" on x86-64, "portable" elsewhere.
std::vector<std::string> built_instruction_sets();

/// Why this machine cannot run the instruction set, or nullopt. "auto" always runs.
std::optional<std::string> cannot_run(std::string_view instruction_set);

/// The parameter `isa` that chooses an instruction set.
ParameterSpec instruction_set_parameter();

/// Why the vector code cannot do the problem, or nullopt.
std::optional<std::string> cannot_do(const Problem& problem);

/// Working memory of one thread for one problem.
class Workspace {
 public:
  explicit Workspace(const RowPlan& plan);
  const RowScratch& scratch() const { return scratch_; }

 private:
  struct alignas(64) CacheLine {
    std::byte bytes[64];
  };
  std::vector<CacheLine> memory_;
  RowScratch scratch_;
};

/// The vector code made ready for one problem. Safe to run from several threads, each with a
/// Workspace.
class Rows {
 public:
  /// `instruction_set` is one of built_instruction_sets() that can run here, or "auto".
  Rows(const Problem& problem, std::string_view instruction_set);
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  const RowPlan& plan() const { return plan_; }
  void run(const Tensors& tensors, const RowRange& range, const Workspace& workspace) const;

 private:
  RowPlan plan_;
  RowFunction function_;
  std::vector<float> width_;
  std::vector<float> height_;
  std::vector<std::int64_t> first_;
  std::vector<std::int64_t> pitch_;
};

}  // namespace msda::cpu_rows
