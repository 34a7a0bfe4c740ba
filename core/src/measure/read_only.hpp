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

/// Writes a byte of each page as it is. Who has the system tell which pages of inputs and outputs
/// were written to since the launch before is told all.
void touch_pages(void* data, std::size_t bytes);

/// Whether the pages of these bytes are. Nobody takes away at once what a launch has written.
bool are_in_memory(const void* data, std::size_t bytes);

}  // namespace msda
