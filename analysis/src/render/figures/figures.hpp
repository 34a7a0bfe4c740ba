// The figures of a report: one Vega specification each, from analysis/web/figures, with its data.
// Their titles and captions stand there as well, in "usermeta".
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "render/section.hpp"

namespace msda {

struct Figure {
  std::string id;           ///< "f1-speedups": unique in the report, letters, digits and dashes
  std::size_t section = 0;  ///< index of the section that it belongs to
  std::string place;        ///< what it is of: "captured-decoder, warm"
  std::string title;        ///< "Speedups"
  std::string caption;      ///< what the marks mean
  nlohmann::json specification;
};

/// Tables that get figures, and arms in one figure: more would neither be read nor drawn quickly.
inline constexpr std::size_t kMostFigureTables = 24;
inline constexpr std::size_t kMostFigureArms = 60;

/// Figures of the sections, in their order. A figure without at least two arms
/// to compare is left out, as is the speed of light where no ceilings are known. Arms are the
/// fastest ones, in the table's order.
std::vector<Figure> figures_of(const std::vector<Section>& sections);

/// The specification with a title and a margin, for a figure that stands alone.
nlohmann::json standalone(const Figure& figure);

}  // namespace msda
