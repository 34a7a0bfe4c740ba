// Records made from a model with known effects and interactions, and what the analysis says of
// them.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <msda/error.hpp>

#include "ablation/ablation.hpp"
#include "design/enumerate.hpp"
#include "render/formats.hpp"
#include "support/synthetic.hpp"

namespace msda::truth {

/// log(speed-up) of each factor, and what pairs of neighbours add.
struct Truth {
  std::vector<double> main;
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, double>> pairs;

  double log_speed(const Levels& levels) const {
    double sum = 0;
    for (std::size_t f = 0; f < main.size(); ++f) sum += levels[f] != 0 ? main[f] : 0;
    for (const auto& [pair, value] : pairs) {
      if (levels[pair.first] != 0 && levels[pair.second] != 0) sum += value;
    }
    return sum;
  }
};

inline Design design_of(DesignKind kind, std::size_t count, const std::vector<Levels>& points) {
  Design design;
  design.kinds = {kind};
  for (std::size_t f = 0; f < count; ++f) {
    design.factors.push_back({std::string(1, static_cast<char>('a' + f)), {"off", "on"}});
  }
  for (const Levels& levels : points) {
    design.points.push_back({arm_name(design.factors, levels), levels});
  }
  return design;
}

inline Design full(std::size_t count) {
  const Design empty = design_of(DesignKind::kFull, count, {});
  return design_of(DesignKind::kFull, count, full_points(empty.factors));
}

/// Every block has a drift of its own, every sample noise; error doubles with factor 0.
inline std::vector<Record> records_from(const Design& design, const Truth& truth, double noise,
                                        std::mt19937& random, int blocks = 8,
                                        const std::string& problem = "p") {
  std::normal_distribution<double> normal;
  std::vector<double> drift(static_cast<std::size_t>(blocks));
  for (double& of_block : drift) of_block = 0.05 * normal(random);
  std::vector<Record> records;
  for (const DesignPoint& point : design.points) {
    Record record;
    record.problem = problem;
    record.arm = point.arm;
    record.cell = problem + "/" + point.arm + "/warm";
    record.status = CellStatus::kOk;
    record.baseline = point.arm == "base";
    record.outputs = {
        {.name = "output", .relative_l2 = point.levels[0] != 0 ? 2e-4 : 1e-4, .worst_element = {}}};
    for (int b = 0; b < blocks; ++b) {
      const double log_time = drift[static_cast<std::size_t>(b)] - truth.log_speed(point.levels);
      record.samples.push_back({0, b, {1e-3 * std::exp(log_time + noise * normal(random))}});
    }
    records.push_back(std::move(record));
  }
  return records;
}

inline Ablation analyse(const Design& design, const std::vector<Record>& records) {
  return *make_report(nlohmann::json{{"ablation", to_json(design)}}, records).ablation;
}

inline const EffectFamily& family(const Ablation& ablation, EffectKind kind) {
  for (const EffectFamily& found : ablation.tables.at(0).families) {
    if (found.kind == kind) return found;
  }
  throw Error("no such family");
}

inline const Effect& effect(const Ablation& ablation, EffectKind kind, const std::string& label) {
  for (const Effect& found : family(ablation, kind).effects) {
    if (found.label == label) return found;
  }
  throw Error("no effect " + label);
}

inline double log_of(const Ablation& ablation, EffectKind kind, const std::string& label) {
  return std::log(effect(ablation, kind, label).ratio.value());
}

}  // namespace msda::truth
