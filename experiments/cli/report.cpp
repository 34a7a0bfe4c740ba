#include "report.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

namespace msda {
namespace {

struct Format {
  const char* name;
  std::string (*text)(const Report& report);
};

std::string effects_csv(const Report& report) {
  if (!report.ablation) throw UsageError("report: the run's experiment has no ablation");
  return effects_to_csv(*report.ablation);
}

constexpr Format kFormats[] = {
    {"terminal", [](const Report& r) { return to_terminal(r, wants_colour(stdout)); }},
    {"md", to_markdown},
    {"html", to_html},
    {"tex", to_latex},
    {"csv", to_csv},
    {"records-csv", to_samples_csv},
    {"claims-csv", to_claims_csv},
    {"effects-csv", effects_csv},
    {"json", [](const Report& r) { return to_json(r).dump(2) + "\n"; }}};

}  // namespace

int report_command(const std::vector<std::string>& words) {
  Arguments arguments(
      {"report DIR [OPTION...]",
       "Makes the report of a run again from its manifest and records, and prints it.\n"
       "An interrupted run is reported as far as it went.",
       "  msda report results/quickstart/20240131-120000\n"
       "  msda report results/quickstart/20240131-120000 --format csv > table.csv\n"});
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  arguments.option("format", "NAME", fmt::format("{}; default terminal", fmt::join(names, ", ")));
  arguments.words("DIR", 1, 1);
  if (!arguments.parse(words)) return 0;
  const std::string wanted = arguments.get("format", "terminal");
  for (const Format& format : kFormats) {
    if (format.name != wanted) continue;
    const Report report = make_report(std::filesystem::path(arguments.words().front()));
    fmt::print("{}", format.text(report));
    return 0;
  }
  throw UsageError(fmt::format("report: no format '{}'{}; there are: {}", wanted,
                               suggestion(wanted, names), fmt::join(names, ", ")));
}

}  // namespace msda
