#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/export_compositions.hpp"
#include "cli/export_subjects.hpp"
#include "cli/program.hpp"
#include "cli/taken_names.hpp"
#include "cli/terminal.hpp"
#include "export/export.hpp"
#include "files/read.hpp"
#include "files/write.hpp"
#include "nearest.hpp"
#include "results/run_data.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/progress.hpp"
#include "runner/supervise/shell_words.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultName = "msda_forward";
constexpr const char* kNoArchitecture = "none";
constexpr const char* kDefaultPackage = "msda_ops";

Arguments export_arguments() {
  Arguments arguments(
      {"export RECIPE|best... [KEY=VALUE...] [OPTION...]",
       "Writes compositions as an operator that is built and used without this program: CUDA "
       "source with C entries, which is an external kernel too (docs/external.md), a PyTorch "
       "extension, or a project for Hugging Face's kernel-builder. Each problem gets a kernel for "
       "its constants, and for torch and hub others for any sizes of levels; one recipe is for all "
       "problems, several are for one each, in their order. 'best' is what searches have found for "
       "each. All other calls get a general kernel.",
       "  msda export best --for deformable-detr --format torch\n"
       "  msda export fastest --problem ddetr-encoder --arch sm_90a\n"
       "  msda export best batch=4 num_query=300 num_heads=8 levels=64x64,32x32 num_points=4\n"
       "  msda export fastest fastest-few-queries --problem ddetr-encoder --problem "
       "ddetr-decoder\n",
       "0 ok; 1 a kernel cannot be exported, or not for an architecture; 2 wrong usage; 3 "
       "something is missing here"});
  add_subject_options(arguments);
  arguments.option("format", "F", "source, torch or hub (default: source)");
  arguments.option("output", "DIR", "the folder to write (default: the entry's or package's name)");
  arguments.option(
      "arch", "SM,...",
      fmt::format("architectures that all kernels have to run on, with code for each "
                  "(default: none for source; else {}, as far as a kernel runs there); "
                  "none: the source alone",
                  fmt::join(usual_architectures(), ",")));
  arguments.option("name", "NAME",
                   "of the C entry (default: msda_forward) or of the package (default: msda_ops)");
  arguments.option("report", "DIR|FILE", "a run's directory, or a document: what was measured");
  add_force_option(arguments);
  arguments.plugin_option();
  arguments.words("RECIPE or best", 1, -1);
  return arguments;
}

/// Architectures to carry code for, and those that all kernels have to run on.
void take_architectures(const Arguments& arguments, bool is_source, ExportRequest& request) {
  const std::string asked = arguments.get("arch", "");
  if (asked == kNoArchitecture) return;
  request.architectures = words_of_list(asked);
  if (!is_source && request.architectures.empty()) request.images = usual_architectures();
}

/// Types of msda/external.h, which the header of an export holds.
constexpr std::string_view kOfHeader[] = {"msda_answer",
                                          "msda_device",
                                          "msda_entry",
                                          "msda_error_entry",
                                          "msda_layout",
                                          "msda_operator_entry",
                                          "msda_operator_prepare_entry",
                                          "msda_prepare_entry",
                                          "msda_problem",
                                          "msda_query_entry",
                                          "msda_release_entry",
                                          "msda_role",
                                          "msda_tensor",
                                          "msda_type"};

/// What C and Python take as a name.
std::string checked_name(const std::string& name, bool is_package) {
  const auto legal = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const bool begins = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
  if (!begins || !std::all_of(name.begin(), name.end(), legal)) {
    throw UsageError(fmt::format(
        "export: --name '{}' is no identifier: letters, digits and '_', no digit first", name));
  }
  const bool is_type = std::ranges::find(kOfHeader, name) != std::end(kOfHeader);
  if (!is_package && (is_type || name.starts_with("MSDA_"))) {  // its constants and macros
    throw UsageError(fmt::format(
        "export: --name '{}' is a name of the export's own header; give another one", name));
  }
  if (const char* owner = owner_of_name(name, is_package)) {
    throw UsageError(
        fmt::format("export: --name '{}' is a name of {}; give another one", name, owner));
  }
  return name;
}

void take_report(const std::string& place, ExportRequest& request) {
  const fs::path file = fs::is_directory(place) ? fs::path(place) / "report.md" : fs::path(place);
  request.report = read_text(file, kMostHandwritten);
  fs::path shown = fs::path(place).lexically_normal();
  if (!shown.has_filename()) shown = shown.parent_path();
  // A run's name and time; where its directory lies is nobody else's business.
  request.report_from = fs::is_directory(place)
                            ? (shown.parent_path().filename() / shown.filename()).string()
                            : shown.filename().string();
}

void write_files(const std::vector<ExportedFile>& files, const fs::path& folder) {
  std::vector<std::string> names;
  for (const ExportedFile& file : files) {
    const fs::path target = folder / file.path;
    ensure_directory(target.parent_path());
    write_atomically(target, file.content);
    names.push_back(file.path.string());
  }
  fmt::print("{}: {}\n", folder.string(), fmt::join(names, ", "));
}

/// What was asked for; where files lie is nobody else's business.
std::string command_of(const std::vector<std::string>& words) {
  std::string command = "msda export";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--output" || words[i] == "--report") {
      ++i;
    } else if (!words[i].starts_with("--output=") && !words[i].starts_with("--report=")) {
      command += " " + shell_word(words[i]);
    }
  }
  return without_places(command);
}

constexpr const char* kFormats[] = {"source", "torch", "hub"};

/// Says how far it is, which takes minutes where nothing is compiled yet.
std::vector<ExportedFile> exported(const std::string& format, ExportRequest& request,
                                   const std::string& name) {
  const Compiler compiler;
  CountProgress progress(stderr, is_terminal(stderr));
  request.on_progress = [&](const char* what, std::size_t done, std::size_t count) {
    progress.tell(what, done, count);
  };
  if (format == "source") return export_source(request, compiler);
  return format == "torch" ? export_torch(request, compiler, name)
                           : export_hub(request, compiler, name);
}

std::string next_step(const std::string& format, const std::string& name, const fs::path& folder) {
  const std::string place = shell_word(folder.string());
  if (format == "source") {
    return fmt::format(
        "  nvcc -std=c++20 --expt-relaxed-constexpr -O3 -arch=native -shared -Xcompiler "
        "-fPIC,-fvisibility=hidden \\\n    -cudart=shared {} -o lib{}.so\n",
        shell_word((folder / (name + ".cu")).string()), name);
  }
  if (format == "torch")
    return fmt::format("  cd {} && python3 build.py && python3 check.py\n", place);
  return fmt::format("  cd {} && nix run .#build-and-copy -L\n", place);
}

}  // namespace

int export_command(const std::vector<std::string>& words) {
  Arguments arguments = export_arguments();
  if (!arguments.parse(words)) return 0;
  const std::string format = arguments.get("format", "source");
  const std::vector<std::string> formats(std::begin(kFormats), std::end(kFormats));
  if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
    throw UsageError(fmt::format("export: no format '{}'{}; there are: {}", format,
                                 suggestion(format, formats), fmt::join(formats, ", ")));
  }
  const bool is_source = format == "source";
  const std::string name =
      checked_name(arguments.get("name", is_source ? kDefaultName : kDefaultPackage), !is_source);
  const fs::path folder = arguments.get("output", name);
  require_room(arguments, folder);
  const Registry registry = load_registry(arguments);
  ExportRequest request;
  if (is_source) request.name = name;
  std::vector<std::string> notes;
  request.kernels = export_subjects(arguments, registry, !is_source, notes);
  take_architectures(arguments, is_source, request);
  if (const auto report = arguments.find("report")) take_report(*report, request);
  request.commit = git_state();
  request.command = command_of(words);

  write_files(exported(format, request, name), folder);
  for (const std::string& note : notes) fmt::print("{}\n", note);
  fmt::print("Next:\n{}", next_step(format, name, folder));
  return 0;
}

}  // namespace msda
