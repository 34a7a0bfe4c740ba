#include "runner/publish/publish.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "render/formats.hpp"
#include "runner/publish/checks_page.hpp"

namespace msda {
namespace {

Arguments publish_arguments() {
  Arguments arguments(
      {"publish RUN... [OPTION...]",
       "Writes what others need to check a run: docs/results/<name>.md, the report, and "
       "docs/results/<name>.jsonl.zst, the run itself with all samples, without names of machines "
       "and folders. A report is made of its archive, and of the archive anyone makes it again "
       "with 'msda report'. Numbers and tables that README.md and docs/*.md quote of published "
       "runs are "
       "renewed. Refused are runs that did not come to their end, changes that no "
       "commit has, and runs of a program whose commit is not in the history.\n\n"
       "An archive that is published already in place of a run has its report made anew, after a "
       "change of what reports say. Files that 'check.py --json' of exported packages wrote are "
       "published together: export.json, and export.md, their page.",
       "  msda publish results/quickstart/20240131-120000\n"
       "  msda publish docs/results/*.jsonl.zst\n"
       "  msda publish deformable-detr.json rt-detr.json\n"
       "  msda report docs/results/quickstart.jsonl.zst --format html > quickstart.html\n"});
  arguments.option("as", "NAME", "instead of the run's own: one experiment on several GPUs");
  arguments.option("to", "DIRECTORY", "where to; default docs/results of the checkout");
  arguments.words("RUN", 1, -1);
  return arguments;
}

void print(const Published& published) {
  fmt::print("{}: {}, {} cells, {} KB\n", published.archive.string(),
             name_of(published.archive_change), published.cells,
             (published.archive_bytes + 1023) / 1024);
  fmt::print("{}: {}\n", published.report.string(), name_of(published.report_change));
  if (!published.changes.empty()) fmt::print("{}", to_text(published.changes, kPublishThreshold));
  if (!published.not_comparable.empty()) {
    fmt::print("Not compared with the run before: {}\n", published.not_comparable);
  }
}

bool is_of_checks(const std::filesystem::path& place) { return place.extension() == ".json"; }

/// What exported packages' checks have measured, all files together.
void publish_of_exports(const std::vector<std::string>& words, const Checkout& checkout,
                        const std::filesystem::path& directory, const std::string& name) {
  const nlohmann::json checks = read_checks({words.begin(), words.end()});
  require_publishable(checks, checkout);
  const std::filesystem::path published = directory / (name + ".json");
  const bool is_made_anew = words.size() == 1 && std::filesystem::exists(published) &&
                            std::filesystem::equivalent(words.front(), published);
  if (!is_made_anew) checkout.require_clean(directory);
  for (const auto& [file, change] : publish_checks(checks, directory, name)) {
    fmt::print("{}: {}\n", file.string(), name_of(change));
  }
}

}  // namespace

int publish_command(const std::vector<std::string>& words) {
  Arguments arguments = publish_arguments();
  if (!arguments.parse(words)) return 0;
  const std::string name = arguments.get("as", "");
  const bool of_checks = std::ranges::all_of(arguments.words(), is_of_checks);
  if (!name.empty() && arguments.words().size() > 1 && !of_checks) {
    throw UsageError("--as names one run: publish the others by themselves");
  }
  const Checkout checkout(std::filesystem::current_path());
  const std::filesystem::path own = checkout.root() / "docs" / "results";
  const std::filesystem::path directory = arguments.get("to", own.string());
  const std::vector<std::string> runs = of_checks ? std::vector<std::string>() : arguments.words();
  if (of_checks) {
    publish_of_exports(arguments.words(), checkout, directory, name.empty() ? "export" : name);
  }
  // All are looked at before the first is written.
  for (const std::string& place : runs) {
    require_publishable(place, checkout, name);
    if (!is_published(place, directory)) checkout.require_clean(directory);
  }
  for (const std::string& place : runs) print(publish(place, directory, name));
  std::error_code not_there;
  if (!std::filesystem::equivalent(directory, own, not_there)) return 0;  // quoted by no document
  for (const auto& document : renew_quotes(checkout.root(), own)) {
    fmt::print("{}: quotes renewed\n", document.string());
  }
  return 0;
}

}  // namespace msda
