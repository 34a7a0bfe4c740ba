#include "device/simt/group.hpp"

#include <cstring>
#include <vector>

#include "device/simt/device.hpp"

namespace msda {
namespace {

class SimtGroup final : public DeviceGroup {
 public:
  SimtGroup(const simt::Options& options, const DeviceInfo& like, int count) {
    for (int i = 0; i < count; ++i) devices_.push_back(open_simt(options, like));
  }

  std::size_t size() const override { return devices_.size(); }
  Device& device(std::size_t i) override { return *devices_.at(i); }
  void use(std::size_t) override {}
  void reach_first() override {}
  void copy(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void enqueue_copy(std::size_t, void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes);
  }
  void fork(Stream) override {}  // launches run when they are enqueued
  void join(Stream) override {}

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace

std::unique_ptr<DeviceGroup> make_simt_group(const simt::Options& options, const DeviceInfo& like,
                                             int count) {
  return std::make_unique<SimtGroup>(options, like, count);
}

}  // namespace msda
