// What the formats of an export share: templates, checked kernels, and where all comes from.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <msda/launch.cuh>

#include "compose/unit_writer.hpp"
#include "export/export.hpp"

namespace msda {

/// What stands in the templates between two @.
using Words = std::map<std::string, std::string>;
/// The template's text with its words filled in.
std::string filled(std::string_view file, const Words& words);
/// A template as it is.
std::string template_text(std::string_view file);
/// msda/external.h.
std::string external_header();
/// The launcher (core/runtime), as this program was compiled with it, and what it includes.
std::vector<UnitHeader> launcher_headers();

/// A kernel that was compiled, and may be carried.
struct CheckedKernel {
  const ExportedKernel* exported;
  std::string space;  ///< namespace of its constants in the source: "ddetr_encoder_fp16"
  std::string name;   ///< for people: "fastest for ddetr-encoder"
  ComposedUnit composed;
  LaunchPlan plan;
  int least_capability;  ///< 10 * major + minor
  int most_capability;   ///< 0: no limit
};

/// Throws as export_source() does.
std::vector<CheckedKernel> check_kernels(const ExportRequest& request, const Compiler& compiler);

/// What was exported of what, as lines of a C comment.
std::string provenance_comment(const ExportRequest& request,
                               const std::vector<CheckedKernel>& kernels);
/// The same for programs.
std::string provenance_json(const ExportRequest& request,
                            const std::vector<CheckedKernel>& kernels);

/// NAME.cu and NAME.h.
std::vector<ExportedFile> source_files(const ExportRequest& request,
                                       const std::vector<CheckedKernel>& kernels);

}  // namespace msda
