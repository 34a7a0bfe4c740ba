// Several records of one cell as one.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "results/record.hpp"

namespace msda {
namespace {

/// Those that left samples, and those that left none.
std::set<int> processes_of(const Record& record) {
  std::set<int> processes;
  for (const ProcessRun& run : record.processes) processes.insert(run.process);
  for (const SampleBlock& block : record.samples) processes.insert(block.process);
  return processes;
}

/// Puts `earlier` before `later`, without what belongs to one of `processes`.
template <class Element>
void put_before(std::vector<Element>& later, std::vector<Element>& earlier,
                const std::set<int>& processes) {
  std::erase_if(earlier, [&](const Element& e) { return processes.contains(e.process); });
  later.insert(later.begin(), std::make_move_iterator(earlier.begin()),
               std::make_move_iterator(earlier.end()));
}

/// The larger; not a number when one of them is not.
double worse(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(a, b);
}

}  // namespace

void OutputError::take_worse(const OutputError& other) {
  relative_l2 = worse(relative_l2, other.relative_l2);
  tolerance = std::max(tolerance, other.tolerance);
  maximum_absolute = worse(maximum_absolute, other.maximum_absolute);
  row_error = worse(row_error, other.row_error);
  spread = worse(spread, other.spread);
  on_knots = std::max(on_knots, other.on_knots);
  if (!std::isnan(element_error) && !(other.element_error <= element_error)) {
    element_error = worse(element_error, other.element_error);
    worst_element = other.worst_element;
  }
}

Record joined(Record earlier, Record later) {
  const std::set<int> before = processes_of(earlier);
  const std::set<int> after = processes_of(later);
  // A cell that ran again in the same process is told anew; so is one of a record that names none.
  if (std::includes(after.begin(), after.end(), before.begin(), before.end())) return later;
  put_before(later.samples, earlier.samples, after);
  put_before(later.processes, earlier.processes, after);
  for (PartTimes& part : later.parts) {
    for (PartTimes& same : earlier.parts) {
      if (same.name == part.name) put_before(part.samples, same.samples, after);
    }
  }
  if (later.parts.empty()) later.parts = std::move(earlier.parts);
  if (later.outputs.empty()) later.outputs = earlier.outputs;
  for (OutputError& output : later.outputs) {
    const auto same = std::ranges::find(earlier.outputs, output.name, &OutputError::name);
    if (same != earlier.outputs.end()) output.take_worse(*same);
  }
  // The first process is the one that compiled; the others found its code in the cache.
  if (earlier.compilation) later.compilation = earlier.compilation;
  if (earlier.evidence) later.evidence = std::move(earlier.evidence);
  if (earlier.status != CellStatus::kOk && earlier.status != CellStatus::kInterrupted) {
    later.status = earlier.status;
    later.reason = earlier.reason;
    later.phase = earlier.phase;
  }
  return later;
}

}  // namespace msda
