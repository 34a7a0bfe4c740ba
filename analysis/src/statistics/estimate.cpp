#include "statistics/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace msda {
namespace {

constexpr double kUpperTail = 0.025;  // of a 95% interval

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of the mean. Needs two values.
double standard_error(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count);
}

/// Of a t distribution: what `tail` of its probability lies above.
double critical_t(double degrees_of_freedom, double tail) {
  const boost::math::students_t distribution(degrees_of_freedom);
  return boost::math::quantile(boost::math::complement(distribution, tail));
}

std::optional<Interval> interval_with_tail(const LogEstimate& estimate, double tail) {
  if (estimate.degrees_of_freedom <= 0) return std::nullopt;
  const double half = critical_t(estimate.degrees_of_freedom, tail) * estimate.standard_error;
  return Interval{std::exp(estimate.value - half), std::exp(estimate.value + half)};
}

/// Leaves the degrees of freedom of the planned processes, the first of `means`, and their standard
/// error where it is the larger one.
void widen_to_planned(const std::vector<double>& means, PlannedProcesses planned,
                      LogEstimate& result) {
  const std::vector<double> first(means.begin(), means.begin() + planned.count);
  const double share = static_cast<double>(first.size()) / static_cast<double>(means.size());
  result.standard_error = std::max(result.standard_error, standard_error(first) * std::sqrt(share));
  result.degrees_of_freedom = planned.count - 1.0;
}

/// Probability of an estimate this far above `bound` (or below, for `sign` -1) where the truth is
/// at the bound.
double tail(const LogEstimate& estimate, double bound, int sign) {
  const double distance = sign * (estimate.value - bound);
  if (estimate.standard_error <= 0) return distance > 0 ? 0 : 1;
  const boost::math::students_t distribution(estimate.degrees_of_freedom);
  return boost::math::cdf(
      boost::math::complement(distribution, distance / estimate.standard_error));
}

/// The effect, in standard errors, that is found with a probability of 80%.
double detectable_errors(double degrees_of_freedom) {
  constexpr double kPower = 0.8;
  const double critical = critical_t(degrees_of_freedom, kUpperTail);
  // The chance of the wrong sign is far below a percent at this power and left out. Power grows
  // with the effect; twice the critical value has more than enough.
  double low = 0;
  double high = 2 * critical + 2;
  constexpr int kHalvings = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::midpoint(low, high);
    const boost::math::non_central_t distribution(degrees_of_freedom, middle);
    const double power = boost::math::cdf(boost::math::complement(distribution, critical));
    (power < kPower ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::string_view name_of(Replication replication) {
  switch (replication) {
    case Replication::kProcesses: return "processes";
    case Replication::kBlocks: return "blocks";
    case Replication::kNone: break;
  }
  return "";
}

LogEstimate mean_of(const LogsByProcess& logs, PlannedProcesses planned) {
  LogEstimate result;
  std::vector<double> observations;
  if (logs.size() > 1) {
    for (const auto& [process, values] : logs) observations.push_back(mean(values));
    result.replication = Replication::kProcesses;
  } else {
    observations = logs.begin()->second;
    if (observations.size() > 1) result.replication = Replication::kBlocks;
  }
  result.value = mean(observations);
  result.replicates = static_cast<int>(observations.size());
  if (observations.size() < 2) return result;
  result.standard_error = standard_error(observations);
  result.degrees_of_freedom = static_cast<double>(observations.size()) - 1;
  if (logs.size() > 1 && planned.count > 1 && result.replicates > planned.count) {
    widen_to_planned(observations, planned, result);
  }
  return result;
}

LogEstimate sum_of(const std::vector<WeightedEstimate>& terms) {
  LogEstimate sum;
  sum.replication = Replication::kProcesses;
  sum.replicates = terms.front().estimate.replicates;
  double variance = 0;
  double quartic = 0;
  double degrees = 0;
  bool with_interval = true;
  for (const auto& [weight, estimate] : terms) {
    sum.value += weight * estimate.value;
    sum.replicates = std::min(sum.replicates, estimate.replicates);
    sum.replication = std::min(sum.replication, estimate.replication);
    with_interval = with_interval && estimate.degrees_of_freedom > 0;
    if (!with_interval) continue;
    const double square = weight * weight * estimate.standard_error * estimate.standard_error;
    variance += square;
    quartic += square * square / estimate.degrees_of_freedom;
    degrees += estimate.degrees_of_freedom;
  }
  if (!with_interval) return sum;
  sum.standard_error = std::sqrt(variance);
  // Without any spread every number of degrees gives the same interval.
  sum.degrees_of_freedom = quartic > 0 ? variance * variance / quartic : degrees;
  return sum;
}

std::optional<Interval> interval_95(const LogEstimate& estimate) {
  return interval_with_tail(estimate, kUpperTail);
}

std::optional<Interval> joint_interval_95(const LogEstimate& estimate, std::size_t count) {
  return interval_with_tail(estimate, kUpperTail / static_cast<double>(count));
}

double p_inside(const LogEstimate& estimate, const Interval& range) {
  return std::min(1.0, 2 * std::min(tail(estimate, range.high, 1), tail(estimate, range.low, -1)));
}

double p_outside(const LogEstimate& estimate, const Interval& range) {
  return std::min(1.0, 2 * std::max(tail(estimate, range.low, 1), tail(estimate, range.high, -1)));
}

double p_all_same(const std::vector<LogEstimate>& estimates) {
  const auto weight = [](const LogEstimate& e) {
    return 1 / (e.standard_error * e.standard_error);
  };
  double weights = 0;
  double weighted = 0;
  for (const LogEstimate& estimate : estimates) {
    weights += weight(estimate);
    weighted += weight(estimate) * estimate.value;
  }
  double q = 0;
  double uncertain = 0;
  for (const LogEstimate& estimate : estimates) {
    const double distance = estimate.value - weighted / weights;
    q += weight(estimate) * distance * distance;
    const double rest = 1 - weight(estimate) / weights;
    uncertain += rest * rest / estimate.degrees_of_freedom;
  }
  const auto count = static_cast<double>(estimates.size());
  const double squares = count * count - 1;
  const double f = q / (count - 1) / (1 + 2 * (count - 2) / squares * uncertain);
  const boost::math::fisher_f distribution(count - 1, squares / (3 * uncertain));
  return boost::math::cdf(boost::math::complement(distribution, f));
}

Interval log_range(double share) { return {std::log(1 - share), std::log(1 + share)}; }

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto remaining = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, remaining * p_values[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

std::optional<double> smallest_detectable(const LogEstimate& estimate) {
  const double degrees = estimate.degrees_of_freedom;
  if (degrees <= 0) return std::nullopt;
  // A report asks for the same few degrees of freedom table after table, and the search is slow.
  thread_local std::map<double, double> known;
  const auto [found, is_new] = known.try_emplace(degrees, 0.0);
  if (is_new) found->second = detectable_errors(degrees);
  return found->second * estimate.standard_error;
}

}  // namespace msda
