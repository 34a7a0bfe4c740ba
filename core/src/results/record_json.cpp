// Records to JSON and back. Numbers that JSON cannot hold (NaN, infinity) become null and return as
// NaN.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "json_members.hpp"
#include "results/record.hpp"
#include "results/schema.hpp"

namespace msda {

using nlohmann::json;

template <>
struct JsonFields<SampleBlock> {
  using S = SampleBlock;
  static auto list() {
    return std::tuple(json_field("process", &S::process).at_least(0),
                      json_field("block", &S::block).at_least(0),
                      json_field("seconds", &S::seconds).at_least(0),
                      json_field("throttled", &S::throttled, "why the device held its clocks back")
                          .unless_empty());
  }
};

template <>
struct JsonFields<PartTimes> {
  static auto list() {
    return std::tuple(
        json_field("name", &PartTimes::name), json_field("samples", &PartTimes::samples),
        json_field("outside", &PartTimes::outside, "not in the arm's time").unless_empty());
  }
};

template <>
struct JsonFields<Conditions> {
  using C = Conditions;
  static auto list() {
    return std::tuple(
        json_field("sm_clock_mhz", &C::sm_clock_mhz),
        json_field("memory_clock_mhz", &C::memory_clock_mhz),
        json_field("temperature_celsius", &C::temperature_celsius),
        json_field("power_watts", &C::power_watts),
        json_field("throttled", &C::throttled, "why the device held its clocks back"));
  }
};

template <>
struct JsonFields<PowerDraw> {
  using P = PowerDraw;
  static auto list() {
    return std::tuple(json_field("joules", &P::joules, "of a launch, of the whole device"),
                      json_field("watts", &P::watts), json_field("sm_clock_mhz", &P::sm_clock_mhz));
  }
};

template <>
struct JsonFields<ProcessRun> {
  using P = ProcessRun;
  static auto list() {
    return std::tuple(
        json_field("process", &P::process, "a worker process; unique in a problem and mode")
            .at_least(0),
        json_field("inputs", &P::inputs, "content hashes").matching("^[0-9a-f]{32}$"),
        json_field("output", &P::output,
                   "hash of the first input's output; equal for arms with the same bits")
            .matching("^[0-9a-f]{32}$")
            .unless_empty(),
        json_field("measured_seconds", &P::measured_seconds, "of the blocks of all arms together"),
        json_field("foreign_processors", &P::foreign_processors,
                   "processors that threads of other arms kept busy while this one was timed")
            .unless_empty(),
        json_field("before", &P::before, "the device before the blocks"),
        json_field("after", &P::after, "the device after them"),
        json_field("power", &P::power, "while launches of this arm follow one another"));
  }
};

template <>
struct JsonFields<ResourceUse> {
  using R = ResourceUse;
  static auto list() {
    return std::tuple(json_field("registers", &R::registers).at_least(0),
                      json_field("static_shared_bytes", &R::static_shared_bytes).at_least(0),
                      json_field("dynamic_shared_bytes", &R::dynamic_shared_bytes).at_least(0),
                      json_field("spill_bytes", &R::spill_bytes).at_least(0),
                      json_field("cubin_hash", &R::cubin_hash),
                      json_field("code_hash", &R::code_hash,
                                 "of instructions and launches; equal for arms that are one")
                          .unless_empty());
  }
};

template <>
struct JsonFields<Compilation> : JsonMembers<&Compilation::seconds, &Compilation::from_cache> {};

template <>
struct JsonFields<Evidence> {
  using E = Evidence;
  static auto list() {
    return std::tuple(
        json_field("status", &E::status),
        json_field("missing", &E::missing, "what a vacuous arm did not show"),
        json_field("reason", &E::reason, "why its threads were not counted").unless_empty(),
        json_field("numbers", &E::numbers, "what its threads were counted to do, and opcodes"));
  }
};

template <>
struct JsonFields<OutputError> {
  using O = OutputError;
  static auto list() {
    return std::tuple(
        json_field("name", &O::name),
        json_field("relative_l2", &O::relative_l2,
                   "the largest over all verifications; null for NaN"),
        json_field("tolerance", &O::tolerance,
                   "of relative_l2; derived from what the arm's arithmetic rounds"),
        json_field("maximum_absolute", &O::maximum_absolute),
        json_field("row_error", &O::row_error,
                   "the largest error of a row over what rounding can do to it; above 1 is wrong"),
        json_field("element_error", &O::element_error, "the same of an element"),
        json_field("worst_element", &O::worst_element,
                   "indices of the element with element_error; empty where none is off"),
        json_field("spread", &O::spread, "relative L2 difference between two runs").unless_empty(),
        json_field("on_knots", &O::on_knots,
                   "elements with two right results, of which the nearer one counts")
            .unless_empty());
  }
};

template <>
struct JsonFields<Traffic> {
  using T = Traffic;
  static auto list() {
    return std::tuple(
        json_field("read", &T::read, "bytes of inputs, each once").at_least(0),
        json_field("written", &T::written, "bytes of outputs, each once").at_least(0),
        json_field("accumulated", &T::accumulated, "bytes of outputs that are sums").at_least(0),
        json_field("gathered", &T::gathered, "bytes read through the loop over points").at_least(0),
        json_field("scattered", &T::scattered, "bytes added through that loop").at_least(0),
        json_field("flops", &T::flops).at_least(0),
        json_field("least_read", &T::least_read, "bytes that every right kernel reads").at_least(0),
        json_field("least_written", &T::least_written, "and writes").at_least(0));
  }
};

template <>
struct JsonFields<Record> {
  using R = Record;

  static auto without_samples() {
    return std::tuple(
        json_field("cell", &R::cell, "problem/arm/mode"), json_field("problem", &R::problem),
        json_field("arm", &R::arm), json_field("composition", &R::composition),
        json_field("mode", &R::mode),
        json_field("device", &R::device).matching("^(cpu|cuda:[0-9]+|simt.*)$"),
        json_field("devices", &R::devices, "that share the batch, where there are several")
            .at_least(2),
        json_field("status", &R::status),
        json_field("reason", &R::reason, "of every status but ok"),
        json_field("phase", &R::phase, "where it ended; empty for ok"),
        json_field("baseline", &R::baseline),
        json_field("operator", &R::op, "what the arm computes"),
        json_field("outputs", &R::outputs, "how far each output was from the truth"),
        json_field("expected_relative_l2", &R::expected_relative_l2,
                   "against an output that came with the input"),
        json_field("processes", &R::processes),
        json_field("stopped_by", &R::stopped_by, "empty without a time")
            .matching("^(blocks|budget|halving)?$"),
        json_field("resources", &R::resources), json_field("compilation", &R::compilation),
        json_field("evidence", &R::evidence, "whether the arm's optimizations took effect"),
        json_field("prepare_seconds", &R::prepare_seconds),
        json_field("traffic", &R::traffic, "what one call moves and computes"));
  }

  static auto list() {
    return std::tuple_cat(without_samples(),
                          std::tuple(json_field("samples", &R::samples),
                                     json_field("parts", &R::parts).unless_empty()));
  }
};

namespace {

/// The record's version, 1 to kRecordSchema.
int check_schema(const json& object) {
  const JsonPlace place("record");
  if (!object.is_object()) place.must_be("a JSON object", object);
  const auto found = object.find("schema");
  if (found == object.end()) place.lacks("schema");
  int schema = 0;
  read_json(*found, JsonPlace(place, "schema"), schema);
  if (schema < 1 || schema > kRecordSchema) throw_unknown_schema("record", schema, kRecordSchema);
  return schema;
}

/// Takes a field of an earlier version out of the record; `otherwise` where it had none.
json taken(json& object, const char* field, json otherwise) {
  const auto found = object.find(field);
  if (found == object.end()) return otherwise;
  json value = std::move(*found);
  object.erase(found);
  return value;
}

/// Before version 4 there were one operator and one output.
void name_operator_and_output(json& object) {
  json output{{"name", "output"}};
  for (const char* error : {"relative_l2", "tolerance", "maximum_absolute"}) {
    output[error] = taken(object, error, 0.0);
  }
  for (const char* excess : {"row_error", "element_error"}) {
    output[excess] = taken(object, excess, 0.0);
  }
  output["worst_element"] = taken(object, "worst_element", json::array());
  const json once = taken(object, "minimum_dram_bytes", 0);
  object.update({{"operator", "forward"},
                 {"outputs", json::array({std::move(output)})},
                 {"traffic",
                  {{"read", once},
                   {"written", 0},
                   {"accumulated", 0},
                   {"gathered", taken(object, "gathered_bytes", 0)},
                   {"scattered", 0},
                   {"flops", taken(object, "flops", 0)},
                   {"least_read", 0},
                   {"least_written", 0}}}});
}

/// A record of an earlier version, with what later ones brought.
Record read_earlier_version(json object, int schema) {
  if (schema < 2) object.update({{"phase", ""}, {"processes", json::array()}});
  name_operator_and_output(object);
  auto record = from_json_document<Record>(object, "record");
  if (schema > 1) return record;
  // Version 1 told a process only by its number beside the samples.
  std::set<int> numbers;
  for (const SampleBlock& block : record.samples) numbers.insert(block.process);
  for (const int number : numbers) record.processes.emplace_back().process = number;
  return record;
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

const OutputError& Record::worst_output() const {
  static const OutputError kNone{};
  const OutputError* worst = &kNone;
  double most = -1;
  for (const OutputError& output : outputs) {
    // A NaN error is the worst.
    const double share = output.relative_l2 / std::max(output.tolerance, 1e-300);
    if (share <= most) continue;
    worst = &output;
    most = share;
    if (std::isnan(share)) break;
  }
  return *worst;
}

json to_json_without_samples(const Record& record) {
  json object = write_json_fields(record, JsonFields<Record>::without_samples());
  object["schema"] = kRecordSchema;
  return object;
}

json to_json(const Record& record) {
  json object = write_json(record);
  object["schema"] = kRecordSchema;
  return object;
}

Record record_from_json(const json& object) {
  if (const int schema = check_schema(object); schema < kRecordSchema) {
    return read_earlier_version(object, schema);
  }
  return from_json_document<Record>(object, "record");
}

json record_schema() {
  json schema = json_schema<Record>();
  schema["properties"]["schema"] = {{"const", kRecordSchema}};
  schema["required"].push_back("schema");
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = fmt::format("MSDA Lab record, version {}", kRecordSchema);
  schema["description"] =
      "One line of records.jsonl: what one cell left in one worker process. Lines of one cell "
      "belong together; of a process that two of them have, the later one counts.";
  return schema;
}

}  // namespace msda
