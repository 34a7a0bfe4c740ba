// Records to JSON and back. Numbers that JSON cannot hold (NaN, infinity) become null and return as
// NaN.
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "results/record.hpp"

namespace msda {
namespace {

using nlohmann::json;

constexpr std::array kStatuses = {
    CellStatus::kOk,      CellStatus::kWrong, CellStatus::kSkipped,     CellStatus::kFailed,
    CellStatus::kCrashed, CellStatus::kHung,  CellStatus::kInterrupted, CellStatus::kImpossible};

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json samples_to_json(const std::vector<SampleBlock>& samples) {
  json blocks = json::array();
  for (const SampleBlock& block : samples) {
    json& object = blocks.emplace_back(
        json{{"process", block.process}, {"block", block.block}, {"seconds", block.seconds}});
    if (!block.throttled.empty()) object["throttled"] = block.throttled;
  }
  return blocks;
}

json conditions_to_json(const Conditions& conditions) {
  json object = {{"throttled", conditions.throttled}};
  const auto put = [&](const char* name, const std::optional<double>& value) {
    if (value) object[name] = number(*value);
  };
  put("sm_clock_mhz", conditions.sm_clock_mhz);
  put("memory_clock_mhz", conditions.memory_clock_mhz);
  put("temperature_celsius", conditions.temperature_celsius);
  put("power_watts", conditions.power_watts);
  return object;
}

json processes_to_json(const std::vector<ProcessRun>& processes) {
  json array = json::array();
  for (const ProcessRun& run : processes) {
    json& object = array.emplace_back(json{{"process", run.process},
                                           {"inputs", run.inputs},
                                           {"measured_seconds", number(run.measured_seconds)}});
    if (run.before) object["before"] = conditions_to_json(*run.before);
    if (run.after) object["after"] = conditions_to_json(*run.after);
  }
  return array;
}

json parts_to_json(const std::vector<PartTimes>& parts) {
  json array = json::array();
  for (const PartTimes& part : parts) {
    json& object =
        array.emplace_back(json{{"name", part.name}, {"samples", samples_to_json(part.samples)}});
    if (part.outside) object["outside"] = true;
  }
  return array;
}

json compilation_to_json(const Compilation& compilation) {
  return {{"seconds", number(compilation.seconds)}, {"from_cache", compilation.from_cache}};
}

json resources_to_json(const ResourceUse& use) {
  return {{"registers", use.registers},
          {"static_shared_bytes", use.static_shared_bytes},
          {"dynamic_shared_bytes", use.dynamic_shared_bytes},
          {"spill_bytes", use.spill_bytes},
          {"cubin_hash", use.cubin_hash}};
}

/// A JSON object under its name in messages: "record field 'resources.registers' ...".
class Fields {
 public:
  Fields(const json& object, std::string prefix) : object_(object), prefix_(std::move(prefix)) {
    if (!object_.is_object()) {
      throw UsageError(fmt::format("record{} is not a JSON object: {}",
                                   prefix_.empty() ? "" : " field '" + prefix_ + "'",
                                   object_.dump().substr(0, 60)));
    }
  }

  const json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end())
      throw UsageError(fmt::format("record lacks field '{}'", full(name)));
    return *found;
  }

  std::string text(const char* name) const {
    const json& value = at(name);
    if (!value.is_string()) wrong_type(name, "a string", value);
    return value.get<std::string>();
  }

  bool boolean(const char* name) const {
    const json& value = at(name);
    if (!value.is_boolean()) wrong_type(name, "true or false", value);
    return value.get<bool>();
  }

  double real(const char* name) const {
    const json& value = at(name);
    if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value.is_number()) wrong_type(name, "a number", value);
    return value.get<double>();
  }

  template <class Integer>
  Integer integer(const char* name) const {
    const json& value = at(name);
    if (!value.is_number_integer()) wrong_type(name, "an integer", value);
    return value.get<Integer>();
  }

  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> list;
    for (const json& value : array(name)) {
      if (!value.is_string()) wrong_type(name, "a list of strings", array(name));
      list.push_back(value.get<std::string>());
    }
    return list;
  }

  std::vector<std::int64_t> integers(const char* name) const {
    std::vector<std::int64_t> list;
    for (const json& value : array(name)) {
      if (!value.is_number_integer()) wrong_type(name, "a list of integers", array(name));
      list.push_back(value.get<std::int64_t>());
    }
    return list;
  }

  bool has(const char* name) const { return object_.contains(name); }

  const json& array(const char* name) const {
    const json& value = at(name);
    if (!value.is_array()) wrong_type(name, "a list", value);
    return value;
  }

 private:
  std::string full(const char* name) const {
    return prefix_.empty() ? std::string(name) : prefix_ + "." + name;
  }

  [[noreturn]] void wrong_type(const char* name, const char* expected, const json& value) const {
    throw UsageError(fmt::format("record field '{}' must be {}, not {}", full(name), expected,
                                 value.dump().substr(0, 60)));
  }

  const json& object_;
  std::string prefix_;
};

CellStatus parse_status(const std::string& text) {
  for (const CellStatus status : kStatuses) {
    if (name_of(status) == text) return status;
  }
  throw UsageError(
      fmt::format("record field 'status' must be ok, wrong, skipped, failed, crashed, hung or "
                  "impossible, not '{}'",
                  text));
}

SampleBlock sample_block(const json& object) {
  const Fields fields(object, "samples");
  SampleBlock block;
  block.process = fields.integer<int>("process");
  block.block = fields.integer<int>("block");
  for (const json& value : fields.array("seconds")) {
    if (!value.is_number()) {
      throw UsageError("record field 'samples.seconds' must hold numbers, not " + value.dump());
    }
    block.seconds.push_back(value.get<double>());
  }
  if (fields.has("throttled")) block.throttled = fields.texts("throttled");
  return block;
}

std::vector<SampleBlock> sample_blocks(const json& array) {
  std::vector<SampleBlock> blocks;
  for (const json& block : array) blocks.push_back(sample_block(block));
  return blocks;
}

Conditions conditions_from_json(const json& object, const std::string& name) {
  const Fields fields(object, "processes." + name);
  Conditions conditions;
  const auto take = [&](const char* field, std::optional<double>& value) {
    if (fields.has(field)) value = fields.real(field);
  };
  take("sm_clock_mhz", conditions.sm_clock_mhz);
  take("memory_clock_mhz", conditions.memory_clock_mhz);
  take("temperature_celsius", conditions.temperature_celsius);
  take("power_watts", conditions.power_watts);
  conditions.throttled = fields.texts("throttled");
  return conditions;
}

ProcessRun process_run(const json& object) {
  const Fields fields(object, "processes");
  ProcessRun run;
  run.process = fields.integer<int>("process");
  run.inputs = fields.texts("inputs");
  run.measured_seconds = fields.real("measured_seconds");
  if (fields.has("before")) run.before = conditions_from_json(fields.at("before"), "before");
  if (fields.has("after")) run.after = conditions_from_json(fields.at("after"), "after");
  return run;
}

PartTimes part_times(const json& object) {
  const Fields fields(object, "parts");
  return {fields.text("name"), sample_blocks(fields.array("samples")),
          fields.has("outside") && fields.boolean("outside")};
}

Compilation compilation_from_json(const json& object) {
  const Fields fields(object, "compilation");
  return {fields.real("seconds"), fields.boolean("from_cache")};
}

ResourceUse resource_use(const json& object) {
  const Fields fields(object, "resources");
  ResourceUse use;
  use.registers = fields.integer<int>("registers");
  use.static_shared_bytes = fields.integer<std::int64_t>("static_shared_bytes");
  use.dynamic_shared_bytes = fields.integer<std::int64_t>("dynamic_shared_bytes");
  use.spill_bytes = fields.integer<std::int64_t>("spill_bytes");
  use.cubin_hash = fields.text("cubin_hash");
  return use;
}

/// The record's version, from 1 to kRecordSchema.
int check_schema(const Fields& fields) {
  const int schema = fields.integer<int>("schema");
  if (schema < 1 || schema > kRecordSchema) {
    throw UsageError(fmt::format(
        "record has schema {}; this program reads schemas 1 to {}: use the version of msda that "
        "wrote it, or a later one",
        schema, kRecordSchema));
  }
  return schema;
}

/// What version 2 brought.
void read_processes(const Fields& fields, Record& record) {
  record.phase = fields.text("phase");
  for (const json& run : fields.array("processes")) record.processes.push_back(process_run(run));
}

/// What version 3 brought, with the status "impossible".
void read_local_errors(const Fields& fields, Record& record) {
  record.row_error = fields.real("row_error");
  record.element_error = fields.real("element_error");
  record.worst_element = fields.integers("worst_element");
}

/// Version 1 told a process only by its number beside the samples.
void derive_processes(Record& record) {
  std::set<int> numbers;
  for (const SampleBlock& block : record.samples) numbers.insert(block.process);
  for (const int number : numbers) {
    ProcessRun& run = record.processes.emplace_back();
    run.process = number;
  }
}

}  // namespace

std::string_view name_of(CellStatus status) {
  switch (status) {
    case CellStatus::kOk: return "ok";
    case CellStatus::kWrong: return "wrong";
    case CellStatus::kSkipped: return "skipped";
    case CellStatus::kFailed: return "failed";
    case CellStatus::kCrashed: return "crashed";
    case CellStatus::kHung: return "hung";
    case CellStatus::kInterrupted: return "interrupted";
    case CellStatus::kImpossible: return "impossible";
  }
  return "?";
}

json to_json_without_samples(const Record& record) {
  json object = {{"schema", kRecordSchema},
                 {"cell", record.cell},
                 {"problem", record.problem},
                 {"arm", record.arm},
                 {"composition", record.composition},
                 {"mode", name_of(record.mode)},
                 {"device", record.device},
                 {"status", name_of(record.status)},
                 {"reason", record.reason},
                 {"phase", record.phase},
                 {"processes", processes_to_json(record.processes)},
                 {"baseline", record.baseline},
                 {"relative_l2", number(record.relative_l2)},
                 {"maximum_absolute", number(record.maximum_absolute)},
                 {"tolerance", number(record.tolerance)},
                 {"row_error", number(record.row_error)},
                 {"element_error", number(record.element_error)},
                 {"worst_element", record.worst_element},
                 {"stopped_by", record.stopped_by},
                 {"resources", resources_to_json(record.resources)},
                 {"prepare_seconds", number(record.prepare_seconds)},
                 {"minimum_dram_bytes", record.minimum_dram_bytes},
                 {"gathered_bytes", record.gathered_bytes},
                 {"flops", record.flops}};
  if (record.expected_relative_l2) {
    object["expected_relative_l2"] = number(*record.expected_relative_l2);
  }
  if (record.compilation) object["compilation"] = compilation_to_json(*record.compilation);
  return object;
}

json to_json(const Record& record) {
  json object = to_json_without_samples(record);
  object["samples"] = samples_to_json(record.samples);
  if (!record.parts.empty()) object["parts"] = parts_to_json(record.parts);
  return object;
}

Record record_from_json(const json& object) {
  const Fields fields(object, "");
  const int schema = check_schema(fields);
  Record record;
  record.cell = fields.text("cell");
  record.problem = fields.text("problem");
  record.arm = fields.text("arm");
  record.composition = fields.text("composition");
  try {
    record.mode = parse_timing_mode(fields.text("mode"));
  } catch (UsageError& error) {
    error.add_context("record field 'mode'");
    throw;
  }
  record.device = fields.text("device");
  record.status = parse_status(fields.text("status"));
  record.reason = fields.text("reason");
  record.baseline = fields.boolean("baseline");
  record.relative_l2 = fields.real("relative_l2");
  record.maximum_absolute = fields.real("maximum_absolute");
  record.tolerance = fields.real("tolerance");
  record.samples = sample_blocks(fields.array("samples"));
  if (schema == 1) {
    derive_processes(record);
  } else {
    read_processes(fields, record);
  }
  if (schema >= 3) read_local_errors(fields, record);
  record.stopped_by = fields.text("stopped_by");
  record.resources = resource_use(fields.at("resources"));
  record.prepare_seconds = fields.real("prepare_seconds");
  record.minimum_dram_bytes = fields.integer<std::int64_t>("minimum_dram_bytes");
  record.gathered_bytes = fields.integer<std::int64_t>("gathered_bytes");
  record.flops = fields.integer<std::int64_t>("flops");
  if (object.contains("expected_relative_l2")) {
    record.expected_relative_l2 = fields.real("expected_relative_l2");
  }
  if (object.contains("parts")) {
    for (const json& part : fields.array("parts")) record.parts.push_back(part_times(part));
  }
  if (object.contains("compilation")) {
    record.compilation = compilation_from_json(object.at("compilation"));
  }
  return record;
}

}  // namespace msda
