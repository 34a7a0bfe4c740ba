#include "device/ceilings_history.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

namespace msda {
namespace {

using Field = double Ceilings::*;

/// Measurements of an idle device differ by less.
constexpr double kNear = 0.1;
/// So many processes have measured before one believes without measuring.
constexpr std::size_t kEnough = 5;
constexpr std::size_t kMost = 20;
constexpr std::int64_t kOld = std::int64_t{12} * 60 * 60;  ///< seconds
constexpr int kAttempts = 3;                               ///< of one process
/// No cache is this much slower than the memory behind it, whatever the measurements' noise.
constexpr double kSlowestCache = 0.8;

bool is_near(double smaller, double larger) { return smaller >= (1 - kNear) * larger; }

Ceilings larger_of(const Ceilings& a, const Ceilings& b) {
  Ceilings larger;
  for (const auto& [name, field] : kCeilingFields) larger.*field = std::max(a.*field, b.*field);
  return larger;
}

/// Of one ceiling, the largest first; 0 is that of a device without such memory.
std::vector<double> sorted(const std::vector<CeilingsMeasurement>& measurements, Field field) {
  std::vector<double> values;
  for (const CeilingsMeasurement& m : measurements) {
    if (m.ceilings.*field > 0) values.push_back(m.ceilings.*field);
  }
  std::sort(values.rbegin(), values.rend());
  return values;
}

/// The largest of those that the next one comes near.
double agreed(const std::vector<double>& largest_first) {
  for (std::size_t i = 0; i + 1 < largest_first.size(); ++i) {
    if (is_near(largest_first[i + 1], largest_first[i])) return largest_first[i];
  }
  return largest_first.empty() ? 0 : largest_first.front();
}

/// Whether the entry has every ceiling that this version knows.
bool is_whole(const nlohmann::json& entry) {
  if (!entry.is_object() || !entry.contains("time") || !entry["time"].is_number_integer()) {
    return false;
  }
  return std::all_of(kCeilingFields.begin(), kCeilingFields.end(),
                     [&](const auto& ceiling) { return entry.contains(ceiling.first); });
}

/// Whether each ceiling is near what is known of it.
bool agrees(const Ceilings& measured, const Ceilings& known) {
  return std::all_of(kCeilingFields.begin(), kCeilingFields.end(), [&](const auto& ceiling) {
    const double a = measured.*ceiling.second;
    const double b = known.*ceiling.second;
    return is_near(std::min(a, b), std::max(a, b));
  });
}

}  // namespace

bool is_plausible(const Ceilings& c) {
  const bool finite =
      std::all_of(kCeilingFields.begin(), kCeilingFields.end(), [&](const auto& ceiling) {
        return std::isfinite(c.*ceiling.second) && c.*ceiling.second >= 0;
      });
  const auto at_least_memory = [&](double rate) {
    return rate >= kSlowestCache * c.dram_bytes_per_second;
  };
  return finite && c.dram_bytes_per_second > 0 && at_least_memory(c.gather_bytes_per_second) &&
         (c.l2_bytes_per_second == 0 || at_least_memory(c.l2_bytes_per_second));
}

nlohmann::json to_json(const KnownCeilings& known) {
  const auto time = [](std::int64_t seconds) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
  };
  nlohmann::json object = to_json(known.best);
  object["measured"] = {{"count", known.measurements}, {"spread", to_json(known.spread)}};
  if (known.measurements > 0) {
    object["measured"]["first"] = time(known.first);
    object["measured"]["last"] = time(known.last);
  }
  return object;
}

CeilingsHistory::CeilingsHistory(const nlohmann::json& stored) {
  if (!stored.is_object()) return;
  const auto list = stored.find("measurements");
  if (list == stored.end() || !list->is_array()) return;
  for (const nlohmann::json& entry : *list) {
    if (!is_whole(entry)) continue;
    const Ceilings ceilings = ceilings_from_json(entry);
    if (is_plausible(ceilings)) measurements_.push_back({entry["time"], ceilings});
  }
  std::stable_sort(measurements_.begin(), measurements_.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  forget();
}

nlohmann::json CeilingsHistory::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const CeilingsMeasurement& measurement : measurements_) {
    nlohmann::json entry = msda::to_json(measurement.ceilings);
    entry["time"] = measurement.time;
    list.push_back(std::move(entry));
  }
  return {{"measurements", std::move(list)}};
}

bool CeilingsHistory::wants_another(std::int64_t now) const {
  return measurements_.size() < kEnough || now - measurements_.back().time > kOld ||
         now < measurements_.back().time;
}

void CeilingsHistory::measure(std::int64_t now, const std::function<Ceilings()>& once) {
  std::optional<Ceilings> best;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Ceilings measured = once();
    if (!is_plausible(measured)) continue;
    const bool repeated = best && agrees(measured, *best);
    best = best ? larger_of(*best, measured) : measured;
    if (repeated || (!measurements_.empty() && agrees(*best, known().best))) break;
  }
  if (!best) return;
  measurements_.push_back({now, *best});
  forget();
}

/// Drops what the latest measurements all contradict (other clocks, a partition of the device, a
/// changed driver), and the oldest of too many.
void CeilingsHistory::forget() {
  if (measurements_.size() > kEnough) {
    const std::vector<CeilingsMeasurement> latest(measurements_.end() - kEnough,
                                                  measurements_.end());
    const Ceilings all = known().best;
    const bool contradicted =
        std::any_of(kCeilingFields.begin(), kCeilingFields.end(), [&](const auto& ceiling) {
          const std::vector<double> values = sorted(latest, ceiling.second);
          return !is_near(values.empty() ? 0 : values.front(), all.*ceiling.second);
        });
    if (contradicted) measurements_ = latest;
  }
  if (measurements_.size() > kMost) {
    measurements_.erase(measurements_.begin(), measurements_.end() - kMost);
  }
}

KnownCeilings CeilingsHistory::known() const {
  KnownCeilings known;
  known.measurements = static_cast<int>(measurements_.size());
  if (measurements_.empty()) return known;
  for (const auto& [name, field] : kCeilingFields) {
    const std::vector<double> values = sorted(measurements_, field);
    known.best.*field = agreed(values);
    if (!values.empty()) known.spread.*field = 1 - values.back() / values.front();
  }
  known.first = measurements_.front().time;
  known.last = measurements_.back().time;
  return known;
}

}  // namespace msda
