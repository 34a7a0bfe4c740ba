#include "runner/import/nvbench.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <msda/error.hpp>

#include "files/read.hpp"
#include "json_text.hpp"
#include "nearest.hpp"
#include "plugin/registry.hpp"
#include "version.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kNotNvbench = "not JSON as nvbench writes it";

/// A value that nvbench always writes.
const json& field(const json& object, const char* key) {
  if (object.is_object() && object.contains(key)) return object.at(key);
  throw UsageError(fmt::format("{}: it lacks '{}' where that belongs", kNotNvbench, key));
}

/// A number of nvbench: a string since its JSON's first version, a number before.
double number_of(const json& value) {
  if (!value.is_string()) return value.get<double>();
  const std::string text = value;
  std::size_t read = 0;
  double number = 0;
  try {
    number = std::stod(text, &read);
  } catch (const std::logic_error&) {  // no number, or one that no double is
    read = 0;
  }
  if (read > 0 && read == text.size()) return number;
  throw UsageError(fmt::format("it has a number that is none: '{}'", shortened(text)));
}

/// The number of the device that a state was measured on.
int device_of(const json& state) {
  const json& device = field(state, "device");
  if (!device.is_number_float()) return device.get<int>();
  throw UsageError(fmt::format("a state's device is {}, which is no integer", json_text(device)));
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

/// The value called `name` in a list of {name, type, value}, or null.
json named_value(const json& list, const std::string& name) {
  for (const json& entry : list) {
    if (field(entry, "name") == name) return field(entry, "value");
  }
  return {};
}

/// A state's summary by its tag, or null.
const json* find_summary(const json& state, const std::string& tag) {
  for (const json& summary : field(state, "summaries")) {
    if (summary.value("tag", "") == tag) return &summary;
  }
  return nullptr;
}

/// A summary's one value in seconds.
std::optional<double> seconds_of(const json& state, const std::string& tag) {
  const json* summary = find_summary(state, tag);
  if (summary == nullptr || !summary->contains("data")) return std::nullopt;
  const json value = named_value(summary->at("data"), "value");
  if (value.is_null()) return std::nullopt;
  return number_of(value);
}

/// Throws at what is no time of a launch; `where` names its place.
void check_times(const std::vector<double>& seconds, const std::string& where) {
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (std::isfinite(seconds[i]) && seconds[i] > 0) continue;
    throw UsageError(
        fmt::format("{}: time {} of {} is {} s", where, i + 1, seconds.size(), seconds[i]));
  }
}

/// Numbers as --jsonbin writes them: float32, little-endian.
std::vector<double> read_samples(const fs::path& file) {
  const std::string bytes = read_text(file);
  std::vector<float> samples(bytes.size() / sizeof(float));
  if (samples.empty()) throw UsageError(fmt::format("{} has no samples", file.string()));
  if (bytes.size() % sizeof(float) != 0) {
    throw UsageError(fmt::format("{} is cut off in the middle of a sample", file.string()));
  }
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
  std::vector<double> seconds(samples.begin(), samples.end());
  check_times(seconds, file.string());
  return seconds;
}

/// The isolated samples, or their mean where the file has no more.
std::vector<double> cold_samples(const json& state, const fs::path& beside) {
  if (const json* summary = find_summary(state, "nv/json/bin:nv/cold/sample_times")) {
    const json name =
        summary->contains("data") ? named_value(summary->at("data"), "filename") : json();
    if (name.is_string()) return read_samples(beside / name.get<std::string>());
  }
  const auto mean = seconds_of(state, "nv/cold/time/gpu/mean");
  return mean ? std::vector{*mean} : std::vector<double>();
}

std::vector<double> warm_samples(const json& state) {
  const auto mean = seconds_of(state, "nv/batch/time/gpu/mean");
  return mean ? std::vector{*mean} : std::vector<double>();
}

/// A name that can stand in "problem/arm/mode".
std::string as_label(const std::string& text) {
  std::string label;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    label += c == '/' || std::isspace(byte) != 0 || std::iscntrl(byte) != 0 ? '_' : c;
  }
  return label.empty() ? "nvbench" : label;
}

/// What a state's axes and benchmark come to: an arm and the label of a problem.
struct Place {
  std::string arm;
  std::string problem;
};

Place place_of(const json& benchmark, const json& state, const NvbenchOptions& options,
               bool several_benchmarks) {
  const std::string name = field(benchmark, "name");
  std::vector<std::string> rest;
  std::optional<std::string> arm;
  if (options.arm_axis && several_benchmarks) rest.push_back(name);
  for (const json& axis : state.value("axis_values", json::array())) {
    const std::string axis_name = field(axis, "name");
    const std::string value = text_of(field(axis, "value"));
    if (axis_name == options.arm_axis) {
      arm = value;
    } else {
      rest.push_back(fmt::format("{}={}", axis_name, value));
    }
  }
  if (options.arm_axis && !arm) {
    throw UsageError(fmt::format("benchmark '{}' has no axis '{}'", name, *options.arm_axis));
  }
  const std::string problem = rest.empty() ? name : fmt::format("{}", fmt::join(rest, ","));
  return {as_label(arm.value_or(name)), as_label(problem)};
}

/// The state's device must be the one asked for, or the only one.
bool is_wanted(const json& state, const NvbenchOptions& options) {
  return !options.device || device_of(state) == *options.device;
}

void check_devices(const json& root, const NvbenchOptions& options) {
  std::set<int> ids;
  for (const json& benchmark : field(root, "benchmarks")) {
    for (const json& state : field(benchmark, "states")) ids.insert(device_of(state));
  }
  if (options.device && !ids.contains(*options.device)) {
    throw UsageError(fmt::format("there are no measurements of device {}; there are: {}",
                                 *options.device, fmt::join(ids, ", ")));
  }
  if (!options.device && ids.size() > 1) {
    throw UsageError(fmt::format("it has measurements of devices {}: choose one with --device-id",
                                 fmt::join(ids, ", ")));
  }
}

class Importer {
 public:
  Importer(const fs::path& file, const NvbenchOptions& options, json root)
      : file_(file), options_(options), root_(std::move(root)) {}

  ImportedRun run() {
    check_devices(root_, options_);
    const json& benchmarks = field(root_, "benchmarks");
    for (const json& benchmark : benchmarks) {
      for (const json& state : field(benchmark, "states")) {
        if (!is_wanted(state, options_)) continue;
        add(state, place_of(benchmark, state, options_, benchmarks.size() > 1));
      }
    }
    if (records_.empty()) throw UsageError("it has no measurement of the GPU's time");
    mark_baseline();
    return {manifest(), std::move(records_)};
  }

 private:
  void add(const json& state, const Place& place) {
    if (state.value("is_skipped", false)) {
      Record& record = add_record(state, place, TimingMode::kCold);
      record.status = CellStatus::kSkipped;
      record.reason = state.value("skip_reason", "nvbench skipped it");
      return;
    }
    const auto add_timed = [&](TimingMode mode, std::vector<double> seconds) {
      if (seconds.empty()) return;
      Record& record = add_record(state, place, mode);
      check_times(seconds, fmt::format("state '{}', mode {}", shortened(state.value("name", "")),
                                       name_of(mode)));
      record.status = CellStatus::kOk;
      record.samples = {{0, 0, std::move(seconds)}};
    };
    add_timed(TimingMode::kCold, cold_samples(state, file_.parent_path()));
    add_timed(TimingMode::kWarm, warm_samples(state));
  }

  Record& add_record(const json& state, const Place& place, TimingMode mode) {
    Record record;
    record.cell = fmt::format("{}/{}/{}", place.problem, place.arm, name_of(mode));
    if (!cells_.insert(record.cell).second) {
      throw UsageError(fmt::format(
          "two states come to the cell '{}': choose the axis that tells the arms apart with --arm",
          record.cell));
    }
    record.problem = place.problem;
    record.arm = place.arm;
    record.composition = place.arm;
    record.mode = mode;
    device_ = device_of(state);
    record.device = device_id();
    record.processes.emplace_back();
    if (std::find(arms_.begin(), arms_.end(), place.arm) == arms_.end()) arms_.push_back(place.arm);
    return records_.emplace_back(std::move(record));
  }

  void mark_baseline() {
    const std::string baseline = options_.baseline.value_or(arms_.front());
    if (std::find(arms_.begin(), arms_.end(), baseline) == arms_.end()) {
      throw_no_such_name("arm", baseline, arms_);
    }
    for (Record& record : records_) record.baseline = record.arm == baseline;
  }

  std::string device_id() const { return fmt::format("cuda:{}", device_); }

  DeviceInfo device() const {
    DeviceInfo info{device_id(), "?", DeviceKind::kCuda};
    for (const json& device : root_.value("devices", json::array())) {
      if (device.value("id", -1) == device_) info.name = device.value("name", info.name);
    }
    return info;
  }

  Manifest manifest() const {
    Manifest manifest;
    manifest.schema = kManifestSchema;
    manifest.program_version = kVersion;
    manifest.name = file_.stem().string();
    manifest.summary = "measured by nvbench";
    manifest.imported_from = {{"format", "nvbench"}, {"meta", root_.value("meta", json())}};
    manifest.status = run_status::kComplete;
    manifest.device = device();
    for (const std::string& arm : arms_) manifest.arms.push_back({arm, {}, arm});
    for (const Record& record : records_) manifest.plan.cells.push_back(record.cell);
    manifest.plan.notes = {
        "These measurements were imported from nvbench: arms did not run in interleaved blocks, "
        "and "
        "nothing verified their outputs."};
    return manifest;
  }

  const fs::path& file_;
  const NvbenchOptions& options_;
  json root_;
  std::vector<Record> records_;
  std::vector<std::string> arms_;
  std::set<std::string> cells_;
  int device_ = 0;  ///< of the states taken, which is one
};

}  // namespace

ImportedRun import_nvbench(const fs::path& file, const NvbenchOptions& options) {
  const std::string text = read_text(file);
  try {
    return Importer(file, options, parse_json(text)).run();
  } catch (const json::parse_error& error) {
    throw UsageError(
        fmt::format("{}: not JSON: it is wrong from byte {} on", file.string(), error.byte));
  } catch (const json::exception&) {
    throw UsageError(fmt::format("{}: {}: a value is of another type", file.string(), kNotNvbench));
  } catch (UsageError& error) {
    error.add_context(file.string());
    throw;
  }
}

}  // namespace msda
