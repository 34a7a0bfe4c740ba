#include "tuning/landscape.hpp"

#include <msda/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace msda {
namespace {

using nlohmann::json;

/// Collects the trials of one problem in one mode.
class Trials {
 public:
  explicit Trials(const SearchSpace& space) : space_(space) {}

  void add(const SearchTrial& trial, SearchReport& report) {
    for (const SearchedCandidate& one : trial.candidates) add(one, trial.stage);
    report.seconds = std::max(report.seconds, trial.seconds);
    double best = 0;
    for (const auto& [number, candidate] : candidates_) {
      if (candidate.timed()) best = std::min(best, candidate.log_time);
    }
    report.progress.push_back(
        {trial.seconds, static_cast<int>(candidates_.size()), std::exp(-best)});
  }

  std::vector<TriedCandidate> sorted() const {
    std::vector<TriedCandidate> tried;
    for (const auto& [number, candidate] : candidates_) tried.push_back(candidate);
    std::ranges::stable_sort(tried, [](const auto& a, const auto& b) {
      if (a.timed() != b.timed()) return a.timed();
      return a.timed() && a.log_time < b.log_time;
    });
    return tried;
  }

 private:
  void add(const SearchedCandidate& one, const std::string& stage) {
    const auto [found, is_new] = candidates_.try_emplace(one.number);
    TriedCandidate& candidate = found->second;
    if (is_new) {
      candidate.number = one.number;
      candidate.name = one.name;
      candidate.stage = stage;
      if (one.number < space_.size()) candidate.levels = space_.at(one.number);
    }
    if (!one.failure.empty()) candidate.failure = one.failure;
    candidate.relative_l2 = std::max(candidate.relative_l2, one.relative_l2);
    const auto blocks = static_cast<double>(candidate.blocks);
    double sum = candidate.log_time * blocks;
    for (const double log : one.logs) sum += log;
    candidate.blocks += static_cast<int>(one.logs.size());
    if (candidate.blocks > 0) candidate.log_time = sum / candidate.blocks;
  }

  const SearchSpace& space_;
  std::map<std::uint64_t, TriedCandidate> candidates_;
};

SearchReport& report_of(std::vector<SearchReport>& reports, const std::string& problem,
                        TimingMode mode) {
  for (SearchReport& report : reports) {
    if (report.problem == problem && report.mode == mode) return report;
  }
  SearchReport& report = reports.emplace_back();
  report.problem = problem;
  report.mode = mode;
  return report;
}

void add_finalists(const SearchEntry& searched, const SearchSpace& space,
                   const std::vector<Record>& records, SearchReport& report) {
  std::vector<Record> own;
  for (const Record& record : records) {
    if (record.problem == report.problem && record.mode == report.mode) own.push_back(record);
  }
  const std::vector<Confirmation> confirmations = confirm(own);
  for (const FinalistEntry& one : searched.finalists) {
    FinalistResult& finalist = report.finalists.emplace_back();
    finalist.name = one.name;
    finalist.searched_gain = one.searched_gain;
    finalist.description =
        one.number < space.size() ? space.describe(space.at(one.number)) : one.composition;
    for (const Confirmation& confirmation : confirmations) {
      if (confirmation.arm == finalist.name) finalist.confirmation = confirmation;
    }
  }
  std::string winner = searched.winner;
  if (searched.together.empty()) {
    if (const Confirmation* found = confirmed_winner(confirmations)) winner = found->arm;
  }
  for (std::size_t i = 0; i < report.finalists.size(); ++i) {
    if (report.finalists[i].name == winner) report.winner = i;
  }
}

/// From the reports of all its problems.
std::optional<FamilyGain> family_gain(const SearchReport& of,
                                      const std::vector<SearchReport>& all) {
  FamilyGain family;
  double sum = 0;
  std::size_t problems = 0;
  for (const SearchReport& one : all) {
    if (one.mode != of.mode || one.together != of.together || !one.winner) continue;
    const auto& confirmation = one.finalists[*one.winner].confirmation;
    if (!confirmation || !confirmation->gain) return std::nullopt;
    const double gain = *confirmation->gain;
    sum += std::log(gain);
    if (problems == 0 || gain < family.least)
      std::tie(family.least_on, family.least) = std::tie(one.problem, gain);
    if (problems == 0 || gain > family.most)
      std::tie(family.most_on, family.most) = std::tie(one.problem, gain);
    ++problems;
  }
  if (problems == 0 || problems != of.together.size()) return std::nullopt;
  family.mean = std::exp(sum / static_cast<double>(problems));
  return family;
}

void add_searched(const SearchEntry& searched, const SearchSpace& space,
                  const std::vector<Record>& records, SearchReport& report) {
  report.baseline = searched.baseline;
  report.failure = searched.failure;
  report.together = searched.together;
  report.ended = true;
  report.whole = searched.whole;
  report.out_of_time = searched.out_of_time;
  report.points = static_cast<double>(searched.points);
  const auto looked_at = static_cast<double>(searched.looked_at);
  const double scale = looked_at > 0 ? report.points / looked_at : 0;
  report.left = static_cast<double>(searched.left) * scale;
  for (const RemovedEntry& one : searched.removed) {
    report.removed.push_back({one.reason, static_cast<double>(one.points) * scale});
  }
  add_finalists(searched, space, records, report);
}

std::optional<std::size_t> reference_of(const SearchReport& report) {
  std::optional<std::size_t> fastest;
  for (std::size_t i = 0; i < report.tried.size(); ++i) {
    const TriedCandidate& candidate = report.tried[i];
    if (!candidate.timed() || candidate.levels.empty()) continue;
    if (!fastest) fastest = i;
    if (report.winner && candidate.name == report.finalists[*report.winner].name) return i;
  }
  return fastest;
}

}  // namespace

std::vector<SearchReport> make_search_reports(const Manifest& manifest,
                                              const std::vector<SearchTrial>& trials,
                                              const std::vector<Record>& records) {
  const SearchSpace& space = *manifest.space;
  std::vector<SearchReport> reports;
  std::map<std::pair<std::string, TimingMode>, Trials> collected;
  for (const SearchTrial& trial : trials) {
    SearchReport& report = report_of(reports, trial.problem, trial.mode);
    collected.try_emplace({trial.problem, trial.mode}, space).first->second.add(trial, report);
  }
  for (const SearchEntry& searched : manifest.searches) {
    add_searched(searched, space, records, report_of(reports, searched.problem, searched.mode));
  }
  for (SearchReport& report : reports) {
    if (!report.together.empty()) report.family = family_gain(report, reports);
    const auto found = collected.find({report.problem, report.mode});
    if (found != collected.end()) report.tried = found->second.sorted();
    report.reference = reference_of(report);
    if (report.reference) {
      report.factors = factor_worths(space, report.tried, report.tried[*report.reference]);
    }
  }
  return reports;
}

double share_within(const SearchReport& report, double cost) {
  double within = 0;
  double timed = 0;
  for (const TriedCandidate& candidate : report.tried) {
    if (!candidate.timed()) continue;
    ++timed;
    if (candidate.log_time <= report.tried.front().log_time + std::log(cost)) ++within;
  }
  return timed == 0 ? 0 : within / timed;
}

}  // namespace msda
