// What the formats of an export share: templates, checked kernels, and where all comes from.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <msda/launch.cuh>

#include "compose/unit_writer.hpp"
#include "export/export.hpp"
#include "jit/launch_plan.hpp"

namespace msda {

/// Operators that are exported, each with a table of its kernels.
inline constexpr std::string_view kExportedOperators[] = {"forward", "backward", "fused",
                                                          "fused-backward"};

/// What stands in the templates between two @.
using Words = std::map<std::string, std::string>;
/// The template's text with its words filled in.
std::string filled(std::string_view file, const Words& words);
/// A template as it is.
std::string template_text(std::string_view file);
/// The licence of this program.
std::string licence_text();
/// msda/external.h.
std::string external_header();
/// The launcher (core/runtime), as this program was compiled with it, and what it includes.
std::vector<UnitHeader> launcher_headers();

/// NVRTC's code of a composition, as a device compiles it that measures it.
struct CodeImage {
  std::string architecture;     ///< "sm_90a"; "compute_90": PTX, for later devices
  std::vector<std::byte> code;  ///< a cubin, or PTX that ends in a zero
  std::string code_hash;        ///< of a cubin: code_hash() of a measurement's record
};

/// A kernel that was compiled, and may be carried.
struct CheckedKernel {
  const ExportedKernel* exported;
  std::string space;  ///< namespace of its constants in the source: "ddetr_encoder_fp16"
  std::string name;   ///< for people: "fastest for ddetr-encoder"
  ComposedUnit composed;
  LaunchPlan plan;
  int least_capability;  ///< 10 * major + minor
  int most_capability;   ///< 0: no limit
  bool repeats;          ///< every run leaves the same bits
  /// Names in the images: of the main kernels in the order of main_kernels(), then of the passes in
  /// that of kernels_of().
  std::vector<std::string> symbols;
  std::vector<CodeImage> images;  ///< see ExportRequest::images
};

/// A kernel's unit as experiments measure it, but for what profilers need, which is most of the
/// size of compiled code and none of its instructions.
ComposedUnit unit_of(const ExportedKernel& kernel);
/// Expressions of the main kernels: of given sizes one for each number of resident levels.
std::vector<std::string> main_kernels(const ComposedUnit& composed);
/// The passes of the plan, in the order of a launch.
std::vector<PlannedKernel> passes_of(const CheckedKernel& kernel);

/// Those for level sizes that are no constants once for each unit. Throws as export_source() does.
std::vector<CheckedKernel> check_kernels(const ExportRequest& request, const Compiler& compiler);

/// body(i) of `count` things, `what` they are, with all of the machine's cores; the request is told
/// of each that is done.
void make_all(const ExportRequest& request, const char* what, std::size_t count,
              const std::function<void(std::size_t)>& body);

/// Compiles each kernel for the request's images, with all of the machine's cores. An architecture
/// that a kernel is not for is left out, and those of which nothing is left.
void add_images(const ExportRequest& request, const Compiler& compiler,
                std::vector<CheckedKernel>& kernels);
/// NAME_images.h, and the code itself in NAME_images.h.bin; none where no kernel has an image.
std::vector<ExportedFile> image_files(const ExportRequest& request,
                                      const std::vector<CheckedKernel>& kernels);
/// The name of a kernel's images in it.
std::string images_name(const CheckedKernel& kernel);
/// Name of the operator that it computes, one of kExportedOperators.
std::string_view operator_of(const CheckedKernel& kernel);

/// "100x134 50x67", or the form of sizes that are no constants.
std::string levels_text(const CheckedKernel& kernel);
/// "fp16", or each tensor's.
std::string types_text(const Types& types);

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
