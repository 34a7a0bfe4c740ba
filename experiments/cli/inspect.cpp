#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "compose/unit_writer.hpp"
#include "jit/compiler.hpp"
#include "jit/launch_plan.hpp"
#include "jit/occupancy.hpp"
#include "jit/sass.hpp"
#include "problem/validate.hpp"
#include "runner/spec/experiment.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

Arguments inspect_arguments() {
  Arguments arguments({"inspect VARIANT|RECIPE [OPTION...]",
                       "Compiles a composition for an architecture, with or without a GPU at hand, "
                       "and says what came\n"
                       "of it: the generated unit, registers, shared memory, spills, occupancy "
                       "and, where cuobjdump\n"
                       "or nvdisasm is there, which instructions the kernel is made of.",
                       "  msda inspect fastest --arch sm_90a --problem ddetr-encoder --dtype fp16\n"
                       "  msda inspect fastest --diff wide-loads\n"
                       "  msda inspect smem-levels --source\n"});
  arguments.option("arch", "SM", "architecture, as NVRTC knows it (default: sm_90a)");
  arguments.option("problem", "PRESET", "the problem whose constants it gets (default: ledger-48)");
  arguments.option("dtype", "T", "fp32, fp16 or bf16 (default: fp16)");
  arguments.option("diff", "OTHER", "another variant or recipe, beside the first");
  arguments.option("recipes", "FILE", "where recipes are looked up (default: the shipped ones)");
  arguments.flag("source", "print the generated unit");
  arguments.flag("sass", "print the main kernel's machine code");
  arguments.plugin_option();
  arguments.words("VARIANT|RECIPE", 1, 1);
  return arguments;
}

/// A composition, compiled.
struct Inspected {
  std::string name;
  std::string composition;
  std::string unit;
  Module module;
  LaunchPlan plan;
  KernelBuild main;
  std::optional<SassFunction> sass;  ///< absent without a disassembler
};

std::vector<Use> uses_of(const std::string& name, const Registry& registry,
                         const Recipes& recipes) {
  const auto recipe = recipes.find(name);
  if (recipe != recipes.end()) return usable(recipe->second);
  registry.find(name);
  return {{name, {}}};
}

std::optional<SassFunction> main_sass(const Module& module, const std::string& symbol) {
  auto functions = disassemble(module.directory / "kernel.cubin");
  if (!functions) return std::nullopt;
  for (SassFunction& function : *functions) {
    if (function.symbol == symbol) return std::move(function);
  }
  return std::nullopt;
}

Inspected inspect(const std::string& name, const std::vector<Use>& uses, const Registry& registry,
                  const Problem& problem, const std::string& architecture) {
  const Composition composition(registry, uses);
  if (composition.kernel() != nullptr) {
    throw UsageError(
        fmt::format("inspect: '{}' is a whole kernel of its plugin; compositions are "
                    "what is compiled here",
                    name));
  }
  const ComposedUnit composed = write_unit(composition, problem);
  Inspected inspected{name,
                      composition.describe(),
                      composed.unit.text,
                      Compiler().compile(composed.unit, architecture),
                      {},
                      {},
                      std::nullopt};
  inspected.plan = read_plan(inspected.module);
  inspected.main = inspected.module.kernels.at(composed.main_kernel);
  inspected.sass = main_sass(inspected.module, inspected.main.symbol);
  return inspected;
}

/// One line of what is known: its name and the value of each composition.
using Row = std::vector<std::string>;

std::vector<Row> resource_rows(const std::vector<Inspected>& all, const SmLimits& limits) {
  std::vector<Row> rows(8);
  const char* titles[] = {"threads of a block", "registers of a thread", "shared memory [B]",
                          "spilled [B]",        "blocks on an SM",       "occupancy",
                          "limited by",         "resident grid"};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].emplace_back(titles[i]);
  for (const Inspected& one : all) {
    const LaunchShape& shape = one.plan.main;
    const std::int64_t shared = one.main.static_shared_bytes + shape.shared_bytes;
    const Occupancy fits =
        occupancy(limits, static_cast<int>(shape.threads), one.main.registers, shared);
    rows[0].push_back(std::to_string(shape.threads));
    rows[1].push_back(std::to_string(one.main.registers));
    rows[2].push_back(std::to_string(shared));
    rows[3].push_back(std::to_string(one.main.spill_bytes));
    rows[4].push_back(std::to_string(fits.blocks));
    rows[5].push_back(fmt::format("{:.0f}%", fits.share * 100));
    rows[6].push_back(fits.limit);
    rows[7].push_back(
        shape.resident_blocks == 0 ? "no" : fmt::format("{} of each SM", shape.resident_blocks));
  }
  return rows;
}

std::vector<Row> instruction_rows(const std::vector<Inspected>& all) {
  std::vector<std::map<std::string, int>> counts;
  std::map<std::string, int> together;
  for (const Inspected& one : all) {
    counts.push_back(one.sass ? opcode_counts(*one.sass) : std::map<std::string, int>{});
    for (const auto& [name, count] : counts.back()) together[name] += count;
  }
  std::vector<std::pair<std::string, int>> order(together.begin(), together.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Row> rows;
  for (const auto& [name, total] : order) {
    Row& row = rows.emplace_back(Row{name});
    for (auto& count : counts) row.push_back(std::to_string(count[name]));
  }
  return rows;
}

void print_rows(const std::vector<Row>& rows) {
  if (rows.empty()) return;
  std::vector<std::size_t> width(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  for (const Row& row : rows) {
    fmt::print("  {:<{}}", row[0], width[0]);
    for (std::size_t i = 1; i < row.size(); ++i) fmt::print("  {:>{}}", row[i], width[i]);
    fmt::print("\n");
  }
}

void print_all(const std::vector<Inspected>& all, const SmLimits& limits) {
  Row names = {""};
  for (const Inspected& one : all) {
    names.push_back(one.name);
    fmt::print("{}: {}\n  {}\n", one.name, one.composition,
               (one.module.directory / "unit.cu").string());
  }
  std::vector<Row> rows = {names};
  for (Row& row : resource_rows(all, limits)) rows.push_back(std::move(row));
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

}  // namespace

int inspect_command(const std::vector<std::string>& words) {
  Arguments arguments = inspect_arguments();
  if (!arguments.parse(words)) return 0;
  const std::string architecture = arguments.get("arch", "sm_90a");
  const SmLimits limits = sm_limits(architecture);
  const Registry registry = load_registry(arguments);
  const Recipes recipes = recipes_for(arguments.find("recipes"), registry);
  Problem problem = preset_spec(arguments.get("problem", "ledger-48"), fs::current_path()).problem;
  problem.types = Types::all(parse_dtype(arguments.get("dtype", "fp16")));
  std::vector<std::string> names = {arguments.words().front()};
  if (const auto other = arguments.find("diff")) names.push_back(*other);
  std::vector<Inspected> all;
  for (const std::string& name : names) {
    all.push_back(inspect(name, uses_of(name, registry, recipes), registry, problem, architecture));
  }
  print_all(all, limits);
  for (const Inspected& one : all) {
    if (arguments.has("source")) fmt::print("\n{}", one.unit);
    if (arguments.has("sass") && one.sass) {
      fmt::print("\n{}\n{}\n", one.name, fmt::join(one.sass->instructions, "\n"));
    }
  }
  return 0;
}

}  // namespace msda
