// What exported packages say of themselves (`check.py --json`), as one page of docs/results.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace msda {

/// {"runs": [...]}: what each file says, without places of the machine, and "name", the model that
/// its package is for. A file may hold "runs" itself. Throws UsageError for what no check.py wrote,
/// and for runs that differ in GPU, versions or commit, which no page puts side by side.
nlohmann::json read_checks(const std::vector<std::filesystem::path>& files);

/// The page in Markdown: what is gained, tables of times, memory and errors, and what failed. A
/// check that did not run leaves its lines out.
std::string checks_page(const nlohmann::json& checks);

}  // namespace msda
