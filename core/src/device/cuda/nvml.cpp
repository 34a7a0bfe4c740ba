#include "device/cuda/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <functional>

#include <fmt/format.h>

#include "hash.hpp"

namespace msda {
namespace {

// NVML's binary interface as nvml.h declares it; the versioned names never change their meaning.
using Handle = void*;
using Result = int;
constexpr Result kSuccess = 0;
constexpr int kTemperatureOfGpu = 0;
/// Enough to tell the GPUs of one laboratory apart, and too few to find a GPU by.
constexpr std::size_t kNumberDigits = 8;
enum ClockType : int { kSmClock = 1, kMemoryClock = 2 };

struct ThrottleReason {
  unsigned long long bit;
  const char* name;
};
constexpr std::array kThrottleReasons = {
    ThrottleReason{0x04, "sw-power-cap"}, ThrottleReason{0x08, "hw-slowdown"},
    ThrottleReason{0x10, "sync-boost"},   ThrottleReason{0x20, "sw-thermal"},
    ThrottleReason{0x40, "hw-thermal"},   ThrottleReason{0x80, "hw-power-brake"}};

}  // namespace

struct NvmlDevice::Impl {
  std::unique_ptr<void, int (*)(void*)> library{nullptr, &::dlclose};
  Handle device = nullptr;
  bool initialized = false;

  ~Impl() {
    if (initialized) call<Result()>("nvmlShutdown");
  }

  /// The result of a function; an error where the library lacks it.
  template <class Function, class... Arguments>
  Result call(const char* name, Arguments... arguments) const {
    constexpr Result kFunctionNotFound = 13;
    auto* function = reinterpret_cast<Function*>(::dlsym(library.get(), name));
    return function == nullptr ? kFunctionNotFound : function(arguments...);
  }

  /// A number that the device tells through a pointer, times `scale`.
  std::optional<double> number(const char* name, double scale = 1) const {
    unsigned value = 0;
    if (call<Result(Handle, unsigned*)>(name, device, &value) != kSuccess) return std::nullopt;
    return value * scale;
  }

  /// The same for functions that take a kind of the number.
  std::optional<double> number_of(const char* name, int kind) const {
    unsigned value = 0;
    if (call<Result(Handle, int, unsigned*)>(name, device, kind, &value) != kSuccess) {
      return std::nullopt;
    }
    return value;
  }

  /// Whether the GPU is cut into slices (MIG), of which the program has one.
  bool is_sliced() const {
    unsigned current = 0;
    unsigned pending = 0;
    return call<Result(Handle, unsigned*, unsigned*)>("nvmlDeviceGetMigMode", device, &current,
                                                      &pending) == kSuccess &&
           current != 0;
  }
};

NvmlDevice::NvmlDevice(const std::string& pci_bus_id, const std::string& library)
    : impl_(std::make_unique<Impl>()) {
  impl_->library.reset(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!impl_->library) {
    const char* reason = ::dlerror();
    unavailable_ = fmt::format("cannot load {}: {}", library, reason == nullptr ? "?" : reason);
    return;
  }
  Result result = impl_->call<Result()>("nvmlInit_v2");
  impl_->initialized = result == kSuccess;
  if (impl_->initialized) {
    result = impl_->call<Result(const char*, Handle*)>("nvmlDeviceGetHandleByPciBusId_v2",
                                                       pci_bus_id.c_str(), &impl_->device);
  }
  if (result != kSuccess) {
    unavailable_ =
        fmt::format("{} does not know device {} (error {})", library, pci_bus_id, result);
  }
}

NvmlDevice::~NvmlDevice() = default;

std::optional<Conditions> NvmlDevice::conditions() const {
  if (!unavailable_.empty()) return std::nullopt;
  Conditions conditions;
  conditions.sm_clock_mhz = impl_->number_of("nvmlDeviceGetClockInfo", kSmClock);
  conditions.memory_clock_mhz = impl_->number_of("nvmlDeviceGetClockInfo", kMemoryClock);
  conditions.temperature_celsius = impl_->number_of("nvmlDeviceGetTemperature", kTemperatureOfGpu);
  if (!impl_->is_sliced()) {
    conditions.power_watts = impl_->number("nvmlDeviceGetPowerUsage", 1e-3);
  }
  conditions.throttled = throttled();
  return conditions;
}

std::optional<double> NvmlDevice::energy_joules() const {
  constexpr double kMillijoule = 1e-3;
  unsigned long long value = 0;
  if (!unavailable_.empty() || impl_->is_sliced() ||
      impl_->call<Result(Handle, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption",
                                                       impl_->device, &value) != kSuccess) {
    return std::nullopt;
  }
  return static_cast<double>(value) * kMillijoule;
}

std::vector<std::string> NvmlDevice::throttled() const {
  std::vector<std::string> names;
  unsigned long long reasons = 0;
  if (!unavailable_.empty() ||
      impl_->call<Result(Handle, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons",
                                                       impl_->device, &reasons) != kSuccess) {
    return names;
  }
  for (const ThrottleReason& reason : kThrottleReasons) {
    if ((reasons & reason.bit) != 0) names.emplace_back(reason.name);
  }
  return names;
}

std::map<std::string, std::string> NvmlDevice::facts() const {
  if (!unavailable_.empty()) return {{"nvml", unavailable_}};
  std::map<std::string, std::string> facts;
  const auto put = [&](const char* name, const std::optional<double>& value) {
    if (value) facts[name] = fmt::format("{:g}", *value);
  };
  std::array<char, 96> text{};
  if (impl_->call<Result(char*, unsigned)>("nvmlSystemGetDriverVersion", text.data(),
                                           static_cast<unsigned>(text.size() - 1)) == kSuccess) {
    facts["driver"] = text.data();
  }
  if (impl_->call<Result(Handle, char*, unsigned)>("nvmlDeviceGetUUID", impl_->device, text.data(),
                                                   static_cast<unsigned>(text.size() - 1)) ==
      kSuccess) {
    facts["gpu_number"] = hash_hex(text.data()).substr(0, kNumberDigits);
  }
  int ecc = 0;
  int pending = 0;
  if (impl_->call<Result(Handle, int*, int*)>("nvmlDeviceGetEccMode", impl_->device, &ecc,
                                              &pending) == kSuccess) {
    facts["ecc"] = ecc != 0 ? "on" : "off";
  }
  if (impl_->is_sliced()) {
    facts["mig"] = "a slice: clocks are those of the whole GPU, and its power is not the slice's";
  }
  put("power_limit_watts", impl_->number("nvmlDeviceGetEnforcedPowerLimit", 1e-3));
  put("highest_sm_clock_mhz", impl_->number_of("nvmlDeviceGetMaxClockInfo", kSmClock));
  put("highest_memory_clock_mhz", impl_->number_of("nvmlDeviceGetMaxClockInfo", kMemoryClock));
  return facts;
}

}  // namespace msda
