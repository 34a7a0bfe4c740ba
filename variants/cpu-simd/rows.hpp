// Rows of the operator's output with vector instructions: what the CPU variants with SIMD are built
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <msda/operators/forward.hpp>
#include <msda/variant.hpp>

#include "head_planes.hpp"
#include "row_plan.hpp"

namespace msda::cpu_rows {

/// Parameters that every variant built on Rows has: `isa`, the vector instructions, and
/// `head_planes`, whether `value` is copied to one plane for each head first.
std::vector<ParameterSpec> row_parameters();

/// Why Rows cannot do the problem with these parameters on this machine, or nullopt.
std::optional<std::string> rows_unsupported(const Problem& problem, const Parameters& parameters);

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

/// The vector code made ready for one problem. A launch calls copy_row() for each row of
/// copy_rows(), then run() on ranges that cover the output. Both may be called by several threads
/// at a time.
class Rows {
 public:
  /// rows_unsupported() was asked. Throws EnvironmentError when there is no memory for the copy.
  Rows(const Problem& problem, const Parameters& parameters);
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  const RowPlan& plan() const { return plan_; }

  std::int64_t copy_rows() const { return planes_ ? planes_->rows() : 0; }
  void copy_row(const Tensors& tensors, std::int64_t row) const {
    planes_->copy_row(tensors[forward::kValue], row);
  }
  void run(const Tensors& tensors, const RowRange& range, const Workspace& workspace) const;

 private:
  RowPlan plan_;
  RowFunction function_;
  std::optional<HeadPlanes> planes_;
  // What plan_ points to.
  std::vector<float> width_;
  std::vector<float> height_;
  std::vector<std::int64_t> first_;
  std::vector<std::int64_t> pitch_;
};

}  // namespace msda::cpu_rows
