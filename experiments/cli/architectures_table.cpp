// What there is for each architecture: what compiles, what it was run on, winners of searches.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <msda/error.hpp>

#include "cli/architecture.hpp"
#include "jit/occupancy.hpp"
#include "results/run_data.hpp"
#include "runner/experiment/winners.hpp"
#include "runner/publish/checkout.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// Of one compute capability.
struct Measured {
  std::set<std::string> gpus;  ///< that published runs or winners are of
  int winners = 0;
};

/// The manifests of the runs that the checkout at hand publishes; none outside of one.
std::vector<Manifest> published_runs() {
  std::vector<Manifest> manifests;
  std::error_code error;
  try {
    const fs::path results = Checkout(fs::current_path()).root() / "docs" / "results";
    for (const auto& entry : fs::directory_iterator(results, error)) {
      if (!entry.path().string().ends_with(kArchiveSuffix)) continue;
      manifests.push_back(read_run(entry.path()).manifest);
    }
  } catch (const Error&) {  // an installed program has no checkout
  }
  return manifests;
}

std::map<int, Measured> measured(const Registry& registry) {
  std::map<int, Measured> by_capability;
  const auto add = [&](const DeviceInfo& device, int winners) {
    if (device.kind != DeviceKind::kCuda) return;
    Measured& of = by_capability[device.compute_capability];
    of.gpus.insert(device.name);
    of.winners += winners;
  };
  std::vector<std::string> notes;
  if (const auto shipped = shipped_experiment("winners.yaml")) {
    for (const Winner& winner : read_winners(*shipped, registry, notes)) add(winner.device, 1);
  }
  for (const Manifest& manifest : published_runs()) {
    if (manifest.device) add(*manifest.device, 0);
  }
  return by_capability;
}

/// Without the composition's name and its numbers, so that like reasons are counted together.
std::string reason_of(const CompileOutcome& refused) {
  for (const std::string_view begin : {": a block exceeds", "': "}) {
    const std::size_t at = refused.text.find(begin);
    if (at == std::string::npos) continue;
    return refused.text.substr(at + (begin.front() == ':' ? 2 : begin.size()));
  }
  return refused.text;
}

/// "none", "8: clusters need compute capability 9.0; 4 for other reasons"
std::string refused_text(const std::vector<CompileOutcome>& outcomes) {
  std::map<std::string, int> reasons;
  int all = 0;
  for (const CompileOutcome& one : outcomes) {
    if (one.word != "refused") continue;
    ++reasons[reason_of(one)];
    ++all;
  }
  if (reasons.empty()) return "none";
  const auto most =
      std::ranges::max_element(reasons, {}, [](const auto& reason) { return reason.second; });
  const std::string first = fmt::format("{}: {}", most->second, most->first);
  if (all == most->second) return first;
  return fmt::format("{}; {} for other reasons", first, all - most->second);
}

}  // namespace

bool print_architectures(const std::vector<CompileTarget>& targets, const Registry& registry,
                         const ProblemSpec& spec, const std::vector<std::string>& architectures) {
  for (const std::string& one : architectures) capability_of(one);  // refuses what is unknown
  const std::map<int, Measured> known = measured(registry);
  bool all_good = true;
  fmt::print(
      "| architecture | compiles | was run on | winners | refused |\n"
      "| :--- | ---: | :--- | ---: | :--- |\n");
  for (const std::string& architecture : architectures) {
    const auto outcomes = try_all(targets, registry, spec, architecture);
    const auto count = [&](std::string_view word) {
      return std::ranges::count(outcomes, word, &CompileOutcome::word);
    };
    all_good = all_good && count("failed") == 0;
    const auto found = known.find(capability_of(architecture));
    const Measured of = found == known.end() ? Measured{} : found->second;
    fmt::print("| {} | {} of {} | {} | {} | {} |\n", architecture, count("compiles"),
               count("compiles") + count("refused") + count("failed"),
               of.gpus.empty() ? "no GPU" : fmt::format("{}", fmt::join(of.gpus, ", ")), of.winners,
               refused_text(outcomes));
    std::fflush(stdout);
  }
  return all_good;
}

}  // namespace msda
