#include "runner/tune/propose.hpp"

#include <algorithm>
#include <set>

#include "runner/tune/screen.hpp"

namespace msda {
namespace {

/// Standard deviation of a block's log ratio that is assumed where blocks do not tell.
constexpr double kBlockDeviation = 0.02;
constexpr std::size_t kBest = 3;            ///< whose neighbours are tried
constexpr std::size_t kMostDrawn = 10'000;  ///< points that the model is asked about
constexpr std::size_t kMostWeighed = 500;   ///< of those, the ones whose uncertainty counts

struct Predicted {
  double log_time = 0;
  std::uint64_t candidate = 0;
  // clang-tidy 14 takes the zero that this compares with for a pointer.
  friend auto operator<=>(const Predicted&,
                          const Predicted&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Points that can run and were not tried.
class Untried {
 public:
  Untried(const Pool& pool, const Scoreboard& board) : pool_(pool), board_(board) {}

  bool has(std::uint64_t candidate) const {
    if (board_.knows(candidate)) return false;
    if (pool_.all.empty()) return pool_.can_run(candidate);
    return std::binary_search(pool_.all.begin(), pool_.all.end(), candidate);
  }

  void add_neighbours(std::uint64_t candidate, std::set<std::uint64_t>& found) const {
    if (!pool_.is_point(candidate)) return;
    for (const Levels& levels : pool_.space.neighbours(pool_.space.at(candidate))) {
      const std::uint64_t number = pool_.space.number_of(levels);
      if (has(number)) found.insert(number);
    }
  }

  /// All of them where they are few, else a random part.
  std::set<std::uint64_t> some(std::mt19937_64& random) const {
    std::set<std::uint64_t> found;
    if (!pool_.all.empty() && pool_.all.size() <= kMostDrawn) {
      for (const std::uint64_t candidate : pool_.all) {
        if (!board_.knows(candidate)) found.insert(candidate);
      }
      return found;
    }
    for (std::size_t i = 0; i < kMostDrawn; ++i) {
      const auto candidate = draw(pool_, random);
      if (candidate && !board_.knows(*candidate)) found.insert(*candidate);
    }
    return found;
  }

 private:
  const Pool& pool_;
  const Scoreboard& board_;
};

std::vector<Predicted> predicted(const Pool& pool, const EffectsModel& model,
                                 const std::set<std::uint64_t>& candidates) {
  std::vector<Predicted> order;
  order.reserve(candidates.size());
  for (const std::uint64_t candidate : candidates) {
    order.push_back({model.log_time(pool.space.at(candidate)), candidate});
  }
  std::sort(order.begin(), order.end());
  return order;
}

/// The points with the least time according to the model, which has less noise than a measurement.
std::vector<Predicted> best_points(const Pool& pool, const Scoreboard& board,
                                   const EffectsModel& model) {
  std::set<std::uint64_t> points;
  for (const std::uint64_t candidate : board.leaders(4 * kBest)) {
    if (pool.is_point(candidate)) points.insert(candidate);
  }
  std::vector<Predicted> best = predicted(pool, model, points);
  best.resize(std::min(best.size(), kBest));
  return best;
}

/// Those that may be faster than `best`, the most promising first.
std::vector<Predicted> promising(const Pool& pool, const EffectsModel& model,
                                 const std::vector<Predicted>& order, double best) {
  std::vector<Predicted> found;
  for (std::size_t i = 0; i < std::min(order.size(), kMostWeighed); ++i) {
    const auto prediction = model.predict(pool.space.at(order[i].candidate));
    const double hoped = prediction.log_time - 2 * prediction.deviation;
    if (hoped < best) found.push_back({hoped, order[i].candidate});
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

EffectsModel model_of(const Pool& pool, const Scoreboard& board) {
  std::vector<ModelPoint> points;
  for (const auto& [candidate, score] : board.all()) {
    if (!pool.is_point(candidate) || score.failed() || score.blocks == 0) continue;
    const double variance = 2 * kBlockDeviation * kBlockDeviation / score.blocks;
    points.push_back({pool.space.at(candidate), score.log_time(), variance});
  }
  return EffectsModel(std::move(points));
}

std::vector<std::uint64_t> propose(const Pool& pool, const Scoreboard& board, std::size_t count,
                                   std::mt19937_64& random) {
  const bool has_points =
      std::any_of(board.all().begin(), board.all().end(), [&](const auto& entry) {
        return pool.is_point(entry.first) && !entry.second.failed() && entry.second.blocks > 0;
      });
  if (!has_points) return {};
  const EffectsModel model = model_of(pool, board);
  const Untried untried(pool, board);
  const std::vector<Predicted> best = best_points(pool, board, model);
  std::set<std::uint64_t> near;
  for (const Predicted& point : best) untried.add_neighbours(point.candidate, near);
  std::vector<std::uint64_t> chosen;
  const auto take = [&](const std::vector<Predicted>& order, std::size_t most) {
    for (const Predicted& point : order) {
      const bool is_new = std::find(chosen.begin(), chosen.end(), point.candidate) == chosen.end();
      if (chosen.size() < most && is_new) chosen.push_back(point.candidate);
    }
  };
  const std::vector<Predicted> neighbours = predicted(pool, model, near);
  take(neighbours, count / 2);
  std::set<std::uint64_t> others = untried.some(random);
  for (const std::uint64_t candidate : near) {  // and what lies behind them
    if (others.size() < 2 * kMostDrawn) untried.add_neighbours(candidate, others);
  }
  take(promising(pool, model, predicted(pool, model, others), best.front().log_time), count);
  take(neighbours, count);
  return chosen;
}

}  // namespace msda
