// What lies between a kernel and its time: the host's part of a launch, and the gaps between
// launches.
#include <algorithm>
#include <chrono>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <msda/launch.cuh>

#include "compose/unit_writer.hpp"
#include "conformance/conformance.hpp"
#include "device/cuda/check.hpp"
#include "device/cuda/module.hpp"
#include "input/input.hpp"
#include "jit/compiler.hpp"
#include "measure/device_input.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Seconds of the host for each call, in series short enough for the device's queue.
template <class Call>
double host_seconds(Device& device, const Call& call) {
  using Clock = std::chrono::steady_clock;
  constexpr int kSeries = 50;
  constexpr int kCalls = 100;
  std::vector<double> seconds;
  for (int series = 0; series < kSeries; ++series) {
    device.synchronize();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count() / kCalls);
  }
  device.synchronize();
  return median(seconds);
}

/// A problem whose kernel takes a few microseconds.
Problem brief_problem() { return in_type(DType::kFloat16, preset("rtdetr-decoder")); }

TEST(GpuLaunch, TakesTheHostNoMoreThanAMicrosecondBeyondARawOne) {
  const auto device = open_device("cuda:0");
  const Unit unit{"raw",
                  "#include <msda/launch.cuh>\n__global__ void raw(msda::ForwardArguments) {}\n",
                  device_headers(),
                  {"raw"},
                  ""};
  const CudaModule module(
      Compiler().compile(unit, architecture_name(device->info().compute_capability)));
  const auto* kernel = reinterpret_cast<const void*>(module.kernel("raw"));
  ForwardArguments arguments{};
  void* parameters[] = {&arguments};
  auto* stream = static_cast<cudaStream_t>(device->stream());
  const double raw = host_seconds(*device, [&] {
    check(cudaLaunchKernel(kernel, dim3(1), dim3(32), parameters, 0, stream), "cudaLaunchKernel");
  });

  const Problem problem = brief_problem();
  const Prepared prepared = device->prepare(shipped_composition("vector-loads"), problem);
  const DeviceInput input(*device, generate(problem, {}));
  prepared.executable->bind(input.tensors());
  const double composed = host_seconds(
      *device, [&] { prepared.executable->launch(input.tensors(), device->stream()); });
  RecordProperty("raw_ns", static_cast<int>(raw * 1e9));
  RecordProperty("composed_ns", static_cast<int>(composed * 1e9));
  EXPECT_LE(composed, raw + 1e-6) << "raw " << raw * 1e9 << " ns, composed " << composed * 1e9;
}

TEST(GpuTiming, WarmHasNoGapsOfTheHost) {
  const auto device = open_device("cuda:0");
  const Problem problem = brief_problem();
  const Prepared prepared = device->prepare(shipped_composition("vector-loads"), problem);
  const DeviceInput input(*device, generate(problem, {}));
  const auto launch = [&](int) { prepared.executable->launch(input.tensors(), device->stream()); };
  for (int i = 0; i < 20; ++i) launch(i);
  device->synchronize();
  const double warm = median(device->time(TimingMode::kWarm, 20, launch));
  const double graph = median(device->time(TimingMode::kGraph, 20, launch));
  EXPECT_NEAR(warm / graph, 1, 0.15) << "warm " << warm * 1e6 << " us, graph " << graph * 1e6;

  // The host is slower than the kernel: without the gate the time would be the host's.
  const auto slow_launch = [&](int i) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (std::chrono::steady_clock::now() < end) {
    }
    launch(i);
  };
  const double behind_slow_host = median(device->time(TimingMode::kWarm, 20, slow_launch));
  EXPECT_LT(behind_slow_host, 2 * graph) << behind_slow_host * 1e6 << " us";
}

TEST(GpuTiming, BehindAnotherKernelALaunchTakesAboutWhatItTakesAlone) {
  const auto device = open_device("cuda:0");
  const Problem problem = preset("dino-encoder");
  const Prepared prepared = device->prepare(shipped_composition("vector-loads"), problem);
  const DeviceInput input(*device, generate(problem, {}));
  const auto launch = [&](int) { prepared.executable->launch(input.tensors(), device->stream()); };
  const double graph = median(device->time(TimingMode::kGraph, 20, launch));
  const double behind = median(device->time(TimingMode::kBehind, 20, launch));
  // The other kernel's own time would add 10% and more; its traces in the caches cost less.
  EXPECT_GT(behind, 0.9 * graph);
  EXPECT_LT(behind, 1.3 * graph);
}

TEST(GpuTiming, TimesALaunchThatItselfWaitsForTheDevice) {
  const auto device = open_device("cuda:0");
  const Problem problem = brief_problem();
  const Prepared prepared = device->prepare(shipped_composition("vector-loads"), problem);
  const DeviceInput input(*device, generate(problem, {}));
  const auto seconds = device->time(TimingMode::kWarm, 5, [&](int) {
    prepared.executable->launch(input.tensors(), device->stream());
    device->wait();
  });
  ASSERT_EQ(seconds.size(), 5U);
  for (const double s : seconds) {
    EXPECT_GT(s, 1e-6);
    EXPECT_LT(s, 1e-2) << "the gate's patience is no part of a sample";
  }
}

TEST(GpuTiming, TakesMoreSamplesThanTheQueueHolds) {
  const auto device = open_device("cuda:0");
  const Problem problem = brief_problem();
  const Prepared prepared = device->prepare(shipped_composition("vector-loads"), problem);
  const DeviceInput input(*device, generate(problem, {}));
  const auto seconds = device->time(TimingMode::kWarm, 500, [&](int) {
    prepared.executable->launch(input.tensors(), device->stream());
  });
  EXPECT_EQ(seconds.size(), 500U);
  EXPECT_LT(median(seconds), 1e-3);
}

}  // namespace
}  // namespace msda
