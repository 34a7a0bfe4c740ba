#include <filesystem>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "files/write.hpp"
#include "runner/import/nvbench.hpp"
#include "runner/supervise/manifest.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

Arguments import_arguments() {
  Arguments arguments({"import nvbench FILE [OPTION...]",
                       "Makes a run of what an nvbench program wrote with --json or --jsonbin, for "
                       "'msda report' and 'msda compare'. Its isolated samples are mode cold, its "
                       "batches mode warm. Nothing in it was verified.",
                       "  msda import nvbench measured.json --output results/measured\n"
                       "  msda import nvbench measured.json --arm Kernel --baseline original\n"});
  arguments.option("output", "DIR", "where the run goes (default: results/ and the file's name)");
  arguments.option("arm", "AXIS", "the axis whose values are the arms (default: the benchmarks)");
  arguments.option("baseline", "ARM", "the arm that the others are compared with (default: first)");
  arguments.option("device-id", "N",
                   "the device whose measurements count, where there are several");
  arguments.words("nvbench FILE", 2, 2);
  return arguments;
}

int device_id(const std::string& text) {
  try {
    return std::stoi(text);
  } catch (const std::logic_error&) {
    throw UsageError(fmt::format("import: --device-id {}: not a number", text));
  }
}

/// A directory that holds a run already is left as it is.
void check_empty(const fs::path& directory) {
  if (fs::exists(directory / kManifestFile)) {
    throw UsageError(fmt::format("import: {} holds a run already", directory.string()));
  }
}

}  // namespace

int import_command(const std::vector<std::string>& words) {
  Arguments arguments = import_arguments();
  if (!arguments.parse(words)) return 0;
  if (arguments.words().front() != "nvbench") {
    throw UsageError(
        fmt::format("import: no format '{}': there is nvbench", arguments.words().front()));
  }
  const fs::path file = arguments.words().back();
  NvbenchOptions options{arguments.find("arm"), arguments.find("baseline"), std::nullopt};
  if (const auto id = arguments.find("device-id")) options.device = device_id(*id);
  const fs::path directory = arguments.get("output", (fs::path("results") / file.stem()).string());
  check_empty(directory);
  const ImportedRun run = import_nvbench(file, options);
  ensure_directory(directory);
  write_records(directory / kRecordsFile, run.records);
  write_manifest(directory, run.manifest);
  report_on(directory);
  return 0;
}

}  // namespace msda
