#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Dense>

#include "ablation/families.hpp"

namespace msda {
namespace {

/// A factor's level against its level 0.
struct Part {
  std::size_t factor = 0;
  int level = 0;
};

/// A column of the model: no part is the mean, one a main effect, two an interaction.
struct Term {
  std::vector<Part> parts;
};

/// Levels are coded as deviations from their average, so that a main effect is the one at the
/// average of the other factors' levels.
double coded(const Factor& factor, int level, int term_level) {
  const double share = 1.0 / static_cast<double>(factor.levels.size());
  return (level == term_level ? 1.0 : 0.0) - share;
}

std::vector<Term> terms_of(const std::vector<Factor>& factors, bool interactions) {
  std::vector<Part> parts;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    for (int level = 1; level <= factors[f].last(); ++level) parts.push_back({f, level});
  }
  std::vector<Term> terms{{}};
  for (const Part& part : parts) terms.push_back({{part}});
  for (std::size_t a = 0; interactions && a < parts.size(); ++a) {
    for (std::size_t b = a + 1; b < parts.size(); ++b) {
      if (parts[a].factor != parts[b].factor) terms.push_back({{parts[a], parts[b]}});
    }
  }
  return terms;
}

std::string label_of(const Term& term, const std::vector<Factor>& factors) {
  std::vector<std::string> names;
  for (const Part& part : term.parts) {
    names.push_back(effect_label(factors[part.factor], part.level));
  }
  return names.empty() ? "the mean" : fmt::format("{}", fmt::join(names, " x "));
}

/// Least squares: each coefficient as a weighted sum of the cells, and what it is mixed with.
class Model {
 public:
  Model(const Cells& cells, bool interactions)
      : cells_(cells),
        timed_(cells.timed()),
        terms_(terms_of(cells.design().factors, interactions)) {
    const auto rows = static_cast<Eigen::Index>(timed_.size());
    const auto columns = static_cast<Eigen::Index>(terms_.size());
    Eigen::MatrixXd design(rows, columns);
    for (Eigen::Index r = 0; r < rows; ++r) {
      const Levels& levels = cells.design().points[timed_[static_cast<std::size_t>(r)]].levels;
      for (Eigen::Index c = 0; c < columns; ++c) {
        double value = 1;
        for (const Part& part : terms_[static_cast<std::size_t>(c)].parts) {
          value *= coded(cells.design().factors[part.factor], levels[part.factor], part.level);
        }
        design(r, c) = value;
      }
    }
    inverse_ = design.completeOrthogonalDecomposition().pseudoInverse();
    resolution_ = inverse_ * design;
  }

  /// Main effects (1 part) or interactions (2).
  std::vector<Contrast> contrasts(std::size_t parts) const {
    std::vector<Contrast> result;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      if (terms_[t].parts.size() == parts) result.push_back(contrast(t));
    }
    return result;
  }

 private:
  Contrast contrast(std::size_t t) const {
    const auto& factors = cells_.design().factors;
    Contrast result{label_of(terms_[t], factors), {}, {}, "", {}};
    for (const Part& part : terms_[t].parts) result.factors.push_back(part.factor);
    const auto row = static_cast<Eigen::Index>(t);
    constexpr double kSame = 1e-8;
    std::vector<std::string> mixed;
    for (Eigen::Index c = 0; c < resolution_.cols(); ++c) {
      if (c != row && std::abs(resolution_(row, c)) > kSame) {
        mixed.push_back(label_of(terms_[static_cast<std::size_t>(c)], factors));
      }
    }
    if (mixed.empty() && std::abs(resolution_(row, row) - 1) < kSame) {
      result.weights = Weights(cells_.count(), 0.0);
      for (std::size_t i = 0; i < timed_.size(); ++i) {
        const double weight = inverse_(row, static_cast<Eigen::Index>(i));
        // Rounding must not make a cell count that has no part in the effect.
        if (std::abs(weight) > kSame) (*result.weights)[timed_[i]] = weight;
      }
    } else {
      result.reason = reason(mixed);
    }
    return result;
  }

  static std::string reason(const std::vector<std::string>& mixed) {
    constexpr std::size_t kNamed = 4;
    if (mixed.empty()) return "no combination with it has a time";
    const std::size_t named = std::min(mixed.size(), kNamed);
    const auto end = mixed.begin() + static_cast<std::ptrdiff_t>(named);
    const std::string more =
        mixed.size() > named ? fmt::format(" and {} more", mixed.size() - named) : "";
    return fmt::format("these cells cannot tell it from {}{}", fmt::join(mixed.begin(), end, ", "),
                       more);
  }

  const Cells& cells_;
  std::vector<std::size_t> timed_;
  std::vector<Term> terms_;
  Eigen::MatrixXd inverse_;
  Eigen::MatrixXd resolution_;
};

bool all_estimable(const std::vector<Contrast>& contrasts) {
  return std::ranges::all_of(contrasts,
                             [](const Contrast& contrast) { return contrast.weights.has_value(); });
}

/// A design of single steps says nothing about averages.
bool is_factorial(const Design& design) {
  return design.has(DesignKind::kFull) || design.has(DesignKind::kFractional) ||
         design.has(DesignKind::kList);
}

}  // namespace

std::vector<ContrastFamily> factorial(const Cells& cells) {
  if (cells.design().factors.size() < 2 || !is_factorial(cells.design())) return {};
  const std::size_t timed = cells.timed().size();
  if (timed < 2) return {};
  const Model full(cells, true);
  std::vector<Contrast> main = full.contrasts(1);
  std::string remark =
      fmt::format("least squares with two-factor interactions over {} combinations", timed);
  if (!all_estimable(main)) {
    main = Model(cells, false).contrasts(1);
    remark = fmt::format(
        "least squares over {} combinations, taking interactions for absent: too few to tell them "
        "from the main effects",
        timed);
  }
  return {{EffectKind::kMain, std::move(main), remark},
          {EffectKind::kInteraction, full.contrasts(2),
           "how many times more a factor is worth where the other one is on"}};
}

}  // namespace msda
