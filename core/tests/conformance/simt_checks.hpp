// What the tests run on the device simt, as data: a test runs each check, and the test of these
// tests runs them on device code that was made wrong.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compose/composition.hpp"
#include "compose/unit.hpp"
#include "conformance/conformance.hpp"

namespace msda {

/// A composition on some cases.
struct SimtCheck {
  std::string suite;
  std::string name;  ///< unique in its suite; letters, digits and underscores
  Composition composition;
  std::string device;                  ///< "simt:3:races"
  const std::vector<Case>& (*pool)();  ///< made when first asked for
  std::vector<std::size_t> cases;      ///< of the pool; none: the vast problems of offsets.hpp
  int launches = 1;                    ///< one after another, each of which has to be right
  int multiprocessors = 0;             ///< of the device; 0: as few as it has by itself
  bool is_exact = false;               ///< judged as if nothing were rounded beyond float32
  bool has_to_run = false;             ///< a refusal is wrong
};
/// What a test's parameter is called.
void PrintTo(const SimtCheck& check, std::ostream* out);

/// "3_persistent_vector_loads": of the n-th check of a suite.
std::string check_name(std::size_t n, const Composition& composition);

/// Every optimization alone, each with a seed of its own, on three of the awkward problems.
std::vector<SimtCheck> alone_checks();
/// Every optimization where a block has several tiles (tiles.hpp).
std::vector<SimtCheck> tile_checks();
/// Every policy of metadata for the two sides of corner-pair with weights of two bytes, the
/// smallest taps that there are, on odd and on even numbers of points; and every fetch, where the
/// taps of a side without weight are moved.
std::vector<SimtCheck> side_checks();
/// Every optimization with other choices, flags and odd numbers.
std::vector<SimtCheck> parameter_checks();
/// Every optimization, and every whole kernel, where offsets need 64 bits (offsets.hpp); those that
/// reorder queries also where numbers of queries do.
std::vector<SimtCheck> offset_checks();
/// Every optimization without a pre-pass over values where offsets in one image need 64 bits.
std::vector<SimtCheck> image_checks();

/// Planes of several heads (head_groups.hpp), each on an even and an odd number of them.
std::vector<SimtCheck> head_group_checks();

/// Compositions of the skeleton `backward`: sums in any order, with races looked for, each on two
/// of the awkward problems in turn and on one with locations that are no numbers.
std::vector<SimtCheck> backward_checks();
/// Numbers that random inputs do not have (special_values.hpp).
std::vector<SimtCheck> value_checks();

/// What launches leave in workspaces for those that follow (launches_in_a_row()).
std::vector<SimtCheck> launch_checks();

/// Every optimization of the skeletons of `forward`, and those that meet in the winners, computing
/// `fused`.
std::vector<SimtCheck> fused_checks();
/// The awkward problems with each kind of reference points in turn, half of them with a padding
/// mask; rows whose points no power of two of lanes has: of 12, and of 35 that are more than a warp
/// has lanes; and rows whose levels differ in their points.
std::vector<AwkwardProblem> fused_problems();
/// Those of the skeleton `backward` computing `fused-backward`.
std::vector<SimtCheck> fused_backward_checks();
/// Optimizations of that skeleton, each alone, and those that meet in a kernel.
std::vector<std::vector<Use>> backward_compositions();

/// The same computing `forward` where levels differ in their points.
std::vector<SimtCheck> level_points_checks();

/// Random compositions, some of them with races looked for and where a block has several tiles.
std::vector<SimtCheck> combination_checks();

/// Of the compositions of covering_array() every `parts`-th from number `part` on; all of them by
/// default. One of two with races looked for.
std::vector<SimtCheck> covering_checks(std::size_t part = 0, std::size_t parts = 1);

/// Changes a unit before it is compiled.
using Edit = std::function<void(Unit&)>;

/// What is wrong with the check's composition, or "" when it is right wherever it does not refuse
/// the problem. What passed is run again after a change only (passed.hpp); what was edited is
/// compiled and run each time, into `cache`.
std::string run(const SimtCheck& check);
std::string run(const SimtCheck& check, const Edit& edit, const std::filesystem::path& cache);
/// The same on a device of any kind, each time.
std::string run_on(Device& device, const SimtCheck& check);

}  // namespace msda
