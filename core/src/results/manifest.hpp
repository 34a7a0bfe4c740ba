// manifest.json as a file: what is in it is the runner's to write; here it is read, and every field
// that anyone looks at is known to be of its type.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace msda {

/// Reads a manifest. Every field may be absent, and there may be others. Throws UsageError with the
/// file for one that cannot be read, is no JSON object, or has a field of another type: "x.json:
/// manifest field 'plan.cells' must be a list of strings, not 5".
nlohmann::json read_manifest_file(const std::filesystem::path& file);

/// Throws UsageError for a field of another type. Claims and the ablation are checked where they
/// are read.
void check_manifest(const nlohmann::json& manifest);

}  // namespace msda
