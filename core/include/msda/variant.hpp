// What a plugin offers: a Variant. There are two kinds. An Optimization fills one slot of a
// skeleton with device code that is compiled together with the other slots; a Kernel is a whole
// implementation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <msda/arithmetic.hpp>
#include <msda/operator.hpp>
#include <msda/parameter.hpp>
#include <msda/problem.hpp>

namespace msda {

/// kSimt runs composed kernels for CUDA on the CPU, thread by thread, to check them.
enum class DeviceKind { kCpu, kCuda, kSimt };

/// "cpu", "cuda" or "simt".
constexpr std::string_view name_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCpu: return "cpu";
    case DeviceKind::kCuda: return "cuda";
    case DeviceKind::kSimt: return "simt";
  }
  return "?";
}

/// What a variant may know of the device it is asked to run on. Sizes in bytes.
struct DeviceInfo {
  std::string id;    ///< "cpu", "cuda:0", "simt"
  std::string name;  ///< as the vendor names it
  DeviceKind kind = DeviceKind::kCpu;
  int compute_capability = 0;     ///< 10 * major + minor; 0 on a CPU
  int multiprocessors = 0;        ///< SMs, or hardware threads of a CPU
  std::int64_t memory_bytes = 0;  ///< in all
  std::int64_t l2_bytes = 0;      ///< L2 of a GPU, last-level cache of a CPU
  std::int64_t shared_bytes = 0;  ///< shared memory that one block can opt in to; 0 on a CPU
};

/// cudaStream_t on a GPU, unused on a CPU.
using Stream = void*;

/// One of several things that a launch enqueues, so that they can be timed apart. Refers to the
/// executable that it is a part of.
struct LaunchPart {
  std::string name;  ///< "clear", the optimization or slot of a pass, "prepare"; "kernel": the main
  std::function<void(const Tensors& tensors, Stream stream)> launch;
  /// True for what launch() does not do: its result is there since bind().
  bool outside = false;
};

/// A variant made ready for one problem on one device.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Called once for each input set before its first launch; may allocate (descriptors, textures).
  virtual void bind(const Tensors& tensors) { static_cast<void>(tensors); }
  /// Enqueues the work, and only that: no allocation, no synchronisation. On a CPU it does the
  /// work.
  virtual void launch(const Tensors& tensors, Stream stream) = 0;
  /// In order. Empty for one that cannot be taken apart, or is its kernel alone. Those that are not
  /// `outside` are, one after the other, a launch.
  virtual std::vector<LaunchPart> parts() { return {}; }
  /// Whether it reads the derived tensor `name`, which is null in Tensors otherwise.
  virtual bool wants(std::string_view name) const {
    static_cast<void>(name);
    return false;
  }
};

struct VariantInfo {
  std::string name;     ///< the plugin's folder name, "vector-loads"
  std::string summary;  ///< one line
  std::vector<ParameterSpec> parameters;
};

class Variant {
 public:
  explicit Variant(VariantInfo info) : info_(std::move(info)) {}
  Variant(const Variant&) = delete;
  Variant& operator=(const Variant&) = delete;
  virtual ~Variant() = default;

  const VariantInfo& info() const { return info_; }

  /// Why this variant cannot run the problem on the device with these parameters; nullopt when it
  /// can. The reason goes to the record of a *skipped* cell. Callable from several threads at a
  /// time.
  virtual std::optional<std::string> unsupported(const Problem& problem, const DeviceInfo& device,
                                                 const Parameters& parameters) const {
    static_cast<void>(problem);
    static_cast<void>(device);
    static_cast<void>(parameters);
    return std::nullopt;
  }

  /// The operator that it computes: "forward", "copy". "" leaves that to the skeleton that an
  /// optimization fills, and is "forward" for a kernel.
  virtual std::string computes(const Parameters& parameters) const {
    static_cast<void>(parameters);
    return "";
  }

  /// What this variant rounds more coarsely than float32. A tolerance is derived from it: a variant
  /// declares what it does, never how wrong it may be.
  virtual Arithmetic arithmetic(const Problem& problem, const Parameters& parameters) const {
    static_cast<void>(problem);
    static_cast<void>(parameters);
    return {};
  }

  /// Conditions that hold if the optimization took effect, on what the device "simt" counts:
  /// "rows.prefetched > 0" (docs/evidence.md). An arm where one does not hold on the problem has
  /// *no effect*: reports name the arm, whose time says nothing about the mechanism.
  virtual std::vector<std::string> evidence(const Problem& problem,
                                            const Parameters& parameters) const {
    static_cast<void>(problem);
    static_cast<void>(parameters);
    return {};
  }

  /// False for an output whose last bits two runs on the same input may leave different, such as a
  /// sum that atomics add to in any order.
  virtual bool deterministic(std::string_view output, const Parameters& parameters) const {
    static_cast<void>(output);
    static_cast<void>(parameters);
    return true;
  }

 private:
  VariantInfo info_;
};

/// Fills `slot` of `skeleton` with the class template `type`, written in the plugin's device
/// headers:
///
///   template <class K, class Parameters> struct Mapping { ... };
///
/// The composer instantiates it with the composition K, which has the problem's constants, and with
/// a struct that has one `static constexpr` member for each parameter.
class Optimization : public Variant {
 public:
  /// A property of other slots' policies that this one cannot work with, and why not.
  struct Exclusion {
    std::string trait;
    std::string reason;
  };

  struct Slot {
    std::string skeleton;  ///< "direct"
    std::string slot;      ///< "mapping"
    std::string type;      ///< "msda::vector_loads::Mapping"
    std::string header;    ///< "vector_loads/mapping.cuh", among the plugin's embedded sources
    std::vector<std::string> traits{};  ///< properties that others may exclude, "reads-sides"
    std::vector<Exclusion> excludes{};
  };

  Optimization(VariantInfo info, Slot slot) : Variant(std::move(info)), slot_(std::move(slot)) {}
  const Slot& slot() const { return slot_; }

  /// The parameters as the device code gets them for `problem`: the same, but for values that stand
  /// for what follows from a problem ("0: as many as it has").
  virtual Parameters settled(const Problem& problem, const Parameters& parameters) const {
    static_cast<void>(problem);
    return parameters;
  }

 private:
  Slot slot_;
};

/// A whole implementation, for one kind of device as a rule.
class Kernel : public Variant {
 public:
  Kernel(VariantInfo info, DeviceKind device) : Kernel(std::move(info), std::vector{device}) {}
  Kernel(VariantInfo info, std::vector<DeviceKind> devices)
      : Variant(std::move(info)), devices_(std::move(devices)) {}

  /// The kinds of devices that it runs on with these parameters, at least one.
  virtual std::vector<DeviceKind> devices(const Parameters& parameters) const {
    static_cast<void>(parameters);
    return devices_;
  }

  /// May compile, allocate and throw. `problem` is validated and unsupported() was asked.
  virtual std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& device,
                                              const Parameters& parameters) const = 0;

 private:
  std::vector<DeviceKind> devices_;
};

}  // namespace msda
