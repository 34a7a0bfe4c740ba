#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/levels_option.hpp"
#include "cli/program.hpp"
#include "cli/subject_problem.hpp"
#include "problem/tensor_names.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/inspect/inspect.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

Arguments inspect_arguments() {
  Arguments arguments(
      {"inspect VARIANT|RECIPE|EXPERIMENT:ARM [KEY=VALUE...] [OPTION...]",
       "Compiles a composition for an architecture, with or without a GPU, and shows the "
       "generated unit, registers, shared memory, spills, occupancy and, where "
       "cuobjdump or nvdisasm is there, which instructions the kernel is made of. The unit has the "
       "constants of a problem: of KEY=VALUE words, which 'msda bench --help' lists, or of "
       "--problem; "
       "else an arm has its experiment's first problem.",
       "  msda inspect fastest --arch sm_90a --problem ddetr-encoder --dtype fp16\n"
       "  msda inspect fastest --diff wide-loads\n"
       "  msda inspect fastest batch=1 num_query=900 num_heads=8 levels=100x134,50x67\n"
       "  msda inspect smem-levels --source\n"});
  arguments.option("arch", "SM", "architecture, as NVRTC knows it (default: sm_90a)");
  arguments.option("device", "SM", "the same as --arch");
  arguments.option("problem", "PRESET",
                   "a preset, or a problem of EXPERIMENT (default: ledger-48)");
  add_operator_option(arguments, "what VARIANT computes");
  arguments.option("dtype", "T",
                   fmt::format("{} (default: the experiment's, else {})",
                               choices(all_names<DType>()), name_of(kUsual)));
  add_levels_option(arguments);
  arguments.option("diff", "OTHER", "another variant or recipe, beside the first");
  arguments.option("recipes", "FILE", "where recipes are looked up (default: the shipped ones)");
  arguments.flag("source", "print the generated unit");
  arguments.flag("sass", "print the main kernel's machine code");
  arguments.plugin_option();
  arguments.words("VARIANT|RECIPE", 1, -1);
  return arguments;
}

/// One line of what is known: its name and the value of each composition.
using Line = std::vector<std::string>;

std::vector<Line> resource_rows(const std::vector<Inspected>& all) {
  std::vector<Line> rows(8);
  const char* titles[] = {"threads of a block", "registers of a thread", "shared memory [B]",
                          "spilled [B]",        "blocks on an SM",       "occupancy",
                          "limited by",         "resident grid"};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].emplace_back(titles[i]);
  for (const Inspected& one : all) {
    rows[0].push_back(std::to_string(one.threads));
    rows[1].push_back(std::to_string(one.registers));
    rows[2].push_back(std::to_string(one.shared_bytes));
    rows[3].push_back(std::to_string(one.spill_bytes));
    rows[4].push_back(std::to_string(one.occupancy.blocks));
    rows[5].push_back(fmt::format("{:.0f}%", one.occupancy.share * 100));
    rows[6].push_back(one.occupancy.limit);
    rows[7].push_back(one.resident_blocks == 0 ? "no"
                                               : fmt::format("{} of each SM", one.resident_blocks));
  }
  return rows;
}

std::vector<Line> instruction_rows(const std::vector<Inspected>& all) {
  std::vector<std::map<std::string, int>> counts;
  std::map<std::string, int> together;
  for (const Inspected& one : all) {
    counts.push_back(one.sass ? opcode_counts(*one.sass) : std::map<std::string, int>{});
    for (const auto& [name, count] : counts.back()) together[name] += count;
  }
  std::vector<std::pair<std::string, int>> order(together.begin(), together.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Line> rows;
  for (const auto& [name, total] : order) {
    Line& row = rows.emplace_back(Line{name});
    for (auto& count : counts) row.push_back(std::to_string(count[name]));
  }
  return rows;
}

void print_rows(const std::vector<Line>& rows) {
  if (rows.empty()) return;
  std::vector<std::size_t> width(rows.front().size());
  for (const Line& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  for (const Line& row : rows) {
    fmt::print("  {:<{}}", row[0], width[0]);
    for (std::size_t i = 1; i < row.size(); ++i) fmt::print("  {:>{}}", row[i], width[i]);
    fmt::print("\n");
  }
}

void print_all(const std::vector<Inspected>& all) {
  Line names = {""};
  for (const Inspected& one : all) {
    names.push_back(one.name);
    fmt::print("{}: {}\n  {}\n", one.name, one.composition, one.file.string());
  }
  std::vector<Line> rows = {names};
  for (Line& row : resource_rows(all)) rows.push_back(std::move(row));
  fmt::print("\n");
  print_rows(rows);
  if (std::any_of(all.begin(), all.end(), [](const Inspected& one) { return !one.sass; })) {
    fmt::print("\nInstructions: neither cuobjdump nor nvdisasm is here (CUDA toolkit).\n");
    return;
  }
  if (all.size() == 2 && all[0].sass->instructions == all[1].sass->instructions) {
    fmt::print("\nBoth have the same machine code.\n");
  }
  fmt::print("\nInstructions in the code of the main kernel\n");
  print_rows(instruction_rows(all));
}

/// The composition computing the operator that was asked for. Throws UsageError when it cannot.
Composition composition_for(const Operator* named, const std::string& name,
                            const Registry& registry, const std::vector<Use>& uses) {
  const Composition composition(registry, uses);
  const Operator& op = named != nullptr ? *named : composition.op();
  if (const std::string refusal = composition.refuses(op); !refusal.empty()) {
    throw UsageError(fmt::format("inspect: {}: {}", name, refusal));
  }
  return composition.computing(op);
}

Problem problem_for(const Arguments& arguments, const SubjectWords& words, const Operator& op,
                    const Registry& registry) {
  const std::string op_name(op.name());
  const auto given = subject_problem(arguments, "inspect", words, op_name, registry);
  const ProblemSpec spec = given ? *given : preset_spec("ledger-48", fs::current_path(), op_name);
  Problem problem = spec.problem;
  // Presets have no types of their own; words and experiments do.
  const auto named = arguments.find("problem");
  const bool has_types = given && (!named || is_problem_of_experiment(*named, words, registry));
  if (!has_types) problem.types = Types::all(kUsual);
  if (const auto dtype = arguments.find("dtype")) {
    problem.types = Types::all(value_named<DType>(*dtype));
  }
  return problem;
}

}  // namespace

int inspect_command(const std::vector<std::string>& words) {
  Arguments arguments = inspect_arguments();
  if (!arguments.parse(words)) return 0;
  const std::string architecture = arguments.get("arch", arguments.get("device", "sm_90a"));
  require_one_architecture(architecture, "inspect");
  const Registry registry = load_registry(arguments);
  const SubjectWords split = split_words(arguments.words());
  if (split.names.size() != 1) {
    throw UsageError("inspect: name one variant, recipe or arm; --diff names a second");
  }
  if (arguments.has("arch") && arguments.has("device")) {
    throw UsageError("inspect: give either --arch or --device, not both");
  }
  const Operator* const named = named_operator(arguments, "inspect", split);
  std::vector<std::string> names = split.names;
  if (const auto other = arguments.find("diff")) names.push_back(*other);
  const Recipes recipes = recipes_for(arguments.find("recipes"), registry, names);
  std::vector<Inspected> all;
  all.reserve(names.size());
  for (const std::string& name : names) {
    const std::vector<Use> uses = with_levels(arguments, uses_of(name, registry, recipes));
    const Composition composition = composition_for(named, name, registry, uses);
    const Problem problem = problem_for(arguments, split, composition.op(), registry);
    if (all.empty()) fmt::print("{}, for {}\n", describe(problem), architecture);
    all.push_back(inspect(name, composition, problem, architecture));
  }
  print_all(all);
  for (const Inspected& one : all) {
    if (arguments.has("source")) fmt::print("\n{}", one.unit);
    if (arguments.has("sass") && one.sass) {
      fmt::print("\n{}\n{}\n", one.name, fmt::join(one.sass->instructions, "\n"));
    }
  }
  const bool lacks_code = std::ranges::any_of(all, [](const Inspected& one) { return !one.sass; });
  if (arguments.has("sass") && lacks_code) {
    throw EnvironmentError(
        "inspect: --sass needs cuobjdump or nvdisasm of the CUDA toolkit, and neither is here");
  }
  return 0;
}

}  // namespace msda
