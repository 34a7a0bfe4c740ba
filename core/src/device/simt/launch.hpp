// One launch of a kernel that was compiled for the host, run lane by lane.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/simt/fault.hpp"
#include "device/simt/memory.hpp"
#include "device/simt/recorder.hpp"

namespace msda::simt {

/// How a launch is run.
struct Options {
  std::uint64_t seed =
      0;               ///< of the order in which threads run; 0: by number, and as long as it goes
  bool races = false;  ///< also look for shared-memory races
  /// Basic blocks that the threads of a cluster may run while nothing changes: so many in all, and
  /// as many for each thread.
  std::int64_t spin_steps = 20'000'000;
  std::int64_t spin_steps_of_thread = 20'000;
  std::int64_t total_steps = 40'000'000'000;  ///< of a cluster in all
  /// Runs only the blocks that work on the last image of the batch; workspaces begin as zeros.
  bool last_image = false;
  bool count = false;  ///< what the threads do (recorder.hpp)
};

/// Blocks [first, last) of a grid.
struct Blocks {
  unsigned first;
  unsigned last;
};

/// What a launch did.
struct Counts {
  std::map<std::string, std::uint64_t> accesses;  ///< of global memory, by the buffer's name
  Numbers numbers;                                ///< of a grid that is counted
};

/// Code and geometry of a kernel.
struct Grid {
  void (*kernel)(const void* arguments) = nullptr;
  unsigned blocks = 1;
  std::optional<Subject> counted;  ///< what its threads do is counted when this is there
  std::optional<Blocks> part;      ///< the blocks that run, whole clusters; all when empty
  unsigned threads = 1;            ///< per block
  unsigned cluster = 1;            ///< blocks per cluster; divides `blocks`
  std::size_t shared_bytes = 0;    ///< dynamic, per block
  bool dependent = false;          ///< may begin while the launch before it runs
};

/// The file that holds the code, and where it lies in memory: for messages, and because its
/// constants may be read.
struct Image {
  std::filesystem::path file;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Runs the grid, cluster by cluster, in the calling thread; one launch of a unit at a time.
/// `attach` is the unit's msda_simt_attach. Throws Fault for the first thing that is wrong.
Counts run(const Grid& grid, const void* arguments, const Image& image, void (*attach)(const void*),
           std::vector<Buffer> buffers, const Options& options);

}  // namespace msda::simt
