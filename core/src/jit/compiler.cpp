#include "jit/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include <msda/error.hpp>

#include "hash.hpp"
#include "jit/cache_entry.hpp"
#include "jit/compile_failure.hpp"
#include "jit/cuda_headers.hpp"
#include "jit/nvrtc.hpp"
#include "pattern.hpp"

namespace msda {
namespace {

#define CHECKED(name, ...) check(NVRTC(name)(__VA_ARGS__), #name)

void check(nvrtcResult result, const char* call) {
  if (result != NVRTC_SUCCESS)
    throw Error(fmt::format("{}: {}", call, NVRTC(nvrtcGetErrorString)(result)));
}

/// An NVRTC program, destroyed with the object.
class Program {
 public:
  Program(const std::string& text, const std::string& name) {
    CHECKED(nvrtcCreateProgram, &program_, text.c_str(), name.c_str(), 0, nullptr, nullptr);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { NVRTC(nvrtcDestroyProgram)(&program_); }

  void want(const std::string& name_expression) {
    CHECKED(nvrtcAddNameExpression, program_, name_expression.c_str());
  }
  void compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    const nvrtcResult result =
        NVRTC(nvrtcCompileProgram)(program_, static_cast<int>(pointers.size()), pointers.data());
    if (result != NVRTC_SUCCESS && result != NVRTC_ERROR_COMPILATION) {
      check(result, "nvrtcCompileProgram");
    }
    failed_ = result != NVRTC_SUCCESS;
  }
  bool failed() const { return failed_; }
  std::string log() const {
    std::size_t size = 0;
    CHECKED(nvrtcGetProgramLogSize, program_, &size);
    std::string text(size, '\0');
    CHECKED(nvrtcGetProgramLog, program_, text.data());
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }
  std::string lowered(const std::string& name_expression) const {
    const char* name = nullptr;
    CHECKED(nvrtcGetLoweredName, program_, name_expression.c_str(), &name);
    return name;
  }
  std::vector<std::byte> cubin() const {
    std::size_t size = 0;
    CHECKED(nvrtcGetCUBINSize, program_, &size);
    std::vector<std::byte> bytes(size);
    CHECKED(nvrtcGetCUBIN, program_, reinterpret_cast<char*>(bytes.data()));
    return bytes;
  }
  /// With the zero at its end.
  std::vector<std::byte> ptx() const {
    std::size_t size = 0;
    CHECKED(nvrtcGetPTXSize, program_, &size);
    std::vector<std::byte> bytes(size);
    CHECKED(nvrtcGetPTX, program_, reinterpret_cast<char*>(bytes.data()));
    return bytes;
  }

 private:
  nvrtcProgram program_ = nullptr;
  bool failed_ = false;
};

/// Reads `ptxas -v`: "Compiling entry function 'S'", then spills, then registers and shared memory.
std::map<std::string, KernelBuild> read_resources(const std::string& log) {
  static const Pattern kEntry("Compiling entry function '([^']+)'");
  static const Pattern kSpills("(\\d+) bytes spill stores, (\\d+) bytes spill loads");
  static const Pattern kRegisters("Used (\\d+) registers");
  static const Pattern kShared("(\\d+) bytes smem");
  std::map<std::string, KernelBuild> builds;
  KernelBuild* current = nullptr;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (const auto entry = kEntry.search(line)) {
      current = &builds[entry->at(1)];
      current->symbol = entry->at(1);
    }
    if (current == nullptr) continue;
    if (const auto spills = kSpills.search(line)) {
      current->spill_bytes = std::stoll(spills->at(1)) + std::stoll(spills->at(2));
    }
    if (const auto registers = kRegisters.search(line)) {
      current->registers = std::stoi(registers->at(1));
    }
    if (const auto shared = kShared.search(line)) {
      current->static_shared_bytes = std::stoll(shared->at(1));
    }
  }
  return builds;
}

std::unique_ptr<Program> compiled(const Unit& unit, const std::filesystem::path& directory,
                                  const std::vector<std::string>& options) {
  auto program = std::make_unique<Program>(unit.text, (directory / "unit.cu").string());
  for (const std::string& kernel : unit.kernels) program->want(kernel);
  if (!unit.plan.empty()) program->want(unit.plan);
  program->compile(options);
  return program;
}

/// Whether an architecture is one of PTX, which no assembler sees.
bool is_virtual(const std::string& architecture) { return architecture.starts_with("compute_"); }

bool tells_resources(const Program& program, const Unit& unit) {
  const auto resources = read_resources(program.log());
  return std::all_of(unit.kernels.begin(), unit.kernels.end(), [&](const std::string& kernel) {
    return resources.contains(program.lowered(kernel));
  });
}

}  // namespace

Compiler::Compiler(std::filesystem::path cache)
    : cache_(std::move(cache)), cuda_headers_(find_cuda_headers()) {}

std::vector<std::string> Compiler::options(const Unit& unit, const std::filesystem::path& directory,
                                           const std::string& architecture) const {
  std::vector<std::string> options = {"--gpu-architecture=" + architecture,
                                      "--std=c++20",
                                      "--generate-line-info",
                                      "--device-as-default-execution-space",
                                      "--ptxas-options=-v",
                                      "--include-path=" + directory.string(),
                                      "--include-path=" + cuda_headers_.string()};
  if (is_virtual(architecture)) std::erase(options, "--ptxas-options=-v");
  if (!unit.lines) std::erase(options, "--generate-line-info");
  return options;
}

std::string Compiler::key(const Unit& unit, const std::string& architecture) const {
  Hash hash;
  const auto add = [&hash](const std::string& text) {
    hash.add(text).add(std::string_view("\0", 1));
  };
  add(nvrtc_version());
  for (const std::string& option : options(unit, {}, architecture)) add(option);
  add(unit.text);
  for (const std::string& kernel : unit.kernels) add(kernel);
  add(unit.plan);
  for (const UnitHeader& header : unit.headers) {
    add(header.path);
    add(header.text);
  }
  return hash.hex();
}

Module Compiler::compile(const Unit& unit, const std::string& architecture) const {
  return cache_.get(
      key(unit, architecture), kCubin, unit,
      [&](const std::filesystem::path& directory) { return build(unit, architecture, directory); });
}

Module Compiler::build(const Unit& unit, const std::string& architecture,
                       const std::filesystem::path& directory) const {
  std::vector<std::string> given = options(unit, directory, architecture);
  auto program = compiled(unit, directory, given);
  const bool ptx = is_virtual(architecture);
  if (!program->failed() && !ptx && !tells_resources(*program, unit)) {
    // From CUDA 12.8 on NVRTC looks into the driver's cache first, and what comes from there comes
    // without the assembler's words.
    given.emplace_back("--no-cache");
    program = compiled(unit, directory, given);
  }
  if (program->failed()) {
    throw Error(compile_failure(unit, architecture, directory, program->log()));
  }
  Module module;
  module.log = program->log();
  module.cubin = ptx ? program->ptx() : program->cubin();
  const auto resources = read_resources(module.log);
  for (const std::string& kernel : unit.kernels) {
    const std::string symbol = program->lowered(kernel);
    const auto found = resources.find(symbol);
    module.kernels[kernel] =
        found != resources.end() ? found->second : KernelBuild{symbol, 0, 0, 0};
  }
  if (!unit.plan.empty()) module.plan_symbol = program->lowered(unit.plan);
  return module;
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  CHECKED(nvrtcVersion, &major, &minor);
  return fmt::format("{}.{}", major, minor);
}

#undef CHECKED

}  // namespace msda
