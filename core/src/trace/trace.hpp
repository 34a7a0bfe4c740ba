// Ranges that name what the program is doing: for Nsight (NVTX, domain "msda") and for the report
// of a cell that crashed or hung, which quotes the ranges that were open.
//
// A range costs a lock and, under a profiler, a call into it. It therefore opens and closes outside
// every timed interval; keeping to that is the caller's duty.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace msda::trace {

/// What a range stands for; also its NVTX category, so that a profiler can filter by it.
enum class Category : std::uint32_t {
  kExperiment = 1,
  kCell = 2,
  kPhase = 3,
  kBlock = 4,
  kProfiled = 5,  ///< around the launches that a profiler is to count; without a name of its own
  kPart = 6,      ///< one kernel of a launch
  kStep = 7,      ///< of a phase: what it does for one arm, "samples"
};
std::string_view name_of(Category category);

/// A range that is open for the life of the object. Ranges nest, and one thread opens them all.
class Range {
 public:
  /// Named "cell mine/plain/warm", or by its category alone.
  explicit Range(Category category, std::string_view name = "");
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

/// The open ranges, outermost first: "cell mine/plain/warm > phase measure > block 3"; "" without
/// any. Callable from any thread.
std::string open_ranges();

/// How many seconds ranges of steps were open since the last call, by the steps' names; those that
/// are still open come with the next call.
std::map<std::string, double> take_step_seconds();

/// Whether this build hands the ranges to NVTX.
bool has_nvtx();

}  // namespace msda::trace
