#include "jit/sass.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "pattern.hpp"
#include "process/command.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_tool(const char* name) {
  if (auto found = find_in_path(name)) return found;
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable)) folders.push_back(fs::path(home) / "bin");
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored)) return folder / name;
  }
  return std::nullopt;
}

}  // namespace

std::vector<SassFunction> parse_sass(std::string_view text) {
  // "Function : NAME" or ".text.NAME:", then "/*0010*/  @P0 LDG.E R1, [R2] ;  /* 0x... */"
  static const Pattern kFunction(R"(^\s*(?:Function : |\.text\.)([^\s:]+):?\s*$)");
  static const Pattern kInstruction(R"(^\s*/\*[0-9a-f]{4,}\*/\s+([^;]+?)\s*;)");
  std::vector<SassFunction> functions;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (const auto function = kFunction.search(line)) {
      functions.push_back({function->at(1), {}});
    } else if (functions.empty()) {
      continue;
    } else if (const auto instruction = kInstruction.search(line)) {
      functions.back().instructions.push_back(instruction->at(1));
    }
  }
  return functions;
}

std::string opcode(std::string_view instruction) {
  if (!instruction.empty() && instruction.front() == '@') {
    const std::size_t end = instruction.find(' ');
    instruction.remove_prefix(std::min(end, instruction.size()));
    instruction.remove_prefix(std::min(instruction.find_first_not_of(' '), instruction.size()));
  }
  return std::string(instruction.substr(0, instruction.find(' ')));
}

std::map<std::string, int> opcode_counts(const SassFunction& function, bool whole) {
  std::map<std::string, int> counts;
  for (const std::string& instruction : function.instructions) {
    const std::string name = opcode(instruction);
    ++counts[whole ? name : name.substr(0, name.find('.'))];
  }
  return counts;
}

std::optional<std::vector<SassFunction>> disassemble(const fs::path& cubin) {
  std::vector<std::string> words;
  if (const auto cuobjdump = find_tool("cuobjdump")) {
    words = {cuobjdump->string(), "--dump-sass", cubin.string()};
  } else if (const auto nvdisasm = find_tool("nvdisasm")) {
    words = {nvdisasm->string(), "-hex", cubin.string()};
  } else {
    return std::nullopt;
  }
  const CommandResult said = execute_command(words);
  if (said.exit_code != 0) {
    throw EnvironmentError(fmt::format("{} cannot disassemble {} (exit code {}): {}", words.front(),
                                       cubin.string(), said.exit_code, said.output));
  }
  return parse_sass(said.output);
}

}  // namespace msda
