#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/plan_time.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "render/document.hpp"
#include "render/formats.hpp"
#include "render/tables/tables.hpp"
#include "runner/profile/profile_run.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/shell_words.hpp"
#include "runner/supervise/supervisor.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

Arguments profile_arguments() {
  Arguments arguments(
      {"profile EXPERIMENT[:ARM]|RUN-DIR [OPTION...]",
       "Runs an experiment's cells under Nsight Compute (ncu) or Nsight Systems (nsys): each arm "
       "is verified and warmed up, and then launched once for the profiler. Its report is kept, "
       "and its counters lie in counters.jsonl, beside the records of a run when its directory is "
       "given; their times never mix with those of the run. What explains the difference between "
       "an arm and the baseline is said below the table.",
       "  msda profile experiments/quickstart.yaml --cell '*/wide-loads/*'\n"
       "  msda profile experiments/quickstart.yaml:wide-loads\n"
       "  msda profile results/ablation/20240131-120000\n"
       "  msda profile experiments/ledger-001.yaml --tool nsys --print\n",
       "0 all chosen cells have counters; 1 some have none; 2 wrong usage; 3 the tool, its "
       "permission or a GPU is missing; 130 interrupted"});
  arguments.list("cell", "PATTERN", "only cells like this, 'problem/arm/mode' with * and ?");
  arguments.option("tool", "ncu|nsys", "the profiler (default: ncu)");
  arguments.list("metric", "NAME", "count this instead of what the experiment says");
  arguments.list("section", "NAME",
                 "a section of Nsight Compute instead of the experiment's, for its own window");
  arguments.option("output", "DIR", "where the results go (default: results/<name>/<time>)");
  arguments.flag("print", "print the command lines and run nothing");
  arguments.device_option();
  arguments.plugin_option();
  arguments.words("EXPERIMENT[:ARM]|RUN-DIR", 1, 1);
  return arguments;
}

/// What was asked for: an experiment's file, or that of a run whose directory gets the counters.
struct Profiled {
  Experiment experiment;
  std::optional<fs::path> run_directory;
  std::optional<Manifest> manifest;
  std::string arm;  ///< the only one that is asked for; "" for all
};

Profiled load_profiled(const std::string& word, const Registry& registry) {
  if (const auto named = experiment_arm(word)) {
    const fs::path file = experiment_path(named->file.string());
    Profiled subject{load_experiment(file, registry), {}, {}, named->arm};
    find_arm(subject.experiment, named->arm);
    return subject;
  }
  if (!fs::is_directory(word)) {
    const fs::path file = experiment_path(word);
    if (fs::exists(file)) return {load_experiment(file, registry), {}, {}, ""};
    throw UsageError(
        fmt::format("profile: '{}' is neither an experiment nor the directory of a run", word));
  }
  Manifest manifest = read_manifest(word);
  const std::string file = manifest.experiment_file;
  if (!fs::exists(file)) {
    throw UsageError(
        fmt::format("{} is a run of the experiment {}, and there is no such file here: start msda "
                    "in the folder where the run was started, or profile the experiment itself",
                    word, file));
  }
  Profiled subject{load_experiment(file, registry), word, std::move(manifest), ""};
  if (subject.experiment.text != subject.manifest->experiment_text) {
    throw UsageError(
        fmt::format("{} has changed since the run in {}: its counters would be of other "
                    "arms; profile the file itself instead",
                    file, word));
  }
  return subject;
}

DeviceInfo gpu_for(const Arguments& arguments, const Profiled& subject) {
  std::string id = arguments.has("device") ? arguments.device() : subject.experiment.device;
  DeviceInfo device = choose_device(id, list_devices());
  if (device.kind != DeviceKind::kCuda) {
    const std::string reason = cuda_unavailable_reason();
    throw EnvironmentError(fmt::format("profile: Nsight counts on GPUs, and this would run on {}{}",
                                       device.id, reason.empty() ? "" : " (" + reason + ")"));
  }
  if (subject.manifest) {
    const std::string ran_on = subject.manifest->device ? subject.manifest->device->name : "?";
    if (ran_on != device.name) {
      throw UsageError(
          fmt::format("the run in {} was on {}, and {} is {}: its counters would explain "
                      "other times",
                      subject.run_directory->string(), ran_on, device.id, device.name));
    }
  }
  return device;
}

/// The GPU that the command lines of --print are for, which need not be here: that of the run, else
/// the first of any model.
DeviceInfo imagined_gpu(const Arguments& arguments, const Profiled& subject) {
  DeviceInfo device;
  if (subject.run_directory) {
    device = device_of_run(*subject.run_directory);
  } else {
    device.id = "cuda:0";
    device.kind = DeviceKind::kCuda;
  }
  if (arguments.has("device")) device.id = arguments.device();
  return device;
}

profile::ProfileOptions profile_options(const Arguments& arguments, const Profiled& subject) {
  if (subject.run_directory && arguments.has("output")) {
    throw UsageError("profile: the counters of a run go into its directory; leave --output out");
  }
  profile::ProfileOptions options;
  static_cast<SessionOptions&>(options) = session_options(arguments, "profile", {});
  options.tool = profile::parse_tool(arguments.get("tool", "ncu"));
  options.cells = arguments.all("cell");
  if (!subject.arm.empty()) {
    if (!options.cells.empty()) {
      throw UsageError("profile: EXPERIMENT:ARM names the cells already; leave --cell out");
    }
    options.cells = {fmt::format("*/{}/*", subject.arm)};
  }
  options.settings = profile::settings_for(subject.experiment,
                                           {arguments.all("section"), arguments.all("metric")});
  return options;
}

/// What is counted: the experiment, or of it what the run in the directory was.
Plan plan_of(const Profiled& subject, const Registry& registry, const DeviceInfo& device) {
  Plan plan = make_plan(subject.experiment, registry, device);
  if (!subject.manifest) return plan;
  take_shard(plan, subject.manifest->shard.value_or(Shard()));
  if (const auto changed = changed_best(*subject.manifest, plan); !changed.empty()) {
    throw UsageError(
        fmt::format("a search has found another winner for {} since the run in {}: its counters "
                    "would be of other arms; profile the file itself instead",
                    changed.front(), subject.run_directory->string()));
  }
  return plan;
}

std::vector<CounterTable> tables_of(const std::vector<KernelCounters>& kernels, const Plan& plan) {
  CounterContext context;
  for (const Arm& arm : plan.arms) context.arms.push_back(arm.name);
  context.baseline = plan.baseline;
  if (plan.design) context.design = &*plan.design;
  return make_counter_tables(kernels, context);
}

/// The experiment's claims that counters decide, as they stand in a manifest.
std::vector<Claim> counter_claims(const Experiment& experiment, const Plan& plan) {
  std::vector<Claim> claims = planned_claims(experiment, plan);
  std::erase_if(claims,
                [](const Claim& claim) { return claim.quantity != Claim::Quantity::kCounter; });
  return claims;
}

/// What `kernels` say, without any time of a run.
Report counters_report(const Profiled& subject, const Plan& plan,
                       const std::vector<KernelCounters>& kernels) {
  Report report;
  report.manifest.name = subject.experiment.name;
  report.manifest.summary = "what a profiler counted";
  report.manifest.device = plan.device;
  report.manifest.claims = counter_claims(subject.experiment, plan);
  report.counters = tables_of(kernels, plan);
  report.claims = check_claims(report.manifest, {}, report.counters);
  return report;
}

Document terminal_document(const Report& report) {
  Document document = counters_document(report.counters);
  if (auto claims = claims_section({&report, 1})) {
    document.sections.push_back(*std::move(claims));
  }
  return document;
}

/// Of a run's directory all its reports again, else one of the counters alone.
void write_reports(const Profiled& subject, const Plan& plan, const fs::path& directory) {
  write_report(subject.run_directory ? make_report(directory)
                                     : counters_report(subject, plan, read_counters(directory)),
               directory);
}

}  // namespace

int profile_command(const std::vector<std::string>& words) {
  Arguments arguments = profile_arguments();
  if (!arguments.parse(words)) return 0;
  const Registry registry = load_registry(arguments);
  const Profiled subject = load_profiled(arguments.words().front(), registry);
  profile::ProfileOptions options = profile_options(arguments, subject);
  if (arguments.has("print")) {
    options.directory = subject.run_directory.value_or(
        arguments.get("output", default_results_parent(subject.experiment.name).string()));
    const DeviceInfo device = imagined_gpu(arguments, subject);
    const Plan plan = plan_of(subject, registry, device);
    const profile::Installed tool{std::string(name_of(options.tool)), ""};
    for (const auto& group : profile::choose_cells(plan, options.cells)) {
      fmt::print("{}\n", shell_command(profile::command_line(plan, group, tool, options)));
    }
    return 0;
  }
  const DeviceInfo device = gpu_for(arguments, subject);
  const profile::Installed tool = profile::find_tool(options.tool);
  const Plan plan = plan_of(subject, registry, device);
  const ResultsDirectory directory =
      subject.run_directory
          ? ResultsDirectory(*subject.run_directory)
          : results_directory(arguments, "profile", subject.experiment.name + "-profile");
  options.directory = directory.path();
  try {
    const profile::ProfileResult result = profile::run_profile(
        plan, subject.experiment.name, profile::choose_cells(plan, options.cells), tool, options);
    const Document document = terminal_document(counters_report(subject, plan, result.kernels));
    fmt::print("{}", as_terminal(document, wants_colour(stdout)));
    write_reports(subject, plan, options.directory);
    for (const std::string& note : result.notes) fmt::print(stderr, "note: {}\n", note);
    fmt::print("Counters: {}\nReports: {}\n", (options.directory / kCountersFile).string(),
               (options.directory / "profile").string());
    return static_cast<int>(result.notes.empty() ? ExitCode::kOk : ExitCode::kCellFailed);
  } catch (const Interrupted&) {
    fmt::print(stderr, "\nInterrupted; what has been counted is in {}\n",
               options.directory.string());
    return kInterruptedExitCode;
  }
}

}  // namespace msda
