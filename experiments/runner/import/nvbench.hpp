// Measurements made with NVIDIA's nvbench, as a run of ours: for reports and comparisons of what
// people have already.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/manifest.hpp"
#include "results/record.hpp"

namespace msda {

struct NvbenchOptions {
  /// The axis whose values are the arms. Without it the benchmarks are the arms.
  std::optional<std::string> arm_axis;
  std::optional<std::string> baseline;  ///< an arm; absent: the first
  std::optional<int> device;            ///< its id; required for a file that has several
};

struct ImportedRun {
  Manifest manifest;
  std::vector<Record> records;
};

/// Reads what `--json FILE` or `--jsonbin FILE` of an nvbench program wrote. Each state becomes a
/// cell in mode cold (nvbench's isolated samples: each one where --jsonbin kept them, else their
/// mean) and one in mode warm (the mean of its batches), as far as the state has them; the axes
/// that are not the arms' name the problem. Nothing was verified, so that the cells have no error.
/// Throws UsageError that names what is missing.
ImportedRun import_nvbench(const std::filesystem::path& file, const NvbenchOptions& options);

}  // namespace msda
