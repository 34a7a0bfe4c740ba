// A device that compiles and can do nothing else: all that is needed of one before anything runs.
#pragma once

#include <functional>

#include "device/device.hpp"

namespace msda {

class NoDevice final : public Device {
 public:
  using Compile = std::function<Build(const Composition&, const Problem&)>;

  explicit NoDevice(Compile compile) : compile_(std::move(compile)) {
    info_.id = "cuda:0";
    info_.kind = DeviceKind::kCuda;
    info_.compute_capability = 90;
    info_.shared_bytes = 227 << 10;
  }

  const DeviceInfo& info() const override { return info_; }
  Build compile(const Composition& composition, const Problem& problem) override {
    return compile_(composition, problem);
  }

  std::int64_t free_bytes() const override { return 0; }
  std::unique_ptr<DeviceMemory> allocate(std::size_t) override { refuse(); }
  Stream stream() const override { return nullptr; }
  void synchronize() override {}
  Prepared load(const Composition&, const Problem&, const Build&) override { refuse(); }
  std::string mode_unsupported(TimingMode) const override { return "no device"; }
  std::map<std::string, std::string> provenance() const override { return {}; }
  Ceilings measure_ceilings() override { refuse(); }
  std::vector<std::vector<double>> time_parts(TimingMode, int, int,
                                              const std::function<void(int, int)>&,
                                              LaunchWatch*) override {
    refuse();
  }

 private:
  [[noreturn]] static void refuse() { throw Error("there is no device"); }

  Compile compile_;
  DeviceInfo info_;
};

inline const Registry& shipped() {
  static const Registry kRegistry({MSDA_BINARY_DIR "/lib/msda/variants"});
  return kRegistry;
}

}  // namespace msda
