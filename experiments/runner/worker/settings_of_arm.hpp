// What an arm makes of the device's settings is its own.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace msda {

/// While it lives the device is set as the arm's step before left it; then as the worker has it.
class SettingsOfArm {
 public:
  SettingsOfArm(Device& device, std::shared_ptr<const DeviceSettings>& own)
      : device_(device), own_(own), shared_(device.settings()) {
    if (own_ != nullptr) device_.apply(*own_);
  }
  SettingsOfArm(const SettingsOfArm&) = delete;
  SettingsOfArm& operator=(const SettingsOfArm&) = delete;
  ~SettingsOfArm() {
    if (shared_ == nullptr) return;
    try {
      own_ = device_.settings();
      device_.apply(*shared_);
    } catch (const Error&) {
      own_ = nullptr;  // after an error that stays, which the step's end or the next one meets
    }
  }

 private:
  Device& device_;
  std::shared_ptr<const DeviceSettings>& own_;
  std::unique_ptr<const DeviceSettings> shared_;
};

}  // namespace msda
