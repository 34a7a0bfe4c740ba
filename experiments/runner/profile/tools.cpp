#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <msda/error.hpp>

#include "pattern.hpp"
#include "process/command.hpp"
#include "runner/profile/profiler.hpp"

namespace msda::profile {
namespace {

/// The oldest major versions whose options and columns are the ones used here.
constexpr int kOldestNcu = 2022;
constexpr int kOldestNsys = 2023;

const char* where_to_get(Tool tool) {
  return tool == Tool::kNcu
             ? "Nsight Compute comes with the CUDA toolkit; add its bin folder to PATH"
             : "Nsight Systems comes with the CUDA toolkit or as a package of its own "
               "(nsight-systems-cli); add its bin folder to PATH";
}

std::vector<std::string> ncu_launcher(const Installed& installed, const ProfileSettings& settings,
                                      bool flush, const std::filesystem::path& report,
                                      const std::filesystem::path& log) {
  std::vector<std::string> words = {installed.path, "--config-file", "off", "--force-overwrite",
                                    "--export", report.string(), "--log-file", log.string(),
                                    // The clocks stay as the other runs find them.
                                    "--clock-control", "none", "--cache-control",
                                    flush ? "all" : "none", "--import-source", "yes", "--nvtx",
                                    "--nvtx-include", fmt::format("msda@{}/", kProfiledRange)};
  for (const std::string& section : settings.sections) {
    words.insert(words.end(), {"--section", section});
  }
  if (!settings.metrics.empty()) {
    words.insert(words.end(), {"--metrics", fmt::format("{}", fmt::join(settings.metrics, ","))});
  }
  return words;
}

std::vector<std::string> nsys_launcher(const Installed& installed,
                                       const std::filesystem::path& report) {
  return {installed.path, "profile", "--trace",           "cuda,nvtx", "--sample", "none",
          "--cpuctxsw",   "none",    "--force-overwrite", "true",      "--output", report.string()};
}

}  // namespace

std::string_view name_of(Tool tool) { return tool == Tool::kNcu ? "ncu" : "nsys"; }

Tool parse_tool(std::string_view name) {
  if (name == "ncu") return Tool::kNcu;
  if (name == "nsys") return Tool::kNsys;
  throw UsageError(fmt::format("no profiler '{}'; there are: ncu, nsys", name));
}

std::string parse_version(Tool tool, std::string_view text) {
  static const Pattern kNumber(R"(\d{4}\.\d+\.\d+)");
  const auto found = kNumber.search(text);
  return found ? fmt::format("{} {}", name_of(tool), found->front()) : "";
}

Installed find_tool(Tool tool) {
  const auto path = find_in_path(name_of(tool));
  if (!path) {
    throw EnvironmentError(
        fmt::format("there is no '{}' in PATH: {}", name_of(tool), where_to_get(tool)));
  }
  const CommandResult said = execute_command({path->string(), "--version"});
  const std::string version = parse_version(tool, said.output);
  if (version.empty()) {
    throw EnvironmentError(fmt::format("{} does not say its version (exit code {}): {}",
                                       path->string(), said.exit_code, said.output));
  }
  const int year = std::stoi(version.substr(version.find(' ') + 1));
  const int oldest = tool == Tool::kNcu ? kOldestNcu : kOldestNsys;
  if (year < oldest) {
    throw EnvironmentError(fmt::format("{} is {}, and {}.1 or newer is needed: {}", path->string(),
                                       version, oldest, where_to_get(tool)));
  }
  return {path->string(), version};
}

std::vector<std::string> launcher(Tool tool, const Installed& installed,
                                  const ProfileSettings& settings, bool flush,
                                  const std::filesystem::path& report,
                                  const std::filesystem::path& log) {
  return tool == Tool::kNcu ? ncu_launcher(installed, settings, flush, report, log)
                            : nsys_launcher(installed, report);
}

std::filesystem::path report_file(Tool tool, const std::filesystem::path& report) {
  return report.string() + (tool == Tool::kNcu ? ".ncu-rep" : ".nsys-rep");
}

std::vector<std::string> import_command(Tool tool, const Installed& installed,
                                        const std::filesystem::path& report_file) {
  // The language decides how numbers are written; the parser takes either, this asks for one.
  std::vector<std::string> words = {"env", "LC_ALL=C", installed.path};
  if (tool == Tool::kNcu) {
    words.insert(words.end(), {"--import", report_file.string(), "--page", "raw", "--csv",
                               "--print-units", "base"});
  } else {
    words.insert(words.end(), {"stats", "--force-export", "true", "--report", "nvtx_kern_sum",
                               "--format", "csv", "--output", "-", report_file.string()});
  }
  return words;
}

std::string remedy(Tool tool, std::string_view messages) {
  struct Known {
    const char* sign;
    const char* meaning;
  };
  static constexpr Known kKnown[] = {
      {"ERR_NVGPUCTRPERM",
       "the driver keeps the counters from this user: run as root, or have an administrator load "
       "the "
       "module with NVreg_RestrictProfilingToAdminUsers=0"},
      {"Driver resource was unavailable",
       "another profiler or a metrics exporter (DCGM) has the counters: stop it for the time, for "
       "example with 'dcgmi profile --pause'"},
      {"already being profiled", "another profiler is attached to this process: run without it"},
      {"No kernels were profiled",
       "no launch lay in the profiled range: the arm failed before its launch (see its record), or "
       "the program was built without NVTX ('msda doctor' says)"},
      {"InitializationFailed", "the tool came too late into the process: start it, not its child"},
      {"Failed to find metric",
       "a metric of 'profile:' does not exist on this chip; 'ncu --query-metrics' lists them"},
      {"Could not find section",
       "a section of 'profile:' does not exist; 'ncu --list-sections' lists them"},
      {"UnsupportedGpu", "this version of the tool does not know the GPU: take a newer one"},
      {"Importer",
       "nsys wrote its raw data and has no importer here: open the .qdstrm file with a "
       "full installation ('QdstrmImporter', or the GUI), then 'msda profile' again there"},
      {"No space left on device", "the disk is full"},
  };
  for (const Known& known : kKnown) {
    if (messages.find(known.sign) != std::string_view::npos) {
      return fmt::format("{}: {}", name_of(tool), known.meaning);
    }
  }
  return "";
}

}  // namespace msda::profile
