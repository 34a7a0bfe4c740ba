// A management library that knows two devices, one of them in slices, for tests; the real one is
// part of a driver.
#include <cstdio>
#include <cstring>

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's.
extern "C" {

struct nvmlDevice_st {};

static nvmlDevice_st the_device;
static nvmlDevice_st in_slices;
static constexpr int kNotFound = 6;

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "123.45");
  return 0;
}

int nvmlDeviceGetUUID(nvmlDevice_st*, char* text, unsigned size) {
  std::snprintf(text, size, "GPU-00000000-0000-0000-0000-000000000000");
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, nvmlDevice_st** device) {
  const bool is_sliced = std::strcmp(id, "0000:5e:00.0") == 0;
  if (std::strcmp(id, "0000:3b:00.0") != 0 && !is_sliced) return kNotFound;
  *device = is_sliced ? &in_slices : &the_device;
  return 0;
}

int nvmlDeviceGetMigMode(nvmlDevice_st* device, unsigned* current, unsigned* pending) {
  *current = *pending = device == &in_slices ? 1 : 0;
  return 0;
}

int nvmlDeviceGetClockInfo(nvmlDevice_st*, int kind, unsigned* mhz) {
  *mhz = kind == 1 ? 1755 : 2619;
  return 0;
}

int nvmlDeviceGetTemperature(nvmlDevice_st*, int, unsigned* celsius) {
  *celsius = 66;
  return 0;
}

int nvmlDeviceGetPowerUsage(nvmlDevice_st*, unsigned* milliwatts) {
  *milliwatts = 700250;
  return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_st*, unsigned long long* millijoules) {
  *millijoules = 5'000'000'250;
  return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_st*, unsigned long long* reasons) {
  *reasons = 0x1 | 0x2 | 0x4 | 0x40;  // idle, clocks set by a user, power cap, hot
  return 0;
}

int nvmlDeviceGetEccMode(nvmlDevice_st*, int* current, int* pending) {
  *current = *pending = 1;
  return 0;
}

// No function for limits: this one is as old as that.
}
// NOLINTEND(readability-identifier-naming)
