// What has to be the same where a run goes on.
#include "runner/supervise/manifest.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include "results/entries_json.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

TEST(Resume, NeedsTheSameTextDeviceShardArmsAndProblems) {
  const TemporaryDirectory directory;
  const Experiment experiment =
      load_experiment(directory.write("x.yaml",
                                      "problems: [{name: p, queries: 3, levels: [[4, 4]]}]\n"
                                      "arms: [fixture]\n"),
                      fixture_registry());
  DeviceInfo device;
  device.id = "cpu";
  device.name = "a CPU";
  const Plan plan = make_plan(experiment, fixture_registry(), device);
  const nlohmann::json ready = {{"device", write_json<DeviceInfo>(device)},
                                {"provenance", nlohmann::json::object()}};
  const auto refusal = [&](const std::function<void(Manifest&)>& change) -> std::string {
    Manifest manifest = make_manifest(experiment, plan, fixture_registry(), ready, {});
    change(manifest);
    try {
      check_resumable(manifest, experiment, plan, fixture_registry());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal([](Manifest&) {}), "");
  EXPECT_THAT(refusal([](Manifest& run) { run.experiment_text += "#"; }),
              HasSubstr("has changed since the run began"));
  EXPECT_THAT(refusal([](Manifest& run) { run.device->name = "another"; }),
              HasSubstr("the run was on cpu (another), not on cpu (a CPU)"));
  EXPECT_THAT(refusal([](Manifest& run) { run.device->id = "cuda:1"; }),
              HasSubstr("the run was on cuda:1"));
  EXPECT_THAT(refusal([](Manifest& run) { run.shard = Shard{1, 2}; }), HasSubstr("shard 1/2"));
  const std::string others = "its arms or problems are no longer the same";
  EXPECT_THAT(refusal([](Manifest& run) { run.arms[0].composition += " of another"; }),
              HasSubstr(others));
  EXPECT_THAT(refusal([](Manifest& run) { run.arms.push_back(run.arms[0]); }), HasSubstr(others));
  EXPECT_THAT(refusal([](Manifest& run) { run.problems.clear(); }), HasSubstr(others));
  EXPECT_THAT(refusal([](Manifest& run) { run.program_version = "0"; }),
              HasSubstr("in the program version"));
}

}  // namespace
}  // namespace msda::test
