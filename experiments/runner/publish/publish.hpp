// A run as what others can check: its report, and the run itself in one file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/compare.hpp"
#include "runner/publish/checkout.hpp"

namespace msda {

enum class FileChange { kNew, kChanged, kSame };
std::string_view name_of(FileChange change);  ///< "new", "changed", "the same"

/// Differences of times up to this share count as equal when a run takes an earlier one's place.
inline constexpr double kPublishThreshold = 0.01;

/// What publishing a run came to.
struct Published {
  std::filesystem::path archive;  ///< DIRECTORY/<name>.jsonl.zst
  std::filesystem::path report;   ///< DIRECTORY/<name>.md
  FileChange archive_change = FileChange::kNew;
  FileChange report_change = FileChange::kNew;
  std::size_t archive_bytes = 0;
  std::size_t cells = 0;
  /// Against the run that the archive held before; absent where there was none.
  std::vector<CellChange> changes;
  std::string not_comparable;  ///< why there is no comparison with it; or ""
};

/// Whether `place` is an archive of `directory` already, of which the report alone is made anew.
bool is_published(const std::filesystem::path& place, const std::filesystem::path& directory);

/// Throws UsageError unless the run in `place` has come to its end with sources that `checkout` has
/// in its history, and `name`, or where that is "" its own, is a file's.
void require_publishable(const std::filesystem::path& place, const Checkout& checkout,
                         const std::string& name = "");

/// Writes the archive of the run in `place`, reads it back and writes the report of what was read,
/// so that a report is always what its archive says. The run is published under `name`; "" is its
/// own. Throws UsageError, EnvironmentError.
Published publish(const std::filesystem::path& place, const std::filesystem::path& directory,
                  const std::string& name = "");

/// Throws UsageError unless all runs of read_checks() are of sources that `checkout` has in its
/// history.
void require_publishable(const nlohmann::json& checks, const Checkout& checkout);

/// Writes DIRECTORY/<name>.json, what read_checks() has read, and DIRECTORY/<name>.md, its page.
/// Throws EnvironmentError.
std::vector<std::pair<std::filesystem::path, FileChange>> publish_checks(
    const nlohmann::json& checks, const std::filesystem::path& directory, const std::string& name);

/// Documents below `root` whose quotes of the runs in `results` were renewed.
std::vector<std::filesystem::path> renew_quotes(const std::filesystem::path& root,
                                                const std::filesystem::path& results);

}  // namespace msda
