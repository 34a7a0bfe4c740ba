// Compositions as source that is compiled and used without MSDA Lab (docs/export.md).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compose/composition.hpp"
#include "files/bytes.hpp"
#include "jit/compiler.hpp"

namespace msda {

/// One kernel of an export: a composition of the operator forward or backward for the constants of
/// a problem, whose level sizes need not be among them.
struct ExportedKernel {
  std::string recipe;  ///< as it was asked for
  Composition composition;
  Problem problem;
};

struct ExportRequest {
  std::string name = "msda_forward";  ///< of the C entry and of its files
  std::vector<ExportedKernel> kernels;
  std::vector<std::string> architectures;  ///< that all kernels have to run on: "sm_90a"
  /// NVRTC's code to carry beside the source, as far as kernels run there; those of
  /// `architectures` in any case. Without `architectures` PTX of the last one, too.
  std::vector<std::string> images;
  std::string report;       ///< text of what was measured; "" for none
  std::string report_from;  ///< where it comes from
  std::string commit;       ///< state of this program's sources, as git describes it; "" unknown
  std::string command;      ///< what was asked for: "msda export best --for rt-detr"
  /// Is told, by one thread at a time, what is made of how many, and how many are done: from 0 on.
  std::function<void(const char* what, std::size_t done, std::size_t count)> on_progress{};
};

/// Those that exports carry code for unless others are asked for.
std::vector<std::string> usual_architectures();

struct ExportedFile {
  std::filesystem::path path;  ///< in the folder of the export
  std::string content;
};

/// NAME.cu and NAME.h: the kernels with all that they need, tables of them, general kernels for all
/// other calls, and C entries as msda/external.h has them; NAME_images.h and .h.bin with NVRTC's
/// code, of the same bits as what an experiment measures; a cubin for each architecture, and
/// export.json, which says what all of it was made of. Each kernel is compiled once, so that none
/// is written that does not compile. Throws UsageError for what is no composition of the operator,
/// Unsupported for one that an architecture asked for, or an export, cannot carry.
std::vector<ExportedFile> export_source(const ExportRequest& request, const Compiler& compiler);

/// The same as an extension for PyTorch: the kernels behind operators with gradients, a Python
/// package around them, build.py and check.py. `package` is the name of both.
std::vector<ExportedFile> export_torch(const ExportRequest& request, const Compiler& compiler,
                                       const std::string& package);

/// The same as a project for Hugging Face's kernel-builder.
std::vector<ExportedFile> export_hub(const ExportRequest& request, const Compiler& compiler,
                                     const std::string& package);

}  // namespace msda
