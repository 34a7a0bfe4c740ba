// What becomes of a group's arms in a worker on the CPU.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/supervise/supervisor.hpp"
#include "support/support.hpp"

namespace msda::test {

/// By the arms' names.
inline std::map<std::string, Record> records_of(const GroupRequest& request) {
  std::vector<std::string> names;
  for (const ArmEntry& arm : request.arms) names.push_back(arm.name);
  Supervisor supervisor({program(), "cpu", {fixture_directory()}, false});
  std::map<std::string, Record> records;
  supervisor.run(request, names, [&](const Record& record) { records[record.arm] = record; });
  return records;
}

}  // namespace msda::test
