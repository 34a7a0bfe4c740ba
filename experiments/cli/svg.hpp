// Figures of a report as files.
#pragma once

#include <filesystem>
#include <vector>

#include "render/figures/figures.hpp"

namespace msda {

/// Draws each figure with Vega in Node.js and writes DIRECTORY/<id>.svg, which is made if need be.
/// Throws EnvironmentError when there is no `node`, when it fails, or when the program was built
/// without Vega.
std::vector<std::filesystem::path> write_figures(const std::vector<Figure>& figures,
                                                 const std::filesystem::path& directory);

}  // namespace msda
