#include "device/device.hpp"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "measure/device_input.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;

TEST(OpenDevice, RefusesWhatIsNoDevice) {
  for (const char* id : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:0x", ""}) {
    EXPECT_THROW(open_device(id), UsageError) << id;
  }
  EXPECT_THROW(open_device("cuda:63"), EnvironmentError);
}

TEST(OpenDevice, SaysWhyThereIsNoCuda) {
  const bool has_gpu = list_devices().size() > 2;
  EXPECT_EQ(cuda_unavailable_reason().empty(), has_gpu);
}

TEST(HostDevice, CopiesAndPoisons) {
  const auto device = open_device("cpu");
  const auto memory = device->allocate(4);
  memory->fill(0xFF);
  unsigned value = 0;
  memory->download(&value, 4);
  EXPECT_EQ(value, 0xFFFFFFFFU);
  EXPECT_THROW(memory->download(&value, 3), Error);
}

TEST(HostDevice, TimesTheLaunchAndNothingElse) {
  const auto device = open_device("cpu");
  std::vector<int> seen;
  const auto launch = [&](int i) {
    seen.push_back(i);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  for (const TimingMode mode : {TimingMode::kWarm, TimingMode::kCold}) {
    seen.clear();
    const auto seconds = device->time(mode, 3, launch);
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
    ASSERT_EQ(seconds.size(), 3U);
    for (const double s : seconds) EXPECT_GE(s, 0.002);
  }
  EXPECT_THROW(device->time(TimingMode::kGraph, 1, launch), Unsupported);
}

TEST(HostDevice, TimesEachPartOfALaunch) {
  const auto device = open_device("cpu");
  std::vector<std::pair<int, int>> seen;
  const auto launch = [&](int i, int part) {
    seen.emplace_back(i, part);
    std::this_thread::sleep_for(std::chrono::milliseconds(part == 1 ? 4 : 0));
  };
  const auto seconds = device->time_parts(TimingMode::kWarm, 2, 2, launch, nullptr);
  EXPECT_EQ(seen, (std::vector<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  ASSERT_EQ(seconds.size(), 2U);
  ASSERT_EQ(seconds[0].size(), 2U);
  for (const double s : seconds[1]) EXPECT_GE(s, 0.004);
}

/// When each launch was made ready.
class NotingWatch final : public LaunchWatch {
 public:
  void before(int) override { ready_ = std::chrono::steady_clock::now(); }
  void after(int) override {}
  int draw(int) override { return 0; }
  int sets() const override { return 1; }
  double seconds_since_ready() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - ready_).count();
  }

 private:
  std::chrono::steady_clock::time_point ready_;
};

/// Threads of an arm would have the time of a flush to do what the launch has to.
TEST(HostDevice, FlushesCachesBeforeALaunchIsMadeReady) {
  const auto device = open_device("cpu");
  NotingWatch watch;
  double least = 1;
  const auto start = std::chrono::steady_clock::now();
  device->time(
      TimingMode::kCold, 4, [&](int) { least = std::min(least, watch.seconds_since_ready()); },
      &watch);
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
  EXPECT_LT(least, all.count() / 4 / 10);
}

/// Of this process, in memory.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  file >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(HostDevice, WritesTwiceTheLastCacheWhereCachesAreCold) {
  const auto device = open_device("cpu");
  const auto grown_in = [&](TimingMode mode) {
    const std::int64_t before = resident_bytes();
    device->time(mode, 1, [](int) {});
    return resident_bytes() - before;
  };
  EXPECT_LT(grown_in(TimingMode::kWarm), device->info().l2_bytes);
  EXPECT_GT(grown_in(TimingMode::kCold), 3 * device->info().l2_bytes / 2);
}

TEST(HostDevice, FreeBytesAreOfTheOrderOfTheMachines) {
  const auto device = open_device("cpu");
  EXPECT_LT(device->free_bytes(), device->info().memory_bytes);
  EXPECT_GT(device->free_bytes(), device->info().memory_bytes / 1000);
}

/// One that a launch leaves behind would do the work of this one, or of the next, when nobody looks
/// at the clock.
TEST(HostDevice, HandlesNoSignalBetweenTimedLaunches) {
  static volatile std::sig_atomic_t handled;
  class Raising final : public LaunchWatch {
   public:
    void before(int) override { std::raise(SIGUSR1); }
    void after(int) override {
      std::raise(SIGUSR1);
      seen_ += handled;
    }
    int draw(int) override { return 0; }
    int sets() const override { return 1; }
    int seen_ = 0;
  } watch;
  const auto before = std::signal(SIGUSR1, [](int) { handled = 1; });
  const auto launch = [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    handled = 0;
  };
  open_device("cpu")->time(TimingMode::kWarm, 3, launch, &watch);
  EXPECT_EQ(watch.seen_, 0);
  EXPECT_EQ(handled, 1) << "what waits is not lost";
  std::signal(SIGUSR1, before);
}

TEST(SimtDevice, HasASeedAndMeasuresNothing) {
  EXPECT_EQ(open_device("simt")->info().id, "simt");
  EXPECT_EQ(open_device("simt:7")->info().id, "simt:7");
  EXPECT_EQ(open_device("simt:0:races")->info().id, "simt:0:races");
  for (const char* id : {"simt:", "simt:x", "simt:1:", "simt:1:rases", "simts", "simt:-1"}) {
    EXPECT_THROW(open_device(id), UsageError) << id;
  }
  const auto device = open_device("simt");
  EXPECT_THAT(device->mode_unsupported(TimingMode::kWarm), HasSubstr("measures nothing"));
  EXPECT_THROW(device->time(TimingMode::kWarm, 1, [](int) {}), Unsupported);
  EXPECT_THROW(device->measure_ceilings(), Unsupported);
}

TEST(TimingModes, HaveNames) {
  for (const auto mode : {TimingMode::kCold, TimingMode::kWarm, TimingMode::kGraph}) {
    EXPECT_EQ(parse_timing_mode(name_of(mode)), mode);
  }
  EXPECT_THROW(parse_timing_mode("hot"), UsageError);
}

TEST(DeviceInput, RefusesWhatDoesNotFit) {
  const auto device = open_device("cpu");
  Input input = generate(preset("ddetr-decoder"), {});
  input.problem.queries = std::int64_t{1} << 40;  // the output alone would be 2^50 bytes
  try {
    const DeviceInput placed(*device, input);
    FAIL() << "fitted";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("GB free"));
  }
}

}  // namespace
}  // namespace msda
