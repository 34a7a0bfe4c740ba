#include "runner/publish/publish.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "files/read.hpp"
#include "files/write.hpp"
#include "json_text.hpp"
#include "render/formats.hpp"
#include "results/run_data.hpp"
#include "runner/publish/checks_page.hpp"
#include "runner/publish/quotes.hpp"

namespace msda {
namespace {

FileChange change_of(const std::optional<std::string>& before, const std::string& after) {
  if (!before) return FileChange::kNew;
  return *before == after ? FileChange::kSame : FileChange::kChanged;
}

bool is_file_name(const std::string& name) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  };
  return !name.empty() && std::ranges::all_of(name, is_plain);
}

/// Fills in what became better or worse since the run before.
void compare(const Report& before, const Report& after, Published& published) {
  try {
    published.changes = compare_runs(before, after, kPublishThreshold);
  } catch (const UsageError& error) {
    published.not_comparable = error.what();
  }
}

/// A name of one's choice takes the place of the same experiment only.
void require_same_experiment(const RunData& run, const std::filesystem::path& archive) {
  if (!std::filesystem::exists(archive)) return;
  const RunData published = read_run(archive);
  std::set<std::string> there;
  for (const Record& record : published.records) there.insert(record.cell);
  const auto is_there = [&](const Record& record) { return there.contains(record.cell); };
  if (there.empty() || std::ranges::any_of(run.records, is_there)) return;
  throw UsageError(
      fmt::format("{} has another experiment, without a cell of this run: give another name, or "
                  "remove that file first",
                  archive.string()));
}

}  // namespace

std::string_view name_of(FileChange change) {
  switch (change) {
    case FileChange::kNew: return "new";
    case FileChange::kChanged: return "changed";
    case FileChange::kSame: break;
  }
  return "the same";
}

bool is_published(const std::filesystem::path& place, const std::filesystem::path& directory) {
  return place.string().ends_with(kArchiveSuffix) && std::filesystem::is_regular_file(place) &&
         std::filesystem::exists(directory) &&
         std::filesystem::equivalent(std::filesystem::absolute(place).parent_path(), directory);
}

void require_publishable(const std::filesystem::path& place, const Checkout& checkout,
                         const std::string& name) {
  const Manifest manifest = read_run(place).manifest;
  try {
    const std::string& own = name.empty() ? manifest.name : name;
    if (!is_file_name(own)) throw UsageError(fmt::format("'{}' is no name of a file", own));
    if (own == "README" || own == "export") {
      throw UsageError(
          fmt::format("'{}' is the name of another page of results; give one with --as", own));
    }
    if (manifest.status != run_status::kComplete) {
      throw UsageError(fmt::format("the run is {}; only a whole run is published",
                                   manifest.status.empty() ? "of unknown end" : manifest.status));
    }
    if (manifest.shard && *manifest.shard != Shard()) {
      throw UsageError(fmt::format(
          "the run is shard {}/{}; join all with 'msda merge' and publish what that writes",
          manifest.shard->index, manifest.shard->count));
    }
    checkout.require_ancestor(commit_of(manifest.git_state));
  } catch (UsageError& error) {
    error.add_context(place.string());
    throw;
  }
}

Published publish(const std::filesystem::path& place, const std::filesystem::path& directory,
                  const std::string& name) {
  RunData run = read_run(place);
  const std::string own = run.manifest.name;
  if (!name.empty()) run.manifest.name = name;
  Published published;
  published.archive = directory / (run.manifest.name + kArchiveSuffix);
  if (run.manifest.name != own) require_same_experiment(run, published.archive);
  published.report = directory / (run.manifest.name + ".md");
  const auto archive_before = read_text_if_there(published.archive);
  const auto report_before = read_text_if_there(published.report);
  std::optional<Report> before;
  if (archive_before) before = make_report(published.archive);
  ensure_directory(directory);
  if (!name.empty() || !is_published(place, directory)) write_archive(published.archive, run);
  const Report report = make_report(published.archive);
  const std::string text = to_page(report);
  write_atomically(published.report, text);
  const std::string archive = read_text(published.archive);
  published.archive_bytes = archive.size();
  published.archive_change = change_of(archive_before, archive);
  published.report_change = change_of(report_before, text);
  published.cells = run.records.size();
  if (before && published.archive_change == FileChange::kChanged) {
    compare(*before, report, published);
  }
  return published;
}

void require_publishable(const nlohmann::json& checks, const Checkout& checkout) {
  for (const nlohmann::json& run : checks.at("runs")) {
    checkout.require_ancestor(commit_of(run.at("commit")));
  }
}

std::vector<std::pair<std::filesystem::path, FileChange>> publish_checks(
    const nlohmann::json& checks, const std::filesystem::path& directory, const std::string& name) {
  ensure_directory(directory);
  std::vector<std::pair<std::filesystem::path, FileChange>> written;
  for (const auto& [end, text] :
       {std::pair(".json", json_text(checks, 1) + "\n"), std::pair(".md", checks_page(checks))}) {
    const std::filesystem::path file = directory / (name + end);
    written.emplace_back(file, change_of(read_text_if_there(file), text));
    write_atomically(file, text);
  }
  return written;
}

std::vector<std::filesystem::path> renew_quotes(const std::filesystem::path& root,
                                                const std::filesystem::path& results) {
  std::vector<std::filesystem::path> changed;
  for (const std::filesystem::path& document : quoting_documents(root)) {
    const auto before = read_text_if_there(document);
    if (!before || quotes_in(*before) == 0) continue;
    const std::string after = with_quotes(*before, results);
    if (after == *before) continue;
    write_atomically(document, after);
    changed.push_back(document);
  }
  return changed;
}

}  // namespace msda
