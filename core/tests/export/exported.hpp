// What the tests of exports share: requests and their files.
#pragma once

#include <string>
#include <vector>

#include "export/export.hpp"

namespace msda::test {

/// A composition of optimizations with their default parameters, for a problem.
ExportedKernel exported_kernel(const std::vector<std::string>& variants, const Problem& problem);
/// The preset in fp16.
Problem preset_in_half(const std::string& name);
/// Small enough for the device simt: two images of 17x23 and 9x12 pixels, 37 queries.
Problem small_problem(DType type = DType::kFloat16);

/// The file's content. Throws Error when the export has none of that name.
const std::string& content_of(const std::vector<ExportedFile>& files, const std::string& name);

}  // namespace msda::test
