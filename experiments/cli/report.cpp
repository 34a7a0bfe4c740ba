#include "report.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

namespace msda {

int report_command(const std::vector<std::string>& words) {
  Arguments arguments(
      {"report DIR [OPTION...]",
       "Makes the report of a run again from its manifest and records, and prints it.\n"
       "An interrupted run is reported as far as it went.",
       "  msda report results/quickstart/20240131-120000\n"
       "  msda report results/quickstart/20240131-120000 --format csv > table.csv\n"});
  arguments.option("format", "NAME", "terminal (default), md, csv, claims-csv or json");
  arguments.words("DIR", 1, 1);
  if (!arguments.parse(words)) return 0;
  const std::string format = arguments.get("format", "terminal");
  const std::vector<std::string> formats = {"terminal", "md", "csv", "claims-csv", "json"};
  if (nearest(format, formats) != format) {
    throw UsageError(fmt::format("report: no format '{}'{}; there are: {}", format,
                                 suggestion(format, formats), fmt::join(formats, ", ")));
  }
  const Report report = make_report(std::filesystem::path(arguments.words().front()));
  if (format == "terminal") fmt::print("{}", to_terminal(report, wants_colour(stdout)));
  if (format == "md") fmt::print("{}", to_markdown(report));
  if (format == "csv") fmt::print("{}", to_csv(report));
  if (format == "claims-csv") fmt::print("{}", to_claims_csv(report));
  if (format == "json") fmt::print("{}\n", to_json(report).dump(2));
  return 0;
}

}  // namespace msda
