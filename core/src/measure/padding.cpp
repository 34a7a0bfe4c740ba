#include "measure/padding.hpp"

#include <new>

namespace msda {

std::size_t Padding::draw(std::size_t least, std::size_t most, std::size_t step) {
  return least + generator_() % ((most - least) / step + 1) * step;
}

void Padding::add() {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kDeviceStep = 512;
  constexpr std::size_t kMostOnDevice = std::size_t{4} << 20U;
  const std::size_t pieces = draw(1, 4, 1);
  try {
    // The heap hands out what fits next: sizes below a page move it by any number of lines, and a
    // larger one leaves the gaps that earlier arms made.
    for (std::size_t i = 0; i < pieces; ++i) {
      host_.push_back(std::make_unique<std::byte[]>(draw(kLine / 4, kPage, kLine / 4)));
    }
    host_.push_back(std::make_unique<std::byte[]>(draw(kPage, 16 * kPage, kLine)));
    on_device_.push_back(device_.allocate(draw(kDeviceStep, kMostOnDevice, kDeviceStep)));
  } catch (const std::bad_alloc&) {
  } catch (const EnvironmentError&) {
  }
}

}  // namespace msda
