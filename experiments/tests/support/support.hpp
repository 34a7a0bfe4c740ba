// What the tests of experiments/ share.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compose/composition.hpp"
#include "files/temporary_directory.hpp"
#include "plugin/registry.hpp"
#include "runner/protocol/protocol.hpp"

namespace msda::test {

/// The folder that holds the plugin "fixture", and nothing else.
std::filesystem::path fixture_directory();
/// The folder of the plugins that go wrong on a GPU.
std::filesystem::path gpu_fixture_directory();
/// The plugin "fixture" alone.
const Registry& fixture_registry();
/// The plugins of this build.
const Registry& shipped_registry();
/// The msda program of this build.
std::filesystem::path program();
/// The same, with a CPU on which a launch of the fixture takes exactly the milliseconds that its
/// arm asks for, so that a busy machine changes nothing.
std::filesystem::path told_program();

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
/// Of std::tmpfile().
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// Runs the program to its end, with the fixture plugin beside its own and with a cache for tests.
Outcome run(const std::vector<std::string>& arguments,
            const std::filesystem::path& which = program());

/// Runs a script of bash, in which $msda is the program, to its end in `directory`; the rest as
/// run().
Outcome run_script(const std::string& script, const std::filesystem::path& directory);

/// The same as a child that the caller waits for; its output goes to files in `directory`.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
        const std::map<std::string, std::string>& environment = {},
        const std::filesystem::path& which = program());
  ~Child();
  int id() const;
  void signal(int number) const;
  Outcome wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A short run of `directory`/claims.yaml, which has a claim; returns the folder of its results.
std::string run_with_claim(const TemporaryDirectory& directory);

/// An arm of the fixture that behaves so after a number of good launches.
ArmEntry fixture_arm(const std::string& name, const std::string& behaviour, std::int64_t after = 0);
/// A library of tests/fixtures with a C entry: "external", "external_ends", ...
std::filesystem::path external_library(const std::string& name);
/// An arm that calls `symbol` of the library `file`.
ArmEntry external_arm(const std::string& name, const std::filesystem::path& file,
                      const std::string& symbol = "msda_forward", const std::string& options = "");
/// A generated problem that takes well under a millisecond.
ProblemSpec tiny_problem();

}  // namespace msda::test
