#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "render/figures/values.hpp"
#include "render/text/text.hpp"

namespace msda {

using Json = nlohmann::json;

Json landscape_values(const SearchReport& search) {
  constexpr std::size_t kMostMarks = 400;
  Json values = Json::array();
  std::size_t timed = 0;
  while (timed < search.tried.size() && search.tried[timed].timed()) ++timed;
  // The fast end is where the interest is: it keeps every mark, the rest is thinned.
  const std::size_t step = std::max<std::size_t>(1, timed / kMostMarks);
  for (std::size_t i = 0; i < timed; i += i < kMostMarks / 4 ? 1 : step) {
    const TriedCandidate& candidate = search.tried[i];
    const double cost = std::exp(candidate.log_time - search.tried.front().log_time);
    values.push_back(
        {{"rank", i + 1},
         {"cost", cost},
         {"stage", candidate.stage},
         {"tip", fmt::format("{}: {} of the fastest, {}", printable_line(candidate.name),
                             ratio_text(cost), candidate.stage)}});
  }
  return values;
}

Json search_progress_values(const SearchReport& search) {
  Json values = Json::array();
  for (const SearchProgress& step : search.progress) {
    values.push_back({{"seconds", step.seconds},
                      {"gain", step.gain},
                      {"tip", fmt::format("{:.0f} s, {} tried: {}", step.seconds, step.tried,
                                          ratio_text(step.gain))}});
  }
  return values;
}

Json level_values(const SearchReport& search) {
  Json values = Json::array();
  const auto add = [&](const FactorWorth& factor, const LevelWorth& level, const char* way,
                       const std::optional<double>& cost) {
    if (!cost) return;
    values.push_back({{"factor", printable_line(factor.factor)},
                      {"level", printable_line(factor.factor + "=" + level.level)},
                      {"way", way},
                      {"cost", *cost},
                      {"tip", fmt::format("{}={}, {}: {}", printable_line(factor.factor),
                                          printable_line(level.level), way, ratio_text(*cost))}});
  };
  for (const FactorWorth& factor : search.factors) {
    if (factor.levels.size() < 2) continue;  // nothing to choose
    for (const LevelWorth& level : factor.levels) {
      add(factor, level, "best with it", level.best_with_it);
      add(factor, level, level.measured ? "at the winner" : "at the winner, predicted",
          level.at_the_winner);
    }
  }
  return values;
}

}  // namespace msda
