// A Record is what one cell left: written as one JSON line as soon as the cell ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <msda/operator.hpp>

#include "facts/code.hpp"
#include "facts/conditions.hpp"
#include "facts/evidence.hpp"
#include "facts/power_draw.hpp"
#include "facts/samples.hpp"
#include "facts/timing_mode.hpp"

namespace msda {

/// What to_json() writes, as record_schema() says. record_from_json() reads this and every earlier
/// version.
inline constexpr int kRecordSchema = 4;

enum class CellStatus {
  kOk,       ///< verified before and after, timed
  kWrong,    ///< verification failed: has no time
  kSkipped,  ///< a variant declared itself unsupported, or the mode does not exist on the device
  kFailed,   ///< an error with a message (compilation, allocation)
  kCrashed,  ///< the worker died, or a sticky device error
  kHung,     ///< no sign of life within the time-out
  kInterrupted,  ///< something outside the run killed the worker; it runs again on resume
  kImpossible,   ///< right, and faster than its device can be: has no time
};
std::string_view name_of(CellStatus status);

template <>
struct Named<CellStatus> {
  using S = CellStatus;
  static constexpr const char* kWhat = "status";
  static constexpr std::array kValues = {S::kOk,      S::kWrong, S::kSkipped,     S::kFailed,
                                         S::kCrashed, S::kHung,  S::kInterrupted, S::kImpossible};
};

/// One worker process that a cell ran in.
struct ProcessRun {
  int process = 0;                  ///< unique among the processes of a problem in a mode
  std::vector<std::string> inputs;  ///< content hashes of its input sets
  double measured_seconds = 0;      ///< of the blocks of all arms together, by the wall clock
  /// Of the device before the first and after the last block; absent where it does not tell.
  std::optional<Conditions> before;
  std::optional<Conditions> after;
  /// Of this arm, after the blocks; absent where nobody asked, or the device does not count.
  std::optional<PowerDraw> power{};
  /// Hash of the first input's output: equal for arms whose outputs have the same bits. "" where it
  /// is not right, of copies, and in records of earlier versions.
  std::string output{};
  /// How many processors threads of other arms kept busy while this one was timed, by their arm;
  /// those alone that did.
  std::map<std::string, double> foreign_processors{};
};

/// "problem/arm/mode": names a cell in records, messages and ranges.
inline std::string cell_name(const std::string& problem, const std::string& arm, TimingMode mode) {
  return problem + "/" + arm + "/" + std::string(name_of(mode));
}
/// How far one output was from the truth, at most, over all verifications.
struct OutputError {
  std::string name;  ///< "output", as the operator calls it
  double relative_l2 = 0;
  double tolerance = 0;  ///< of relative_l2
  double maximum_absolute = 0;
  /// The largest error of a row, and of an element, over what rounding can do to it: above 1 is
  /// wrong.
  double row_error = 0;
  double element_error = 0;
  std::vector<std::int64_t> worst_element;  ///< indices of the latter; empty where none is off
  double spread = 0;          ///< relative L2 difference between two runs on the same input
  std::int64_t on_knots = 0;  ///< elements with two right results, of which the nearer one counts

  /// Keeps the larger of each error; one that is no number stays one.
  void take_worse(const OutputError& other);
};

struct Record {
  std::string cell;     ///< unique in a run: "problem/arm/mode"
  std::string problem;  ///< label in the experiment
  std::string arm;
  std::string composition;  ///< Composition::describe()
  TimingMode mode = kUsualMode;
  std::string device;  ///< id
  /// How many devices share the batch, from that one on; absent where it has all of it.
  std::optional<int> devices;
  CellStatus status = CellStatus::kFailed;
  std::string reason;  ///< for every status but ok
  std::string phase;   ///< where it ended, "measure"; "" for ok
  bool baseline = false;
  std::string op = "forward";        ///< the operator that the arm computes
  std::vector<OutputError> outputs;  ///< in the operator's order; empty where nothing was judged
  /// Against the result that came with the input (output.npy); absent when none did.
  std::optional<double> expected_relative_l2;
  /// Of a cell that crashed or hung: those that were there when it did; they are no time.
  std::vector<SampleBlock> samples;
  /// In the order in which they ended; those of `samples` are among them.
  std::vector<ProcessRun> processes;
  /// "blocks": all were run; "budget": the time ran out first; "halving": others were
  /// faster, in a search; "" without a time.
  std::string stopped_by;
  /// Pre-passes in order, the main kernel last; empty where a launch has one part, and in graphs.
  std::vector<PartTimes> parts;
  ResourceUse resources;
  std::optional<Compilation> compilation;  ///< absent for kernels, and when it failed
  std::optional<Evidence> evidence;        ///< that its mechanism runs; absent where nobody asked
  double prepare_seconds = 0;              ///< of loading, after compilation
  Traffic traffic;                         ///< of one call

  /// Of the output that is furthest from the truth, measured by its tolerance; zeros without one.
  const OutputError& worst_output() const;
};

nlohmann::json to_json(const Record& record);
/// The same without "samples" and "parts", which are most of it.
nlohmann::json to_json_without_samples(const Record& record);
/// Throws UsageError naming the missing or ill-typed field, or a later schema version.
Record record_from_json(const nlohmann::json& json);
/// The JSON Schema (draft 7) of what to_json() writes.
nlohmann::json record_schema();

/// What two records of one cell say together: the samples of all processes, and of a process that
/// both have those of `later`. The status is that of a record that is not ok, if there is one and
/// `later` does not replace it, as it does one that was interrupted.
Record joined(Record earlier, Record later);

/// Appends one line and has it on the disk before it returns; throws EnvironmentError when it
/// cannot.
class RecordWriter {
 public:
  /// Creates the file when it is not there and cuts off a torn last line.
  explicit RecordWriter(const std::filesystem::path& file);
  void write(const Record& record);

 private:
  std::filesystem::path file_;
};

/// All records in the order their cells first appeared, those of one cell joined. A torn last line
/// is ignored. Throws UsageError with file and line for anything else that is broken.
std::vector<Record> read_records(const std::filesystem::path& file);

/// Writes a file of these records, all at once. Throws EnvironmentError.
void write_records(const std::filesystem::path& file, const std::vector<Record>& records);

}  // namespace msda
