// An Experiment is a YAML file, read and checked: what to compare, on which problems, how to
// measure.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compose/composition.hpp"
#include "design/design.hpp"
#include "device/device.hpp"
#include "facts/measure_settings.hpp"
#include "input/input.hpp"
#include "operators/operator.hpp"
#include "plugin/registry.hpp"
#include "results/claim.hpp"
#include "runner/experiment/space_spec.hpp"

namespace msda {

/// Reads or generates the tensors. `salt` changes the seed of a generated input (0 keeps it) and
/// has no effect on one that is read. Throws UsageError for broken files.
Input make_input(const ProblemSpec& spec, std::uint64_t salt = 0);

/// `use: best`: for each problem and device the composition that an earlier search has found.
struct BestRequest {
  /// Largest relative L2 error that is allowed; absent: what verification allows the problem's
  /// storage types.
  std::optional<double> error;
};

struct ArmSpec {
  std::string name;
  std::vector<Use> uses;
  std::string place;                    ///< "file:line:column" for messages
  std::optional<BestRequest> best{};    ///< in place of `uses`
  std::vector<std::string> evidence{};  ///< conditions beside those of its variants
};

/// A named composition.
struct Recipe {
  std::vector<Use> uses;              ///< empty: the direct skeleton with its defaults
  std::vector<std::string> evidence;  ///< conditions beside those of its variants
  /// "file:line:column: ...": why it cannot be used, when a variant is missing, say; else empty.
  std::string error;
};
using Recipes = std::map<std::string, Recipe>;

/// Throws the recipe's error as a UsageError when it has one.
const std::vector<Use>& usable(const Recipe& recipe);

/// What `msda profile` counts, unless its command line names something else.
struct ProfileSettings {
  std::vector<std::string> sections;  ///< of Nsight Compute, by identifier: "SourceCounters"
  std::vector<std::string> metrics;   ///< with their suffix: "dram__bytes.sum"; empty: the default
};

struct Experiment {
  std::filesystem::path file;
  std::string text;  ///< the file as read
  std::string name;
  std::string summary;
  std::string device = "auto";
  Recipes recipes;
  std::vector<ProblemSpec> problems;
  std::vector<ArmSpec> arms;            ///< those written down, then those of the design
  std::optional<Design> design;         ///< of an ablation
  std::optional<SpaceSpec> space;       ///< for `msda tune`, which has to beat the arms
  std::optional<std::string> baseline;  ///< an arm's name; absent: the first arm that runs
  std::vector<Claim> claims;
  MeasureSettings measure;
  ProfileSettings profile;
};

/// Throws UsageError "file:line:column: ..." with the offending text and, for names, the nearest
/// one.
Experiment load_experiment(const std::filesystem::path& file, const Registry& registry);

/// Only the recipes of a file and of what it includes. One that cannot be used carries its error,
/// so that a plugin that is missing does not take the others along.
Recipes load_recipes(const std::filesystem::path& file, const Registry& registry);

/// The recipes that came with the program, but for those that are called as a variant is, which may
/// be the user's own. Every experiment knows them, and may define them anew.
Recipes shipped_recipes(const Registry& registry);

/// The preset's shape; `captured-decoder` comes with its directory, searched beside `beside` and
/// then in experiments_directories(). Throws UsageError when the name is unknown or the directory
/// is missing.
ProblemSpec preset_spec(const std::string& name, const std::filesystem::path& beside,
                        const std::string& op = std::string(kDefaultOperator));

/// The problem whose tensors lie in `directory`, with the shape and types that the files have; a
/// directory of raw files needs `hint` for its shape, see read_raw_directory(). The name is the
/// hint's.
ProblemSpec directory_spec(const std::filesystem::path& directory, const Problem& hint,
                           const std::string& op = std::string(kDefaultOperator));

/// Where the experiments that came with the program lie: the source tree's and the install tree's.
std::vector<std::filesystem::path> experiments_directories();
/// The file of that name among them.
std::optional<std::filesystem::path> shipped_experiment(const std::filesystem::path& name);

}  // namespace msda
