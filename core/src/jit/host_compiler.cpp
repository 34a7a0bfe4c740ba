#include "jit/host_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <msda/error.hpp>

#include "files/read.hpp"
#include "files/temporary_directory.hpp"
#include "hash.hpp"
#include "jit/cache_entry.hpp"
#include "jit/compile_failure.hpp"
#include "process/command.hpp"

namespace msda {
namespace fs = std::filesystem;
namespace {

std::string find_program() {
  const char* given = std::getenv("MSDA_CXX");
  return given != nullptr && *given != '\0' ? given : "g++";
}

std::string ask_version(const std::string& program) {
  CommandResult said;
  try {
    said = execute_command({program, "-dumpfullversion"});
  } catch (const EnvironmentError&) {
    said.exit_code = -1;
  }
  while (!said.output.empty() && said.output.back() == '\n') said.output.pop_back();
  constexpr int kOldest = 11;
  if (said.exit_code != 0 || std::atoi(said.output.c_str()) < kOldest) {
    throw EnvironmentError(
        fmt::format("the device simt compiles kernels with GCC {} or later, and '{}' is none; "
                    "install g++, or name one in MSDA_CXX",
                    kOldest, program));
  }
  return fmt::format("g++ {}", said.output);
}

std::string kernel_symbol(std::size_t i) { return fmt::format("msda_kernel_{}", i); }
constexpr const char* kPlanSymbol = "msda_plan";
constexpr const char* kHooks = "hooks.o";

/// The unit with functions that the program can find: templates have no names of their own.
std::string host_text(const Unit& unit) {
  constexpr const char* kExported = "__attribute__((visibility(\"default\")))";
  std::string text =
      fmt::format("#include <msda/simt/host/unit.cuh>\n{}\nextern \"C\" {{\n", unit.text);
  for (std::size_t i = 0; i < unit.kernels.size(); ++i) {
    text += fmt::format(
        "{} void {}(const void* arguments) {{\n"
        "  msda::simt::host::call({}, arguments);\n}}\n",
        kExported, kernel_symbol(i), unit.kernels[i]);
  }
  if (!unit.plan.empty()) {
    text +=
        fmt::format("{} const void* {}() {{ return {}; }}\n", kExported, kPlanSymbol, unit.plan);
  }
  return text + "}\n";
}

/// Runs a step of the compiler. What the machine lacks is no mistake of the unit.
void execute(const std::vector<std::string>& command, const Unit& unit, const fs::path& directory) {
  const CommandResult result = execute_command(command);
  if (result.exit_code == 0) return;
  for (const char* const lack :
       {"No space left on device", "Too many open files", "Cannot allocate memory"}) {
    if (result.output.find(lack) == std::string::npos) continue;
    throw EnvironmentError(fmt::format("{}: {} (temporary files are in {}; TMPDIR names another)",
                                       command.front(), lack, fs::temp_directory_path().string()));
  }
  throw Error(compile_failure(unit, "the host", directory, result.output));
}

Bytes read_bytes(const fs::path& file) {
  FileReader reader(file);
  return reader.read(reader.remaining());
}

}  // namespace

HostCompiler::HostCompiler(fs::path cache)
    : cache_(std::move(cache)), program_(find_program()), version_(ask_version(program_)) {}

std::vector<std::string> HostCompiler::options(const fs::path& directory) const {
  return {"-std=c++20", "-x", "c++", "-O1", "-g1", "-w", "-fPIC", "-fvisibility=hidden",
          "-fno-strict-aliasing",
          // One rounding for each operation that device code writes.
          "-ffp-contract=off",
          // A thread that the executor gives up is unwound, through whatever it was doing.
          "-fno-exceptions", "-fasynchronous-unwind-tables",
          // Each access of memory, and each basic block, calls the executor.
          "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0",
          "--param=tsan-distinguish-volatile=1", "-fsanitize-coverage=trace-pc", "-DMSDA_SIMT_HOST",
          "-I" + directory.string(), "-I" + (directory / "msda/simt/host").string()};
}

std::string HostCompiler::key(const Unit& unit) const {
  Hash hash;
  const auto add = [&hash](const std::string& text) {
    hash.add(text).add(std::string_view("\0", 1));
  };
  add(program_);
  add(version_);
  for (const std::string& option : options({})) add(option);
  add(unit.text);
  for (const UnitHeader& header : unit.headers) {
    add(header.path);
    add(header.text);
  }
  return hash.hex();
}

void HostCompiler::compile_object(const Unit& unit, const fs::path& directory,
                                  const fs::path& object) const {
  std::vector<std::string> command = {program_};
  for (const std::string& option : options(directory)) command.push_back(option);
  for (const std::string& last :
       {std::string("-c"), (directory / "unit.cu").string(), std::string("-o"), object.string()}) {
    command.push_back(last);
  }
  execute(command, unit, directory);
}

/// Linked apart: with the sanitizer's option the linker would add its library.
void HostCompiler::link(const Unit& unit, const std::vector<fs::path>& objects,
                        const fs::path& directory, const fs::path& image) const {
  std::vector<std::string> command = {program_, "-shared", "-nostartfiles"};
  for (const fs::path& object : objects) command.push_back(object.string());
  for (const std::string& last : {std::string("-lm"), std::string("-o"), image.string()})
    command.push_back(last);
  execute(command, unit, directory);
}

Bytes HostCompiler::hooks(const Unit& of) const {
  Unit unit;
  unit.label = "hooks";
  unit.text = "#include <msda/simt/host/hooks.cuh>\n";
  std::ranges::copy_if(of.headers, std::back_inserter(unit.headers), [](const UnitHeader& header) {
    return header.path.starts_with("msda/simt/host/");
  });
  return cache_
      .get(key(unit), kHooks, unit,
           [&](const fs::path& directory) {
             const TemporaryDirectory temporary;
             const fs::path object = temporary.path() / kHooks;
             compile_object(unit, directory, object);
             Module module;
             module.cubin = read_bytes(object);
             return module;
           })
      .cubin;
}

Module HostCompiler::compile(const Unit& given) const {
  Unit unit = given;
  unit.text = host_text(given);
  return cache_.get(key(unit), kSharedObject, unit,
                    [&](const fs::path& directory) { return build(unit, directory); });
}

Module HostCompiler::build(const Unit& unit, const fs::path& directory) const {
  const TemporaryDirectory temporary;
  const fs::path image = temporary.path() / kSharedObject;
  const fs::path own = temporary.path() / "unit.o";
  compile_object(unit, directory, own);
  const Bytes hooks = this->hooks(unit);
  const fs::path shared = temporary.write(
      kHooks, std::string_view(reinterpret_cast<const char*>(hooks.data()), hooks.size()));
  link(unit, {own, shared}, directory, image);
  Module module;
  module.cubin = read_bytes(image);
  for (std::size_t i = 0; i < unit.kernels.size(); ++i) {
    module.kernels[unit.kernels[i]] = {kernel_symbol(i), 0, 0, 0};
  }
  if (!unit.plan.empty()) module.plan_symbol = kPlanSymbol;
  return module;
}

}  // namespace msda
