// What manifests, plans and requests have in common, as JSON.
#pragma once

#include <msda/variant.hpp>

#include "facts/arm.hpp"
#include "facts/measure_settings.hpp"
#include "facts/problem_spec.hpp"
#include "json_members.hpp"
#include "problem/tensor_names.hpp"

namespace msda {

// A level is [height, width], as in YAML.
template <>
nlohmann::json write_json<Level>(const Level& level);
template <>
void read_json<Level>(const nlohmann::json& value, const JsonPlace& place, Level& level);

template <>
nlohmann::json write_json<ParameterValue>(const ParameterValue& value);
template <>
void read_json<ParameterValue>(const nlohmann::json& value, const JsonPlace& place,
                               ParameterValue& parameter);

// The problem's fields, and `directory` or `generation`.
template <>
nlohmann::json write_json<ProblemSpec>(const ProblemSpec& spec);
template <>
void read_json<ProblemSpec>(const nlohmann::json& value, const JsonPlace& place, ProblemSpec& spec);

template <>
struct Named<DeviceKind> {
  static constexpr const char* kWhat = "kind of device";
  static constexpr std::array kValues = {DeviceKind::kCpu, DeviceKind::kCuda, DeviceKind::kSimt};
};

template <>
struct JsonFields<Types>
    : JsonMembers<&Types::value, &Types::location, &Types::weight, &Types::output> {};

template <>
struct JsonFields<Use> : JsonMembers<&Use::variant, &Use::parameters> {};

template <>
struct JsonFields<ArmEntry>
    : JoinedFields<JsonMembers<&ArmEntry::name, &ArmEntry::uses, &ArmEntry::composition>,
                   JsonMembersUnlessEmpty<&ArmEntry::refused, &ArmEntry::evidence>> {};

template <>
struct JsonFields<Timeouts>
    : JsonMembers<&Timeouts::compile, &Timeouts::prepare, &Timeouts::verify, &Timeouts::measure> {};

template <>
struct JsonFields<MeasureSettings> {
  using M = MeasureSettings;
  static auto list() {
    return std::tuple_cat(
        JsonMembers<&M::modes, &M::processes, &M::most_processes, &M::precision, &M::noise_pair,
                    &M::blocks, &M::samples, &M::warmup, &M::input_sets, &M::seed>::list(),
        std::tuple(json_field("timeout_seconds", &M::timeouts),
                   json_field("budget_seconds", &M::budget),
                   json_field("energy_seconds", &M::energy).optional()));
  }
};

template <>
struct JsonFields<DeviceInfo>
    : JsonMembers<&DeviceInfo::id, &DeviceInfo::name, &DeviceInfo::kind,
                  &DeviceInfo::compute_capability, &DeviceInfo::multiprocessors,
                  &DeviceInfo::memory_bytes, &DeviceInfo::l2_bytes, &DeviceInfo::shared_bytes> {};

}  // namespace msda
