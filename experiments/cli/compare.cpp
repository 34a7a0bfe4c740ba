#include "render/formats.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "files/write.hpp"

namespace msda {
namespace {

/// "1%" or "0.01"
double parse_threshold(const std::string& text) {
  const bool percent = text.ends_with('%');
  const char* end = text.data() + text.size() - (percent ? 1 : 0);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (percent) value /= 100;
  if (error != std::errc{} || stop != end || !(value > 0 && value < 1)) {
    throw UsageError(fmt::format(
        "compare: threshold '{}' is not a share such as 1% or 0.01, above 0 and below 1", text));
  }
  return value;
}

}  // namespace

int compare_command(const std::vector<std::string>& words) {
  CommandHelp help{"compare DIR DIR [OPTION...]",
                   "Compares the cells of two runs: better, worse, equal or undecided, with 95% "
                   "intervals. The first run is the baseline.",
                   "  msda compare results/quickstart/20240131-120000 results/quickstart/new\n"
                   "  msda compare baseline new --threshold 2% --junit compare.xml\n"};
  help.exit_codes = "0 nothing is worse; 1 something is; 2 wrong usage or a broken file";
  Arguments arguments(std::move(help));
  arguments.option("threshold", "SHARE", "differences up to this count as equal (default 1%)");
  arguments.option("junit", "FILE", "write JUnit XML for CI");
  arguments.words("DIR", 2, 2);
  if (!arguments.parse(words)) return 0;
  const double threshold = parse_threshold(arguments.get("threshold", "1%"));
  const std::vector<CellChange> changes =
      compare_runs(make_report(std::filesystem::path(arguments.words()[0])),
                   make_report(std::filesystem::path(arguments.words()[1])), threshold);
  fmt::print("{}", to_text(changes, threshold));
  if (const auto file = arguments.find("junit")) write_atomically(*file, to_junit(changes));
  const bool worse = std::any_of(changes.begin(), changes.end(), [](const CellChange& change) {
    return change.change == Change::kWorse;
  });
  return worse ? 1 : 0;
}

}  // namespace msda
