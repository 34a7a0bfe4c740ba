// What searches have found, kept as YAML: for each device, shape class and types a composition with
// its confirmed gain, its date and the command that found it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {

/// The winner of one search in one mode, on one problem or on several of a family.
struct Winner {
  DeviceInfo device;  ///< kind, name and compute capability
  ProblemSpec problem;
  std::vector<ProblemSpec> others;  ///< that were searched together with `problem`
  TimingMode mode = kUsualMode;
  double error = 0;       ///< largest relative L2 error that was allowed
  std::vector<Use> uses;  ///< of the baseline where nothing was confirmed to be faster
  std::string baseline;   ///< what it was compared with
  /// Confirmed: baseline time / time in samples that had no part in the choice; 1 for the baseline.
  double gain = 1;
  double gain_low = 1;  ///< its 95% interval
  double gain_high = 1;
  double searched_gain = 1;  ///< as the search saw it
  double seconds = 0;        ///< median of the confirmation's samples; of several problems the
                             ///< geometric mean of these
  /// The smallest, over the problems, of the time of the fastest arm of the confirmation over its
  /// own: 1 where it is the fastest on all.
  double worst = 1;
  std::string date;  ///< "2026-11-21"
  std::string command;
  std::string program;  ///< version and git state
  std::string place;    ///< "file:line:column"; "" for one that is no file's

  /// False for a baseline that nothing was confirmed to be faster than.
  bool confirmed() const { return gain_low > 1; }
  bool is_of_family() const { return !others.empty(); }
};

/// All that Problem has but its name and types.
bool same_shape(const Problem& a, const Problem& b);

/// Generated alike, or both read from files.
bool same_locations(const ProblemSpec& a, const ProblemSpec& b);

/// By how many doublings the spreads of points (`sigma`) differ, where both are generated with one;
/// else 0.
double doublings_of_spread(const ProblemSpec& a, const ProblemSpec& b);

/// Problems that a composition is expected to serve alike: those with the same heads, channels,
/// points and number of levels, the same layout of values, the same rows (batch * queries) and the
/// same pixels (batch * pixels of an image), the last two to the nearest power of two.
/// "H8 C32 P4 L4 2^15 rows 2^15 plain pixels"
std::string shape_class(const Problem& problem);

/// Problems that a composition which was searched on several of them may serve, whatever their
/// sizes: those of one operator with the same heads, channels, points, number of levels, layout and
/// types, and either many queries, at least a quarter as many as pixels, or few.
/// "forward H8 C32 P4 L4 plain fp16 many queries"
std::string family_of(const ProblemSpec& spec);

/// The winners of a file. One that cannot be used, because a plugin is missing say, is left out
/// with a line in `notes`. Throws UsageError for a file that is not of winners.
std::vector<Winner> read_winners(const std::filesystem::path& file, const Registry& registry,
                                 std::vector<std::string>& notes);

/// The text of a file that holds them; read_winners() reads it back.
std::string to_yaml(const std::vector<Winner>& winners);

/// Adds `found` to the winners of a file, which is created when it is not there: each takes the
/// place of the one with the same device, shape, types, distribution, mode and error bound, but no
/// baseline that of a confirmed one: those stay and are returned. Those that this program
/// cannot use stay as they are. Throws UsageError, EnvironmentError.
std::vector<Winner> save_winners(const std::filesystem::path& file,
                                 const std::vector<Winner>& found, const Registry& registry);

/// Whether save_winners() can be expected to do its work, asked before hours of search: throws
/// UsageError for a file that is not of winners, EnvironmentError for one that cannot be read and
/// for a place that cannot be written to. Leaves everything as it is.
void check_winners_file(const std::filesystem::path& file);

/// Where winners are looked for: winners.yaml beside an experiment, those that searches left in
/// results/, those that came with the program; as far as the files are there, each once.
std::vector<std::filesystem::path> winners_files(const std::filesystem::path& experiment);
/// The winners of all of them; see read_winners().
std::vector<Winner> all_winners(const std::filesystem::path& experiment, const Registry& registry,
                                std::vector<std::string>& notes);
/// "results/winners.yaml": where a search leaves its winners.
std::filesystem::path default_winners_file();

}  // namespace msda
