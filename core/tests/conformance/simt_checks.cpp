#include "conformance/simt_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <set>

#include "conformance/combinations.hpp"
#include "conformance/covering.hpp"
#include "conformance/head_groups.hpp"
#include "conformance/offsets.hpp"
#include "conformance/passed.hpp"
#include "conformance/special_values.hpp"
#include "conformance/tiles.hpp"
#include "device/compiled_unit.hpp"
#include "device/simt/device.hpp"
#include "measure/verify.hpp"
#include "reference/compare.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

const std::vector<Case>& tile_cases() {
  static const std::vector<Case> kCases = make_cases(tile_problems());
  return kCases;
}

const std::vector<Case>& small_tile_cases() {
  static const std::vector<Case> kCases = make_cases(small_tile_problems());
  return kCases;
}

/// More rows of an image than 16 bits number.
const std::vector<Case>& many_row_cases() {
  static const std::vector<Case> kCases = [] {
    AwkwardProblem many;
    many.problem =
        named(make_problem({.queries = 66'000, .channels = 4, .points = 1, .levels = {{2, 2}}}));
    return make_cases({many});
  }();
  return kCases;
}

const std::vector<Case>& head_cases() {
  static const std::vector<Case> kCases = make_cases(head_problems());
  return kCases;
}

// Of the awkward problems, in fp16: of 5 points a level, and of 8.
constexpr std::size_t kOddPoints = 3;
constexpr std::size_t kManyPoints = 5;

/// Of several heads: fp16 with levels of many pixels, fp32, and fp16 with an odd number of points.
const std::vector<Case>& parameter_cases() {
  static const std::vector<Case> kCases = make_cases(
      {tile_problems().front(), awkward_problems().at(4), awkward_problems().at(kOddPoints)});
  return kCases;
}

/// `most` of the problems that the composition can run: those from number `first` on, round about.
std::vector<std::size_t> problems_for(const Composition& composition,
                                      const std::vector<AwkwardProblem>& problems,
                                      std::size_t first, std::size_t most) {
  static const DeviceInfo kDevice = open_device("simt")->info();
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < problems.size() && chosen.size() < most; ++i) {
    const std::size_t p = (first + i) % problems.size();
    if (!composition.unsupported(problems[p].problem, kDevice)) chosen.push_back(p);
  }
  return chosen;
}

/// Whether it goes over all values before it samples, which takes simt long where they are many.
bool has_value_prepass(const Composition& composition) {
  static const std::set<std::string_view> kWholly = {
      "channel-blocked", "float24-value", "fp8-value", "int8-value", "texture", "zero-border"};
  return std::ranges::any_of(composition.parts(),
                             [](const Part& part) { return kWholly.contains(part.plugin->name); });
}

std::string with_races(std::size_t seed) { return fmt::format("simt:{}:races", seed); }

std::unique_ptr<Device> device_of(const SimtCheck& check) {
  if (check.multiprocessors == 0) return open_device(check.device);
  const simt::Options options = parse_simt(check.device).value();
  DeviceInfo info = simt_info(options);
  info.multiprocessors = check.multiprocessors;
  return open_simt(options, info);
}

/// Of an output whose elements are rounded as float32 is, and nothing else.
std::string wrong_as_float(const Case& one, const Bytes& output) {
  const Bounds bounds(Arithmetic(), one.truths.front());
  const Comparison comparison =
      compare(one.truths.front().shape, output, one.truths.front().output, &bounds);
  if (comparison.row_excess <= 1 && comparison.element_excess <= 1) return "";
  return fmt::format("an error is {:.3g} times what float32 can do", comparison.row_excess);
}

/// What is wrong with the composition, compiled for the case's problem; "" too when it refuses.
std::string wrong_with(Device& device, const SimtCheck& check, const Case& one,
                       const Build& build) {
  const Composition& composition = check.composition;
  const Prepared prepared = device.load(composition, one.problem, build);
  DeviceInput input(device, one.input);
  for (int launch = 0; launch < check.launches; ++launch) {
    const Verdict verdict = verify(device, *prepared.executable, composition, input, one.problem,
                                   truths_of(one, composition));
    if (!verdict.right) return verdict.reason;
  }
  return check.is_exact ? wrong_as_float(one, input.download_output(0)) : "";
}

using Compile = std::function<Build(const Composition&, const Problem&)>;

std::string run_cases(Device& device, const SimtCheck& check, const Compile& compile) {
  if (check.suite == "images") {
    return wrong_with_vast_image(check.composition, compile(check.composition, vast_image()));
  }
  if (check.cases.empty()) {
    return wrong_with_offsets(check.composition,
                              compile(check.composition, vast_problem(check.composition)));
  }
  for (const std::size_t number : check.cases) {
    const Case& one = check.pool().at(number);
    if (check.composition.unsupported(one.problem, device.info())) continue;
    const std::string wrong =
        wrong_with(device, check, one, compile(check.composition, one.problem));
    if (!wrong.empty()) return fmt::format("{}: {}", one.problem.name, wrong);
  }
  return "";
}

std::string run_with(Device& device, const SimtCheck& check, const Compile& compile) {
  try {
    return run_cases(device, check, compile);
  } catch (const Unsupported& refusal) {
    return check.cases.empty() || check.has_to_run ? refusal.what() : "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// Each composition on two of head_problems(), with races looked for.
std::vector<SimtCheck> on_head_problems(const std::string& suite,
                                        const std::vector<Composition>& compositions,
                                        int launches) {
  const std::vector<AwkwardProblem> problems = head_problems();
  std::vector<SimtCheck> checks;
  for (const Composition& composition : compositions) {
    const std::size_t n = checks.size();
    checks.push_back({suite, check_name(n, composition), composition, with_races(n), head_cases,
                      problems_for(composition, problems, n, 2), launches});
  }
  return checks;
}

}  // namespace

void PrintTo(const SimtCheck& check, std::ostream* out) { *out << check.composition.describe(); }

std::string check_name(std::size_t n, const Composition& composition) {
  std::vector<std::string> names;
  for (const Part& part : composition.parts()) names.push_back(test_name(part.plugin->name));
  return fmt::format("{}_{}", n, fmt::join(names, "_"));
}

std::vector<SimtCheck> alone_checks() {
  constexpr std::size_t kProblems = 3;
  constexpr std::size_t kLargestIsLast = 1;   // a scale that misses it is too small
  constexpr std::size_t kRowsInTwoWarps = 8;  // rows of 6 lanes: stages are shared among warps
  std::vector<SimtCheck> checks;
  for (const std::string& name : shipped_names(DeviceKind::kCuda)) {
    const std::size_t n = checks.size();
    const Composition composition = shipped_composition(name);
    const std::size_t first = fills_slot(composition, "fetch")        ? kRowsInTwoWarps
                              : fills_slot(composition, "arithmetic") ? kLargestIsLast
                                                                      : n * kProblems;
    checks.push_back({"alone", test_name(name), composition, with_races(n), awkward_cases,
                      problems_for(composition, awkward_problems(), first, kProblems)});
  }
  return checks;
}

std::vector<SimtCheck> tile_checks() {
  std::vector<SimtCheck> checks;
  const auto add = [&](const std::vector<Composition>& compositions,
                       const std::vector<std::size_t>& cases) {
    for (const Composition& composition : compositions) {
      const std::size_t n = checks.size();
      checks.push_back({"tiles", check_name(n, composition), composition, with_races(n),
                        has_value_prepass(composition) ? small_tile_cases : tile_cases, cases});
    }
  };
  // The two blocks take several items each where there are more images than blocks, or more tiles.
  add(item_for_each_tile(), {0, 2});
  add(item_for_each_image(), {0, 1});
  checks.push_back(
      {"tiles", "many_rows", shipped_composition("default"), "simt", many_row_cases, {0}});
  return checks;
}

std::vector<SimtCheck> side_checks() {
  const Use two_sides{"corner-pair", {{"threads", std::int64_t{64}}}};
  const Use moves_taps{"wide-points", {{"outside-together", true}}};
  std::vector<SimtCheck> checks;
  for (const std::string& name : shipped_names(DeviceKind::kCuda)) {
    const bool is_fetch = fills_slot(shipped_composition(name), "fetch");
    if (!is_fetch && !fills_slot(shipped_composition(name), "metadata")) continue;
    const std::size_t n = checks.size();
    const Use beside = is_fetch ? moves_taps : Use{"mixed-precision", {}};
    const Composition composition(shipped_plugins(),
                                  std::vector<Use>{two_sides, beside, {name, {}}});
    checks.push_back({"sides",
                      check_name(n, composition),
                      composition,
                      with_races(n),
                      awkward_cases,
                      {kOddPoints, kManyPoints}});
  }
  // One channel is no two halves: the left side has the sums of both.
  const Composition one_channel(shipped_plugins(),
                                std::vector<Use>{{"corner-pair", {{"width", std::int64_t{1}}}}});
  checks.push_back({"sides",
                    check_name(checks.size(), one_channel),
                    one_channel,
                    with_races(checks.size()),
                    awkward_cases,
                    {kOddPoints}});
  return checks;
}

std::vector<SimtCheck> parameter_checks() {
  const std::vector<AwkwardProblem> problems = {tile_problems().front(), awkward_problems().at(4),
                                                awkward_problems().at(kOddPoints)};
  std::vector<Composition> compositions = other_choices();
  std::ranges::move(odd_numbers(), std::back_inserter(compositions));
  std::vector<SimtCheck> checks;
  for (const Composition& composition : compositions) {
    const std::size_t n = checks.size();
    std::vector<std::size_t> cases = problems_for(composition, problems, n, 1);
    if (cases.empty()) continue;
    checks.push_back({"parameters", check_name(n, composition), composition, with_races(n),
                      parameter_cases, std::move(cases)});
  }
  return checks;
}

std::vector<SimtCheck> head_group_checks() { return on_head_problems("heads", head_groups(), 1); }

std::vector<SimtCheck> launch_checks() {
  constexpr int kLaunches = 6;  // the last learn nothing any more
  std::vector<SimtCheck> checks = on_head_problems("launches", launches_in_a_row(), kLaunches);
  // More blocks than a warp has lanes, of which each then deals the shares of several.
  SimtCheck many = checks.front();
  many.name = "many_blocks_" + many.name;
  many.multiprocessors = 66;
  many.cases = {0};
  checks.push_back(std::move(many));
  return checks;
}

std::vector<SimtCheck> value_checks() {
  std::vector<SimtCheck> checks;
  for (const SpecialCase& special : special_values()) {
    SimtCheck check{"values",
                    check_name(checks.size(), special.composition),
                    special.composition,
                    with_races(checks.size()),
                    special_cases,
                    special.cases};
    check.is_exact = special.is_exact;
    checks.push_back(std::move(check));
  }
  return checks;
}

std::vector<SimtCheck> offset_checks() {
  std::vector<Composition> compositions = item_for_each_tile();
  for (const std::string& name : shipped_names(DeviceKind::kCuda)) {
    Composition one = shipped_composition(name);
    if (one.skeleton() == "whole" || fills_slot(one, "order"))
      compositions.push_back(std::move(one));
  }
  // Blocks that take the next item from a counter begin with the first image's; textures have not
  // so many texels.
  const DeviceInfo device = device_of_vast_problem();
  std::erase_if(compositions, [&](const Composition& composition) {
    return has_trait(composition, "takes-items-alone") ||
           has_trait(composition, "fetches-texels") ||
           composition.unsupported(vast_problem(composition), device);
  });
  std::vector<SimtCheck> checks;
  checks.reserve(compositions.size());
  for (const Composition& composition : compositions) {
    checks.push_back(
        {"offsets", check_name(checks.size(), composition), composition, "simt", nullptr, {}});
  }
  return checks;
}

std::vector<SimtCheck> image_checks() {
  std::vector<Composition> compositions = item_for_each_tile();
  compositions.push_back(shipped_composition("im2col"));
  // 8 bytes are less than TMA copies: boxes of words.
  const Use narrow{"channel-split", {{"channels", std::int64_t{4}}}};
  compositions.emplace_back(shipped_plugins(), std::vector<Use>{{"tma-boxes", {}}, narrow});
  // Points of 8 bytes have 16 bits for an offset.
  const Use compact{"shared-metadata", {{"compact", true}}};
  compositions.emplace_back(shipped_plugins(), std::vector<Use>{compact, {"mixed-precision", {}}});
  // Textures have not so many texels, here as in the vast problems.
  const DeviceInfo device = open_device("simt")->info();
  std::erase_if(compositions, [&](const Composition& composition) {
    return has_value_prepass(composition) || has_trait(composition, "fetches-texels") ||
           composition.unsupported(vast_image(), device);
  });
  std::vector<SimtCheck> checks;
  checks.reserve(compositions.size());
  for (const Composition& composition : compositions) {
    checks.push_back(
        {"images", check_name(checks.size(), composition), composition, "simt", nullptr, {}});
  }
  return checks;
}

std::vector<SimtCheck> combination_checks() {
  std::vector<SimtCheck> checks;
  std::size_t n = 0;
  for (const Composition& composition : random_compositions(60, 20260101)) {
    const std::string name = check_name(n, composition);
    const std::string device = n % 2 == 0 ? with_races(n) : fmt::format("simt:{}", n);
    checks.push_back({"combinations", name, composition, device, awkward_cases, {3, 5, 6}});
    if (n % 3 == 0) {
      checks.push_back(
          {"combinations", name + "_tiles", composition, with_races(n), tile_cases, {1}});
    }
    ++n;
  }
  return checks;
}

std::vector<SimtCheck> covering_checks(std::size_t part, std::size_t parts) {
  std::vector<SimtCheck> checks;
  const std::vector<Covering>& array = covering_array();
  for (std::size_t n = part; n < array.size(); n += parts) {
    const Composition& composition = array[n].composition;
    checks.push_back({"covering",
                      check_name(n, composition),
                      composition,
                      n % 2 == 0 ? with_races(n) : fmt::format("simt:{}", n),
                      awkward_cases,
                      {array[n].problem}});
  }
  return checks;
}

std::string run(const SimtCheck& check) {
  const Passed passed(check.suite + '.' + check.name, check.composition,
                      fmt::format("{} {} {} {} {}", check.device, check.launches,
                                  check.multiprocessors, check.is_exact, check.cases));
  if (passed.before()) return "";
  const auto device = device_of(check);
  std::string wrong = run_on(*device, check);
  if (wrong.empty()) passed.note();
  return wrong;
}

std::string run_on(Device& device, const SimtCheck& check) {
  return run_with(device, check, [&](const Composition& composition, const Problem& problem) {
    return device.compile(composition, problem);
  });
}

std::string run(const SimtCheck& check, const Edit& edit, const std::filesystem::path& cache) {
  const HostCompiler compiler(cache);
  const auto device = device_of(check);
  return run_with(*device, check, [&](const Composition& composition, const Problem& problem) {
    ComposedUnit composed = write_unit(composition, problem);
    edit(composed.unit);
    Module module = compiler.compile(composed.unit);
    Build build;
    build.unit =
        std::make_shared<CompiledUnit>(CompiledUnit{std::move(composed), std::move(module)});
    return build;
  });
}

}  // namespace msda
