#include "mutation/code_lines.hpp"

#include <sstream>
#include <string_view>

#include <msda/error.hpp>

#include "files/temporary_directory.hpp"
#include "jit/host_compiler.hpp"
#include "process/command.hpp"

namespace msda {

CodeLines code_lines(const Unit& unit) try {
  const Module module = HostCompiler().compile(unit);
  const TemporaryDirectory temporary;
  const auto image = temporary.write(
      "unit.so",
      std::string_view(reinterpret_cast<const char*>(module.cubin.data()), module.cubin.size()));
  const CommandResult table = execute_command({"objdump", "--dwarf=decodedline", image.string()});
  CodeLines lines;
  std::istringstream text(table.output);
  for (std::string row; std::getline(text, row);) {
    std::string file;
    int line = 0;
    if (std::istringstream(row) >> file >> line) lines.emplace(file, line);
  }
  return lines;
} catch (const Error&) {
  return {};
}

}  // namespace msda
