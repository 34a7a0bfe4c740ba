// What the tests of exports share: requests and their files.
#pragma once

#include <string>
#include <vector>

#include "export/export.hpp"
#include "support/problems.hpp"

namespace msda::test {

/// A composition of optimizations with their default parameters, for a problem.
ExportedKernel exported_kernel(const std::vector<std::string>& variants, const Problem& problem,
                               LevelForm form = LevelForm::kFixed);
/// The same computing the operator fused, or its gradients where that is what the variants are for.
ExportedKernel fused_kernel(const std::vector<std::string>& variants, const Problem& problem,
                            LevelForm form = LevelForm::kFixed);
/// The preset in fp16.
Problem preset_in_half(const std::string& name);

/// The file's content. Throws Error when the export has none of that name.
const std::string& content_of(const std::vector<ExportedFile>& files, const std::string& name);

/// How often the part stands in the text.
std::size_t count(const std::string& text, const std::string& part);

}  // namespace msda::test
