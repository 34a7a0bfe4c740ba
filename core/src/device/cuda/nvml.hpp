// What the driver's management library (NVML) tells of a GPU. It is loaded at run time: a machine
// without it measures all the same and says less.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "facts/conditions.hpp"

namespace msda {

class NvmlDevice {
 public:
  /// `pci_bus_id` as "0000:3b:00.0". Never throws; unavailable() says what is missing.
  explicit NvmlDevice(const std::string& pci_bus_id,
                      const std::string& library = "libnvidia-ml.so.1");
  ~NvmlDevice();
  NvmlDevice(const NvmlDevice&) = delete;
  NvmlDevice& operator=(const NvmlDevice&) = delete;

  /// "" when the device can be asked.
  const std::string& unavailable() const { return unavailable_; }
  /// Nullopt when the device cannot be asked. Of a GPU in slices (MIG) the clocks are those of all
  /// of it; what it draws says nothing of one slice, so neither power nor energy is told.
  std::optional<Conditions> conditions() const;
  /// What the GPU has used since its driver was loaded. The counter moves every few tens of
  /// milliseconds.
  std::optional<double> energy_joules() const;
  /// Names of the throttle reasons that are active now. An idle GPU's low clocks and clocks that a
  /// user has set are none.
  std::vector<std::string> throttled() const;
  /// What does not change in a run, for manifests: driver, ECC, power limit, highest clocks, and a
  /// number made of the GPU's UUID; without what the device does not tell.
  std::map<std::string, std::string> facts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::string unavailable_;
};

}  // namespace msda
