#include "compose/unit_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include <msda/launch.cuh>

#include "compose/level_class.hpp"
#include "compose/skeleton.hpp"
#include "hash.hpp"

namespace msda::embedded::core {
extern const EmbeddedSource kSources[];
}

namespace msda {
namespace {

std::string identifier(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// What a profiler shows of a name stays on its screen.
constexpr std::size_t kMostSymbolCharacters = 96;

/// A parameter that is not at its default: its value, or for a flag its name.
std::string setting_text(const ParameterSpec& spec, const ParameterValue& value) {
  if (value == spec.default_value) return "";
  if (const auto* flag = std::get_if<bool>(&value)) return (*flag ? "_" : "_no_") + spec.name;
  return "_" + to_string(value);
}

/// "direct_with_corner_pair_512_and_smem_levels_76": the struct that is the template argument of
/// every kernel of the composition, so that a profiler tells kernels apart. A name that is too long
/// ends in a hash of the whole composition.
std::string symbol_of(const Composition& composition) {
  std::string text = composition.skeleton();
  if (composition.op().borrows()) text = fmt::format("{}_{}", composition.op().name(), text);
  const char* before = "_with_";
  for (const Part& part : composition.parts()) {
    text += before + part.plugin->name;
    for (const ParameterSpec& spec : part.plugin->variant->info().parameters) {
      if (!spec.is_file) text += setting_text(spec, part.parameters.values().at(spec.name));
    }
    before = "_and_";
  }
  if (composition.parts().empty()) text += "_defaults";
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  if (text.size() <= kMostSymbolCharacters) return text;
  constexpr std::size_t kDigits = 8;
  return text.substr(0, kMostSymbolCharacters - kDigits - 1) + "_" +
         hash_hex(composition.describe()).substr(0, kDigits);
}

/// A constant chain `l == 0 ? a : l == 1 ? b : c`: folds when l is a constant, needs no memory when
/// not.
std::string chain(const std::vector<std::int64_t>& values) {
  std::string text;
  for (std::size_t l = 0; l + 1 < values.size(); ++l) {
    text += fmt::format("level == {} ? {} : ", l, values[l]);
  }
  return text + std::to_string(values.back());
}

/// Where level sizes are no constants: whose they are, and the class of the pyramid.
std::string run_time_levels_text(const Problem& problem, LevelForm form) {
  const LevelClass pyramids = class_of(problem, form);
  return fmt::format(
      R"(  using Sizes = msda::{}Sizes;
  static constexpr msda::LevelClass kClass = {{.packs = {}, .least = {}, .most = {}}};
  static constexpr unsigned kUnasked = {};  // bit n: the operator's tensor n is null
  static constexpr bool kBordered = {};
)",
      form == LevelForm::kGiven ? "Given" : "Stored", pyramids.packs, pyramids.least, pyramids.most,
      problem.unasked, problem.layout == ValueLayout::kZeroBorder);
}

std::string fixed_levels_text(const Problem& problem) {
  std::vector<std::int64_t> heights;
  std::vector<std::int64_t> widths;
  for (const Level& level : problem.levels) {
    heights.push_back(level.height);
    widths.push_back(level.width);
  }
  return fmt::format(
      R"(  static constexpr long long kSpatialSize = {};
  static constexpr unsigned kUnasked = {};  // bit n: the operator's tensor n is null
  static constexpr bool kBordered = {};
  static constexpr int height(int level) {{ return {}; }}
  static constexpr int width(int level) {{ return {}; }}
  static constexpr int start(int level) {{ return {}; }}
)",
      problem.spatial_size(), problem.unasked, problem.layout == ValueLayout::kZeroBorder,
      chain(heights), chain(widths), chain(problem.level_starts()));
}

/// Where levels differ in their points (msda/level_points.cuh).
std::string level_points_text(const Problem& problem) {
  if (problem.level_points.empty()) return "";
  std::vector<std::int64_t> first;
  for (std::size_t l = 0; l < problem.levels.size(); ++l) first.push_back(problem.first_point(l));
  return fmt::format(
      R"(  static constexpr int kRowPoints = {};
  static constexpr int points(int level) {{ return {}; }}
  static constexpr int first_point(int level) {{ return {}; }}
)",
      problem.row_points(), chain(problem.level_points), chain(first));
}

std::string problem_text(const Problem& problem, LevelForm form) {
  return fmt::format(
      R"(struct Problem {{
  using Value = {};
  using Location = {};
  using Weight = {};
  using Output = {};
  static constexpr int kHeads = {};
  static constexpr int kChannels = {};
  static constexpr int kLevels = {};
  static constexpr int kPoints = {};
{}{}}};
)",
      traits_of(problem.types.value).device_type, traits_of(problem.types.location).device_type,
      traits_of(problem.types.weight).device_type, traits_of(problem.types.output).device_type,
      problem.heads, problem.channels, problem.level_count(), problem.points,
      level_points_text(problem),
      form == LevelForm::kFixed ? fixed_levels_text(problem) : run_time_levels_text(problem, form));
}

/// A parameter as a C++ constant. Floating-point values are written in hexadecimal, hence exactly;
/// a string becomes its index among the declared choices.
std::string constant(const std::string& variant, const ParameterSpec& spec,
                     const ParameterValue& value) {
  const std::string name = identifier(spec.name);
  if (const auto* flag = std::get_if<bool>(&value)) {
    return fmt::format("  static constexpr bool {} = {};\n", name, *flag);
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return fmt::format("  static constexpr long long {} = {};\n", name, *integer);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return fmt::format("  static constexpr double {} = {:a};\n", name, *real);
  }
  const auto found = std::find(spec.choices.begin(), spec.choices.end(), value);
  if (found == spec.choices.end()) {
    throw UsageError(
        fmt::format("variant '{}': parameter '{}' is text without declared choices, which device "
                    "code cannot take",
                    variant, spec.name));
  }
  return fmt::format("  static constexpr int {} = {};  // \"{}\"\n", name,
                     found - spec.choices.begin(), std::get<std::string>(value));
}

std::string parameters_text(const Part& part, const Problem& problem) {
  const Parameters parameters = settled(part, problem);
  std::string text = fmt::format("struct {}_parameters {{\n", identifier(part.plugin->name));
  for (const ParameterSpec& spec : part.plugin->variant->info().parameters) {
    text += constant(part.plugin->name, spec, parameters.values().at(spec.name));
  }
  return text + "};\n";
}

/// Numbers of the filled slots, with the names of what fills them.
std::map<int, std::string> filled_slots(const Composition& composition, const Skeleton& skeleton) {
  std::map<int, std::string> names;
  for (const Part& part : composition.parts()) {
    names.emplace(skeleton.find(optimization(part).slot().slot)->number, part.plugin->name);
  }
  return names;
}

/// Every pass that a policy may have: before the main kernel those of filled slots and those that
/// the skeleton's slots share, after it those of the slots that the skeleton names.
std::vector<PassKernel> passes_of(const std::map<int, std::string>& filled,
                                  const Skeleton& skeleton, const std::string& composition) {
  std::vector<PassKernel> passes;
  const auto add = [&](Pass when, const SkeletonSlot& slot) {
    const auto found = filled.find(slot.number);
    passes.push_back(
        {when, slot.number,
         fmt::format("{}::{}<{}, {}>", skeleton.space, when == kBefore ? "prepass" : "postpass",
                     composition, slot.number),
         found != filled.end() ? found->second : slot.name});
  };
  const auto has = [](const std::vector<int>& slots, int number) {
    return std::find(slots.begin(), slots.end(), number) != slots.end();
  };
  for (const SkeletonSlot& slot : skeleton.slots) {
    const bool shares = !filled.empty() && has(skeleton.shared_prepasses, slot.number);
    if (filled.contains(slot.number) || shares) add(kBefore, slot);
  }
  for (const SkeletonSlot& slot : skeleton.slots) {
    if (has(skeleton.postpasses, slot.number)) add(kAfter, slot);
  }
  return passes;
}

/// What is embedded up to the null pointers that end the list.
std::vector<UnitHeader> listed(const EmbeddedSource* source) {
  std::vector<UnitHeader> headers;
  for (; source != nullptr && source->path != nullptr; ++source) {
    headers.push_back({source->path, source->text});
  }
  return headers;
}

/// Has the compiler name the plugin, or who else gave the policy, and the contract that the policy
/// does not keep, before it meets what is missing inside the skeleton.
std::string contract_check(std::string_view whose, std::string_view name, const SkeletonSlot& slot,
                           const Skeleton& skeleton) {
  return fmt::format(
      "static_assert({3}::{0}Policy<K::{0}, K>,\n"
      "              \"{4} '{1}' does not satisfy {3}::{0}Policy, the contract of slot "
      "'{2}'\");\n",
      slot.member, name, slot.name, skeleton.contracts, whose);
}

}  // namespace

const std::vector<UnitHeader>& device_headers() {
  static const std::vector<UnitHeader> kHeaders = listed(embedded::core::kSources);
  return kHeaders;
}

ComposedUnit write_unit(const Composition& placed, const Problem& problem,
                        const std::string& space) {
  // On how many devices code runs is no concern of the code.
  const Composition composition = placed.on_one_device();
  const Skeleton& skeleton = msda::skeleton(composition.skeleton());
  ComposedUnit composed;
  Unit& unit = composed.unit;
  unit.label = composition.describe();
  unit.headers = device_headers();
  for (const Operator* op : std::set{&operator_of(skeleton.name), &composition.op()}) {
    std::ranges::move(listed(op->sources()), std::back_inserter(unit.headers));
  }
  std::string includes = fmt::format("#include <{}>\n", skeleton.header);
  std::string parameters;
  std::string slots;
  std::string contracts;
  for (const Part& part : composition.parts()) {
    const auto& slot = optimization(part).slot();
    const std::string name = identifier(part.plugin->name);
    for (const EmbeddedSource& source : part.plugin->sources) {
      unit.headers.push_back({source.path, source.text});
    }
    includes += fmt::format("#include <{}>\n", slot.header);
    parameters += parameters_text(part, problem);
    const SkeletonSlot& place = *skeleton.find(slot.slot);
    slots += fmt::format("  template <class K>\n  using {} = {}<K, {}_parameters>;\n", place.member,
                         slot.type, name);
    contracts += contract_check("plugin", part.plugin->name, place, skeleton);
  }
  if (const auto borrowed = composition.op().borrows()) {
    const SkeletonSlot& place = *skeleton.find(borrowed->slot);
    const std::string name = identifier(std::string(composition.op().name()));
    includes += fmt::format("#include <{}>\n", borrowed->header);
    parameters += fmt::format("struct {}_parameters {{\n{}}};\n", name,
                              composition.op().policy_parameters(problem));
    slots += fmt::format(
        "  using Arguments = {};\n  template <class K>\n  using {} = {}<K, {}_parameters>;\n",
        fmt::format(fmt::runtime(borrowed->arguments), name + "_parameters"), place.member,
        borrowed->type, name);
    contracts += contract_check("operator", composition.op().name(), place, skeleton);
  }
  const std::string symbol = symbol_of(composition);
  unit.text = fmt::format(
      "// {0}\n{1}\nnamespace {8} {{\n{2}{3}struct {4} : {5}::Defaults<Problem> {{\n{6}}};\n"
      "using K = {5}::Composed<{4}>;\n{7}}}  // namespace {8}\n",
      composition.describe(), includes, problem_text(problem, composition.levels()), parameters,
      symbol, skeleton.space, slots, contracts, space);

  composed.slots = skeleton.slot_names();
  composed.filled_slots = filled_slots(composition, skeleton);
  const std::string type = fmt::format("{}::{}", space, symbol);
  composed.main_kernel = fmt::format("{}::kernel<{}>", skeleton.space, type);
  if (composition.levels() == LevelForm::kGiven) {
    for (int resident = 0; resident <= kMostResident; ++resident) {
      composed.sized_kernels.push_back(
          fmt::format("{}::sized_kernel<{}, {}>", skeleton.space, type, resident));
    }
    composed.main_kernel = composed.sized_kernels.front();
    unit.kernels = composed.sized_kernels;
  } else {
    unit.kernels.push_back(composed.main_kernel);
  }
  unit.plan = fmt::format("&{}::plan<{}>", skeleton.space, type);
  composed.constant_plan = fmt::format("{}::make_plan<{}::K>()", skeleton.space, space);
  composed.passes = passes_of(composed.filled_slots, skeleton, type);
  for (const PassKernel& pass : composed.passes) unit.kernels.push_back(pass.expression);
  return composed;
}

}  // namespace msda
