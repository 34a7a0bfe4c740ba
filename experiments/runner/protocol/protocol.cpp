#include "runner/protocol/protocol.hpp"

#include <random>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "json_text.hpp"
#include "operators/operator.hpp"
#include "results/entries_json.hpp"

namespace msda {

using nlohmann::json;

template <>
struct JsonFields<GroupRequest>
    : JsonMembers<&GroupRequest::experiment, &GroupRequest::problem, &GroupRequest::mode,
                  &GroupRequest::arms, &GroupRequest::baseline, &GroupRequest::measure,
                  &GroupRequest::process, &GroupRequest::verified, &GroupRequest::timed,
                  &GroupRequest::profiled, &GroupRequest::evidence, &GroupRequest::separately,
                  &GroupRequest::keep> {};

void identify(Record& record, const GroupRequest& request, const ArmEntry& arm,
              const std::string& device, int process) {
  const Problem& problem = request.problem.problem;
  record.cell = cell_name(problem.name, arm.name, request.mode);
  record.problem = problem.name;
  record.arm = arm.name;
  record.composition = arm.composition;
  record.mode = request.mode;
  record.device = device;
  record.baseline = arm.name == request.baseline;
  // The arm's own where it is known, of a copy say.
  if (record.traffic == Traffic{}) {
    record.op = request.problem.op;
    record.traffic = find_operator(record.op).traffic(problem);
  }
  if (record.processes.empty()) record.processes.emplace_back().process = process;
}

json to_json(const GroupRequest& request) { return write_json(request); }

GroupRequest group_request_from_json(const json& value) {
  try {
    return from_json_document<GroupRequest>(value, "request");
  } catch (const UsageError& error) {
    throw Error(std::string("malformed request to the worker: ") + error.what());
  }
}

std::string make_token() {
  std::random_device device;
  return fmt::format("{:08x}{:08x} ", device(), device());
}

nlohmann::json token_message(const std::string& token) { return {{"token", token}}; }

std::optional<nlohmann::json> event_of(const std::string& line, const std::string& token) {
  if (!line.starts_with(token)) return std::nullopt;
  auto event = parse_json_or_discard(line.substr(token.size()));
  if (!event.is_object() || !event.contains("event")) return std::nullopt;
  return event;
}

}  // namespace msda
