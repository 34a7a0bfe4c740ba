// What several processes measured of a device's ceilings at several times, and what to believe.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "facts/ceilings.hpp"

namespace msda {

class Device;
struct DeviceInfo;

/// What one process measured.
struct CeilingsMeasurement {
  std::int64_t time = 0;  ///< seconds since the epoch
  Ceilings ceilings;
};

/// The ceilings to judge by, and what they rest on.
struct KnownCeilings {
  Ceilings best;
  Ceilings spread;         ///< of each: (largest - smallest) / largest of the measurements
  int measurements = 0;    ///< 0: those of this process, which are not to be believed
  std::int64_t first = 0;  ///< time of the earliest measurement
  std::int64_t last = 0;   ///< and of the latest
};
/// As manifests hold them: the members of Ceilings, and "measured" with the rest.
nlohmann::json to_json(const KnownCeilings& known);

class CeilingsHistory {
 public:
  CeilingsHistory() = default;
  /// What to_json() wrote; empty for anything else.
  explicit CeilingsHistory(const nlohmann::json& stored);
  nlohmann::json to_json() const;

  /// Whether a process had better measure once more: there are few measurements, or they are old.
  bool wants_another(std::int64_t now) const;
  /// Measures, and measures again while the device does less than it did before or more than
  /// measurements agree on: it may be at work for somebody else, or the clock may have jumped. The
  /// best of these is one measurement. What is not plausible is left out.
  void measure(std::int64_t now, const std::function<Ceilings()>& once);

  /// A load makes a device slower, nothing makes it faster: of each ceiling the largest that
  /// another measurement comes near. Where none agree, the largest.
  KnownCeilings known() const;

  const std::vector<CeilingsMeasurement>& measurements() const { return measurements_; }

 private:
  void forget();

  std::vector<CeilingsMeasurement> measurements_;  ///< in the order of their times
};

/// Of cache_directory()/ceilings, where each device model has its history; measures when that wants
/// it.
KnownCeilings known_ceilings(Device& device);
/// The same without measuring: zeros where nobody has.
KnownCeilings stored_ceilings(const DeviceInfo& device);

/// Finite, and no cache slower than the memory behind it.
bool is_plausible(const Ceilings& ceilings);

}  // namespace msda
