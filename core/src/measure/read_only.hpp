// Inputs that are mapped read-only while a kernel of the host runs, so that one which writes to an
// input and puts back what was there is seen as well.
#pragma once

#include "device/device.hpp"
#include "measure/device_input.hpp"

namespace msda {

/// Where the device's memory is the host's; elsewhere nothing happens. One at a time in a process.
/// A write is noted in DeviceInput::Placed::written and then goes on as if nothing had been.
class ReadOnlyInputs {
 public:
  /// Throws Error when the system refuses.
  ReadOnlyInputs(const Device& device, DeviceInput& input);
  ReadOnlyInputs(const ReadOnlyInputs&) = delete;
  ReadOnlyInputs& operator=(const ReadOnlyInputs&) = delete;
  ~ReadOnlyInputs();

 private:
  DeviceInput& input_;
  bool protects_;
};

}  // namespace msda
