// A CPU whose launches take as long as they are told, whatever else the machine does.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "device/device.hpp"

namespace msda::test {

class ToldTimes : public Device {
 public:
  using SecondsOf = std::function<double(const Composition&)>;

  /// `seconds_of`: a launch of the composition, give or take a percent.
  explicit ToldTimes(SecondsOf seconds_of, std::unique_ptr<Device> cpu = open_device("cpu"))
      : seconds_of_(std::move(seconds_of)), cpu_(std::move(cpu)) {}
  const DeviceInfo& info() const override { return cpu_->info(); }
  std::int64_t free_bytes() const override { return cpu_->free_bytes(); }
  std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
    return cpu_->allocate(bytes);
  }
  Stream stream() const override { return cpu_->stream(); }
  void synchronize() override {}
  Build compile(const Composition& composition, const Problem& problem) override {
    return cpu_->compile(composition, problem);
  }
  Prepared load(const Composition& composition, const Problem& problem,
                const Build& build) override {
    return make_prepared(std::make_unique<Telling>(
        cpu_->load(composition, problem, build).executable,
        [this, seconds = seconds_of_(composition)] { launch_seconds_ = seconds; }));
  }
  std::string mode_unsupported(TimingMode) const override { return ""; }
  std::map<std::string, std::string> provenance() const override { return {}; }
  Ceilings measure_ceilings() override {
    return {.dram_bytes_per_second = 1e10, .gather_bytes_per_second = 1e11};
  }
  std::vector<std::vector<double>> time_parts(TimingMode mode, int samples, int parts,
                                              const std::function<void(int, int)>& launch,
                                              LaunchWatch* watch) override {
    auto seconds = cpu_->time_parts(mode, samples, parts, launch, watch);
    for (auto& part : seconds) {
      for (double& one : part) one = launch_seconds_ * (0.99 + 0.002 * (++samples_ * 7 % 11));
    }
    return seconds;
  }

 private:
  struct Telling final : Executable {
    Telling(std::unique_ptr<Executable> own, std::function<void()> tell)
        : executable(std::move(own)), tell_time(std::move(tell)) {}
    void launch(const Tensors& tensors, Stream stream) override {
      tell_time();
      executable->launch(tensors, stream);
    }
    std::unique_ptr<Executable> executable;
    std::function<void()> tell_time;
  };

  SecondsOf seconds_of_;
  std::unique_ptr<Device> cpu_;
  double launch_seconds_ = 0;
  int samples_ = 0;
};

}  // namespace msda::test
