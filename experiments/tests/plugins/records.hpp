// What becomes of a group's arms in a worker on the CPU.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

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

/// Of `bad`, which has this name, between two honest arms, which must have their times.
inline Record record_between_honest(GroupRequest request, const ArmEntry& bad) {
  request.baseline = "honest";
  request.arms = {external_arm("honest", external_library("external")), bad,
                  external_arm("last", external_library("cheats"), "cheat", "honest")};
  auto records = records_of(request);
  for (const char* name : {"honest", "last"}) {
    const Record& honest = records.at(name);
    EXPECT_EQ(honest.status, CellStatus::kOk) << name << ": " << honest.reason;
    EXPECT_EQ(honest.samples.size(), static_cast<std::size_t>(request.measure.blocks)) << name;
  }
  return std::move(records.at("bad"));
}

/// Of a problem whose tensors have several pages.
inline GroupRequest request_of_pages(int samples) {
  GroupRequest request;
  request.experiment = "pages";
  request.problem = tiny_problem();
  request.problem.problem.batch = 2;
  request.problem.problem.queries = 200;
  request.measure.blocks = 6;
  request.measure.samples = samples;
  request.measure.warmup = 3;
  return request;
}

}  // namespace msda::test
