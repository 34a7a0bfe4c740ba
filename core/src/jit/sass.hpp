// The machine code of a compiled GPU module, as NVIDIA's disassembler prints it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msda {

struct SassFunction {
  std::string symbol;                     ///< mangled
  std::vector<std::string> instructions;  ///< with operands, in order: "LDG.E.128 R4, [R2.64]"
};

/// Of `cuobjdump --dump-sass` or `nvdisasm`; what is no instruction is passed over.
std::vector<SassFunction> parse_sass(std::string_view text);

/// "LDG.E.128.CONSTANT" of an instruction, its predicate left out.
std::string opcode(std::string_view instruction);

/// How often each opcode stands in the code, by its name up to the first dot ("LDG") or whole.
std::map<std::string, int> opcode_counts(const SassFunction& function, bool whole = false);

/// The code of a cubin file; nullopt where neither nvdisasm nor cuobjdump is in PATH or beside the
/// CUDA toolkit. Throws EnvironmentError when the tool refuses the file.
std::optional<std::vector<SassFunction>> disassemble(const std::filesystem::path& cubin);

}  // namespace msda
