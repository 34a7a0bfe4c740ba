// A Device owns memory and time: what verification and measurement need of the machine they run on.
// Three implementations: the host (wall clock), CUDA (events, graphs, L2 flush), and the executor
// that checks kernels without a GPU and measures nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <msda/variant.hpp>

#include "compose/composition.hpp"
#include "facts/ceilings.hpp"
#include "facts/code.hpp"
#include "facts/conditions.hpp"
#include "facts/timing_mode.hpp"

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
  /// Reads `bytes` from `offset` on. Throws Error beyond size().
  virtual void download_part(std::size_t offset, void* host, std::size_t bytes) const = 0;
  /// Writes `bytes` from `offset` on; the same error.
  virtual void upload_part(std::size_t offset, const void* host, std::size_t bytes) = 0;
  virtual void fill(int byte) = 0;

 protected:
  /// What the copies refuse, each with an Error that has the numbers.
  void check_size(std::size_t bytes) const;
  void check_part(std::size_t offset, std::size_t bytes) const;
};

/// A composition's code, compiled and not yet loaded (compiled_unit.hpp).
struct CompiledUnit;

/// What Device::compile() leaves.
struct Build {
  std::shared_ptr<const CompiledUnit> unit;  ///< null for a kernel, whose plugin holds its code
  Compilation compilation;
};

/// An executable together with what is known of how it was built.
struct Prepared {
  std::unique_ptr<Executable> executable;
  ResourceUse resources;
  std::vector<LaunchPart> parts;  ///< Executable::parts()
};

/// Asks the executable for its parts.
inline Prepared make_prepared(std::unique_ptr<Executable> executable, ResourceUse resources = {}) {
  std::vector<LaunchPart> parts = executable->parts();
  return {std::move(executable), std::move(resources), std::move(parts)};
}

/// What is done around launches of a series, outside of every timed interval. A watched launch is
/// one like any other: nothing that it is given tells it apart.
class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;
  /// Enqueue what comes before and after launch `launch`, without waiting; a capture may be going
  /// on.
  virtual void before(int launch) = 0;
  virtual void after(int launch) = 0;
  /// A random number below `count`: which launches are watched must not be known.
  virtual int draw(int count) = 0;
  /// Launches rotate over so many input sets: launch i is of set i modulo sets().
  virtual int sets() const = 0;
  /// Whose launches they are: the same in all series of an arm. Null: in this series alone.
  virtual const void* arm() const { return nullptr; }
};

/// What code may set of a device, or of its stream, for all code that runs after it: limits, and
/// what memory its second-level cache keeps.
class DeviceSettings {
 public:
  virtual ~DeviceSettings() = default;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// The settings as they are; null where a device has none.
  virtual std::unique_ptr<const DeviceSettings> settings() { return nullptr; }
  /// Makes the settings what settings() of this device returned, as far as the device lets it.
  virtual void apply(const DeviceSettings&) {}
  virtual std::int64_t free_bytes() const = 0;
  virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
  /// A hash of what each memory holds; one device's hashes compare with its own alone. Waits for
  /// the stream.
  virtual std::vector<std::string> fingerprints(std::span<DeviceMemory* const> memory);
  virtual Stream stream() const = 0;
  /// Waits for what is on stream(), which is all that a timed interval sees; throws as
  /// synchronize() does.
  virtual void wait() { synchronize(); }
  /// Waits for all work; throws Error on an asynchronous failure.
  virtual void synchronize() = 0;

  /// The first of two steps towards an executable: compiles a composed kernel without touching the
  /// device, so that several threads may call it at a time. Throws Unsupported with the
  /// composition's own reason, and what the compiler says of an error.
  virtual Build compile(const Composition& composition, const Problem& problem) = 0;
  /// The second step: loads what compile() built of the same arguments, or has a kernel prepare
  /// itself. Throws Unsupported when the device lacks what the code needs, such as shared memory.
  virtual Prepared load(const Composition& composition, const Problem& problem,
                        const Build& build) = 0;
  /// Both steps.
  Prepared prepare(const Composition& composition, const Problem& problem) {
    return load(composition, problem, compile(composition, problem));
  }

  /// Why the mode does not exist here, or "".
  virtual std::string mode_unsupported(TimingMode mode) const = 0;
  /// Versions of what lies under the program (driver, CUDA runtime, NVRTC, ...), for manifests.
  virtual std::map<std::string, std::string> provenance() const = 0;
  /// Clocks, temperature, power and what holds the clocks back, now; nullopt where nothing tells.
  virtual std::optional<Conditions> conditions() const { return std::nullopt; }
  /// What the device has used since some moment in the past; nullopt where nothing counts it.
  virtual std::optional<double> energy_joules() const { return std::nullopt; }
  /// Conditions::throttled alone, which takes a few microseconds.
  virtual std::vector<std::string> throttled() const { return {}; }
  /// Measures the ceilings once; known_ceilings() tells those to judge by.
  virtual Ceilings measure_ceilings() = 0;
  /// `count` pieces of `bytes`, whose beginnings lie `to_pitch` and `from_pitch` bytes apart.
  struct Pieces {
    std::size_t bytes;
    std::size_t count;
    std::size_t to_pitch;
    std::size_t from_pitch;
  };
  /// Enqueues a copy on stream(), within the device.
  virtual void enqueue_copy(void* to, const void* from, const Pieces& pieces);
  /// Time of each of `samples` launches in seconds. `launch(i)` enqueues launch i (i selects the
  /// rotating input set). Nothing but the launch is inside a timed interval. With a watch the timed
  /// launches are watched, or, where they are too short for that, others among them that are not
  /// timed.
  std::vector<double> time(TimingMode mode, int samples, const std::function<void(int)>& launch,
                           LaunchWatch* watch = nullptr) {
    return time_parts(
               mode, samples, 1, [&](int i, int) { launch(i); }, watch)
        .front();
  }
  /// The same for launches of `parts` parts, each of which is timed: [part][sample]. `launch(i, p)`
  /// enqueues part p of sample i; the parts of a sample follow each other with nothing but the
  /// clock's reading between them. Throws Unsupported for a mode that does not exist here, and for
  /// several parts in a graph.
  virtual std::vector<std::vector<double>> time_parts(TimingMode mode, int samples, int parts,
                                                      const std::function<void(int, int)>& launch,
                                                      LaunchWatch* watch) = 0;
};

/// "cpu", "cuda:0".. as found, and "simt"; never throws.
std::vector<DeviceInfo> list_devices();
/// Why there is no CUDA device ("built without CUDA: ...", "no driver", ...), or "".
std::string cuda_unavailable_reason();
/// `id`: "cpu", "cuda:N", "simt[:SEED[:races]]", or "auto" (cuda:0 if there, else cpu). Throws
/// EnvironmentError.
std::unique_ptr<Device> open_device(std::string_view id);

}  // namespace msda
