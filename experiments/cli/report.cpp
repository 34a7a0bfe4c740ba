#include "render/formats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/svg.hpp"
#include "cli/terminal.hpp"
#include "render/document.hpp"
#include "render/tables/tables.hpp"

namespace msda {
namespace {

/// What is made of tables is made of a document, which need not be a whole report.
struct ReportFormat {
  const char* name;
  std::string (*document)(const Document& document);
  std::string (*report)(const Report& report);  ///< of all others

  std::string text(const Report& of) const {
    return document == nullptr ? report(of) : document(document_of(of));
  }
};

std::string in_terminal(const Document& document) {
  return as_terminal(document, wants_colour(stdout));
}

std::string effects_csv(const Report& report) {
  if (!report.ablation) throw UsageError("report: the run's experiment has no ablation");
  return effects_to_csv(*report.ablation);
}

constexpr ReportFormat kReportFormats[] = {{"terminal", in_terminal, nullptr},
                                           {"md", as_markdown, nullptr},
                                           {"html", nullptr, to_html},
                                           {"tex", as_latex, nullptr},
                                           {"paper", nullptr, to_paper},
                                           {"csv", nullptr, to_csv},
                                           {"records-csv", nullptr, to_samples_csv},
                                           {"claims-csv", nullptr, to_claims_csv},
                                           {"effects-csv", nullptr, effects_csv},
                                           {"json", nullptr, to_json}};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ReportFormat& format : kReportFormats) names.emplace_back(format.name);
  return names;
}

const ReportFormat& find_format(const std::string& wanted) {
  for (const ReportFormat& format : kReportFormats) {
    if (format.name == wanted) return format;
  }
  const std::vector<std::string> names = format_names();
  throw UsageError(fmt::format("report: no format '{}'{}; there are: {}", wanted,
                               suggestion(wanted, names), fmt::join(names, ", ")));
}

/// What `option` makes has a form as tables alone.
std::string as_document(const ReportFormat& format, const char* option, const Document& document) {
  if (format.document != nullptr) return format.document(document);
  throw UsageError(fmt::format("report: {} has no format '{}'; there are: terminal, md, tex",
                               option, format.name));
}

std::string joined_claims(const std::vector<std::string>& directories, const ReportFormat& format) {
  std::vector<Report> reports;
  reports.reserve(directories.size());
  for (const std::string& directory : directories) {
    reports.push_back(make_report(std::filesystem::path(directory)));
  }
  return as_document(format, "--claims", claims_document(reports));
}

void draw_figures(const Report& report, const std::filesystem::path& directory) {
  const Document document = document_of(report);
  const std::vector<Figure> figures = figures_of(document.sections);
  const auto files = write_figures(figures, directory);
  for (std::size_t i = 0; i < files.size(); ++i) {
    fmt::print("{}  {}: {}\n", files[i].string(), figures[i].title, figures[i].place);
  }
}

}  // namespace

int report_command(const std::vector<std::string>& words) {
  Arguments arguments(
      {"report DIR... [OPTION...]",
       "Makes the report of a run again from its manifest and records, and prints it. An "
       "interrupted run is reported as far as it went.",
       "  msda report results/quickstart/20240131-120000\n"
       "  msda report results/quickstart/20240131-120000 --format csv > table.csv\n"
       "  msda report results/quickstart/20240131-120000 --figures figures\n"
       "  msda report --claims results/ledger-*/20240131-* --format md > ledger.md\n"});
  arguments.option("format", "NAME",
                   fmt::format("{}; default terminal", fmt::join(format_names(), ", ")));
  arguments.option("figures", "DIRECTORY",
                   "write every figure as SVG and print their names instead (needs Node.js)");
  add_force_option(arguments);
  arguments.flag("brief",
                 "without the tables of single problems: what is of all of them (terminal, md, "
                 "tex)");
  arguments.flag("claims", "the claims of all DIRs in one table (terminal, md or tex)");
  arguments.words("DIR", 1, -1);
  if (!arguments.parse(words)) return 0;
  const ReportFormat& format = find_format(arguments.get("format", "terminal"));
  const auto figures = arguments.find("figures");
  if (arguments.has("brief") && (figures || arguments.has("claims"))) {
    throw UsageError("report: --brief is the report's tables; leave --figures and --claims out");
  }
  if (figures && arguments.has("format")) {
    throw UsageError("report: --figures writes SVG; it has no --format");
  }
  if (arguments.has("claims")) {
    if (figures) throw UsageError("report: --claims is a table; it has no --figures");
    fmt::print("{}", joined_claims(arguments.words(), format));
    return 0;
  }
  if (arguments.words().size() > 1) {
    throw UsageError("report: give one DIR, or --claims for a table over several");
  }
  const Report report = make_report(std::filesystem::path(arguments.words().front()));
  if (figures) {
    require_room(arguments, *figures);
    draw_figures(report, *figures);
  } else if (arguments.has("brief")) {
    fmt::print("{}", as_document(format, "--brief", in_brief(document_of(report))));
  } else {
    fmt::print("{}", format.text(report));
  }
  return 0;
}

}  // namespace msda
