// One launch whose batch is shared among several devices.
#pragma once

#include <memory>
#include <vector>

#include "device/group.hpp"

namespace msda {

/// Each device has the code, and its images' values, locations and weights in its own memory since
/// bind(). A launch begins when the first device's stream comes to it, and has ended there when all
/// devices have; the whole output is then on the first.
class SplitExecutable final : public Executable {
 public:
  /// Loads the code on all devices. Throws as Device::load() does, and Unsupported when the
  /// placement's way of gathering the output does not exist between them.
  SplitExecutable(std::unique_ptr<DeviceGroup> group, const Composition& composition,
                  const Problem& problem, const Build& build);

  void bind(const Tensors& tensors) override;
  void launch(const Tensors& tensors, Stream stream) override;
  bool wants(std::string_view name) const override {
    return shares_.front().prepared.executable->wants(name);
  }

  /// Of the code on one device; its hash is that of no composition on another number of devices.
  ResourceUse resources() const;
  std::size_t size() const { return shares_.size(); }
  /// What device i runs.
  const Executable& share(std::size_t i) const { return *shares_.at(i).prepared.executable; }

 private:
  /// What one device has of the batch.
  struct Share {
    std::int64_t first_image;
    Problem problem;
    Prepared prepared;
  };
  /// An input set in shares.
  struct Bound {
    std::array<void*, kMostTensors> whole;  ///< by which it is known
    std::vector<Tensors> tensors;           ///< by device
    std::vector<std::unique_ptr<DeviceMemory>> memory;
  };

  Tensors place_share(const Tensors& whole, std::size_t i, Bound& bound);
  const Bound& bound(const Tensors& tensors) const;
  std::size_t first_byte(const TensorSpec& spec, const Share& share) const;
  void gather_outputs(const Tensors& whole, const Tensors& own, std::size_t i);

  std::unique_ptr<DeviceGroup> group_;
  Problem problem_;
  std::span<const TensorSpec> specs_;
  Placement::Gather gather_;
  std::vector<Share> shares_;
  std::vector<Bound> bound_;
};

/// A SplitExecutable as a device's load() gives it.
Prepared load_split(std::unique_ptr<DeviceGroup> group, const Composition& composition,
                    const Problem& problem, const Build& build);

}  // namespace msda
