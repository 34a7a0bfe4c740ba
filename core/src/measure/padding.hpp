// Memory that is taken and not used, so that what comes after lies somewhere else in each process.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "device/device.hpp"

namespace msda {

/// Where an arm's code and workspaces lie moves its time by some percent: addresses that agree in
/// their low bits share lines of a cache, and false dependences. Without padding they would lie at
/// the same places in every process, and a place would look like an effect of the arm.
class Padding {
 public:
  Padding(Device& device, std::mt19937_64 generator) : device_(device), generator_(generator) {}

  /// Takes a few small pieces of host memory, one larger, and one on the device, of random sizes,
  /// until the object goes. Does nothing where no memory is left: the arms need it more.
  void add();

 private:
  std::size_t draw(std::size_t least, std::size_t most, std::size_t step);

  Device& device_;
  std::mt19937_64 generator_;
  std::vector<std::unique_ptr<std::byte[]>> host_;
  std::vector<std::unique_ptr<DeviceMemory>> on_device_;
};

}  // namespace msda
