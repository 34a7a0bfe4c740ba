#include "support/support.hpp"

#include <unistd.h>

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/process.hpp>

#include "external/external.hpp"
#include "files/read.hpp"
#include "support/problems.hpp"

namespace msda::test {
namespace {

namespace bp = boost::process;
namespace fs = std::filesystem;

bp::environment test_environment() {
  bp::environment environment = boost::this_process::environment();
  environment["MSDA_PLUGIN_PATH"] = MSDA_FIXTURE_DIR;
  environment["MSDA_CACHE_DIR"] = MSDA_BINARY_DIR "/test-cache";
  environment["NO_COLOR"] = "1";
  return environment;
}

/// Workers that a test starts itself inherit the environment of the test program.
const bool kEnvironmentIsSet = [] {
  ::setenv("MSDA_CACHE_DIR", MSDA_BINARY_DIR "/test-cache", 1);
  ::setenv("MSDA_PLUGIN_PATH", MSDA_FIXTURE_DIR, 1);
  return true;
}();

}  // namespace

fs::path fixture_directory() { return MSDA_FIXTURE_DIR; }

fs::path gpu_fixture_directory() { return MSDA_GPU_FIXTURE_DIR; }

const Registry& fixture_registry() {
  static const Registry registry({fixture_directory()});
  return registry;
}

const Registry& shipped_registry() {
  static const Registry registry({fs::path(MSDA_BINARY_DIR) / "lib" / "msda" / "variants"});
  return registry;
}

fs::path program() { return fs::path(MSDA_BINARY_DIR) / "bin" / "msda"; }

fs::path told_program() { return program().concat("-told"); }

struct Child::Impl {
  fs::path out;
  fs::path err;
  bp::child child;
};

Child::Child(const std::vector<std::string>& arguments, const fs::path& directory,
             const std::map<std::string, std::string>& environment, const fs::path& which)
    : impl_(std::make_unique<Impl>()) {
  impl_->out = directory / "stdout.txt";
  impl_->err = directory / "stderr.txt";
  bp::environment changed = test_environment();
  for (const auto& [name, value] : environment) changed[name] = value;
  impl_->child = bp::child(bp::exe = which.string(), bp::args = arguments, changed,
                           bp::std_in<bp::null, bp::std_out> impl_->out.string(),
                           bp::std_err > impl_->err.string());
}

Child::~Child() {
  std::error_code ignored;
  if (impl_->child.running(ignored)) impl_->child.terminate(ignored);
  impl_->child.wait(ignored);
}

int Child::id() const { return impl_->child.id(); }

void Child::signal(int number) const { ::kill(impl_->child.id(), number); }

Outcome Child::wait() {
  impl_->child.wait();
  return {impl_->child.exit_code(), read_text(impl_->out), read_text(impl_->err)};
}

Outcome run(const std::vector<std::string>& arguments, const fs::path& which) {
  const TemporaryDirectory directory;
  return Child(arguments, directory.path(), {}, which).wait();
}

Outcome run_script(const std::string& script, const fs::path& directory) {
  bp::environment environment = test_environment();
  environment["msda"] = program().string();
  const TemporaryDirectory output;  // a file that exists would keep what is longer in it
  const fs::path out = output.path() / "stdout.txt";
  const fs::path err = output.path() / "stderr.txt";
  const int code =
      bp::system(bp::exe = "/bin/bash", bp::args = {"-c", script}, environment,
                 bp::start_dir = directory.string(), bp::std_in<bp::null, bp::std_out> out.string(),
                 bp::std_err > err.string());
  return {code, read_text(out), read_text(err)};
}

std::string run_with_claim(const TemporaryDirectory& directory) {
  const auto file =
      directory.write("claims.yaml",
                      "device: cpu\n"
                      "problems: [{name: p, queries: 2, levels: [[3, 3]]}]\n"
                      "arms: [fixture, {name: slow, use: [{fixture: {milliseconds: 2}}]}]\n"
                      "claims: [{text: slow is fast, source: a test, arm: slow, speedup: 2x}]\n"
                      "measure: {blocks: 3, samples: 2}\n");
  std::string results = directory.path() / "results";
  const Outcome outcome = run({"run", file, "--output", results});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  return results;
}

ArmEntry fixture_arm(const std::string& name, const std::string& behaviour, std::int64_t after) {
  return {name, {{"fixture", {{"behaviour", behaviour}, {"after", after}}}}, "fixture"};
}

fs::path external_library(const std::string& name) {
  return fs::path(MSDA_EXTERNAL_DIR) / (name + ".so");
}

ArmEntry external_arm(const std::string& name, const fs::path& file, const std::string& symbol,
                      const std::string& options) {
  const Use use{kExternalVariant,
                {{"library", file.string()}, {"symbol", symbol}, {"options", options}}};
  return {name, {use}, "external"};
}

ProblemSpec tiny_problem() {
  ProblemSpec spec;
  spec.problem = msda::tiny_problem();
  return spec;
}

}  // namespace msda::test
