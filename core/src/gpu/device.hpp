// A Device owns memory and time: what verification and measurement need of the machine they run on.
// Two implementations: the host (wall clock) and CUDA (events, graphs, L2 flush).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <msda/variant.hpp>

#include "compose/composition.hpp"

namespace msda {

/// Device memory, freed with the object.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual void* data() = 0;
  virtual std::size_t size() const = 0;
  /// Throw Error when `bytes` is not size().
  virtual void upload(const void* host, std::size_t bytes) = 0;
  virtual void download(void* host, std::size_t bytes) const = 0;
  virtual void fill(int byte) = 0;
};

/// cold: caches flushed before each sample. warm: back to back on rotating input sets. graph: a
/// CUDA graph of many launches, time for each.
enum class TimingMode { kCold, kWarm, kGraph };
std::string_view name_of(TimingMode mode);
TimingMode parse_timing_mode(std::string_view name);  ///< throws UsageError

/// What the compiler says of a composed kernel; zeros for others.
struct ResourceUse {
  int registers = 0;  ///< per thread
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t spill_bytes = 0;  ///< stores and loads to local memory
  std::string cubin_hash;
};

/// An executable together with what is known of how it was built.
struct Prepared {
  std::unique_ptr<Executable> executable;
  ResourceUse resources;
};

/// What the device can do at best, in bytes per second: the roofline's two roofs for this operator.
struct Ceilings {
  double dram_bytes_per_second = 0;  ///< copy of buffers far larger than the caches, read + written
  double gather_bytes_per_second = 0;  ///< reads that hit the first-level cache
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual std::int64_t free_bytes() const = 0;
  virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
  virtual Stream stream() const = 0;
  /// Waits for all work; throws Error on an asynchronous failure.
  virtual void synchronize() = 0;
  /// Compiles (composed) or prepares (kernel) for this device. Throws Unsupported when the device
  /// lacks what the composition needs, such as shared memory.
  virtual Prepared prepare(const Composition& composition, const Problem& problem) = 0;

  /// Why the mode does not exist here, or "".
  virtual std::string mode_unsupported(TimingMode mode) const = 0;
  /// Versions of what lies under the program (driver, CUDA runtime, NVRTC, ...), for manifests.
  virtual std::map<std::string, std::string> provenance() const = 0;
  /// Measures the ceilings anew; ceilings() is the cached way.
  virtual Ceilings measure_ceilings() = 0;
  /// Time of each of `samples` launches in seconds. `launch(i)` enqueues sample i (i selects the
  /// rotating input set). Nothing but the launch is inside a timed interval.
  virtual std::vector<double> time(TimingMode mode, int samples,
                                   const std::function<void(int)>& launch) = 0;
};

/// Measured once for each device model, then read from cache_directory()/ceilings.
Ceilings ceilings(Device& device);

/// "cpu" and "cuda:0".. as found; never throws.
std::vector<DeviceInfo> list_devices();
/// Why there is no CUDA device ("built without CUDA: ...", "no driver", ...), or "".
std::string cuda_unavailable_reason();
/// `id`: "cpu", "cuda:N", or "auto" (cuda:0 if there, else cpu). Throws EnvironmentError.
std::unique_ptr<Device> open_device(std::string_view id);

}  // namespace msda
