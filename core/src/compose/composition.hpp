// A Composition is what one arm runs: a kernel variant, or a skeleton whose slots are filled by
// optimizations; both with resolved parameters, and where a placement says so on several devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <msda/placement.hpp>

#include "facts/arm.hpp"
#include "operators/operator.hpp"
#include "plugin/levels.hpp"
#include "plugin/registry.hpp"

namespace msda {

/// One variant of a composition.
struct Part {
  const Plugin* plugin = nullptr;
  Parameters parameters;
};

/// What fills a slot. Of a part of a composed kernel only.
const Optimization& optimization(const Part& part);

/// Its parameters as the device code gets them for `problem`. Throws Error that names the plugin
/// when settled() leaves one out or changes its type.
Parameters settled(const Part& part, const Problem& problem);

class Composition {
 public:
  /// Looks the variants up and checks that they go together: either one kernel alone, or
  /// optimizations of one skeleton with at most one for each slot, perhaps with level sizes that
  /// are no constants; and beside either at most one placement. An empty list is the direct
  /// skeleton with all its defaults. Throws UsageError that names the two that clash and why.
  Composition(const Registry& registry, const std::vector<Use>& uses);

  /// The kernel variant, or nullptr for a composed one.
  const Kernel* kernel() const;
  const std::string& skeleton() const { return skeleton_; }
  /// The kernel, or what fills slots; without a placement.
  const std::vector<Part>& parts() const { return parts_; }
  /// What lays the batch over several devices; absent where one has all of it.
  const std::optional<Part>& placement() const { return placement_; }
  /// Where the code has the level sizes from.
  LevelForm levels() const { return levels_; }
  /// Devices that one launch works on.
  int device_count() const;
  /// How rows come from the others to the first device.
  Placement::Gather gather() const;
  /// The same code on one device.
  Composition on_one_device() const;
  /// The problem that the device with the largest share of the batch has.
  Problem largest_share(const Problem& problem) const;

  /// Kinds of devices it is for: a kernel's own, CUDA for a composed one.
  std::vector<DeviceKind> devices() const;
  /// The same for messages: "cuda", "cpu or cuda".
  std::string devices_text() const;
  /// True on those kinds, and for a composed one on kSimt too.
  bool runs_on(DeviceKind kind) const;
  /// First reason of a part, prefixed by its name; nullopt when all can run.
  std::optional<std::string> unsupported(const Problem& problem, const DeviceInfo& device) const;
  /// What its parts round, each number as coarsely as the coarsest of them does.
  Arithmetic arithmetic(const Problem& problem) const;
  /// The operator that it computes.
  const Operator& op() const { return *op_; }
  /// Why it cannot stand for `asked`, whose tensors are others; "" when it can.
  std::string refuses(const Operator& asked) const;
  /// The same computing `asked`, which it does not refuse: itself, or where that operator borrows
  /// the skeleton with its policy beside the parts.
  Composition computing(const Operator& asked) const;
  /// Whether every run leaves the same bits in that output.
  bool deterministic(std::string_view output) const;
  /// The same of all outputs.
  bool deterministic() const;
  /// "vector-loads{width=8} + persistent": canonical, so equal compositions have equal text.
  std::string describe() const;

 private:
  std::string skeleton_;
  const Operator* op_ = nullptr;
  std::vector<Part> parts_;
  std::optional<Part> placement_;
  LevelForm levels_ = LevelForm::kFixed;
};

}  // namespace msda
