#include "jit/compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nvrtc.h>

#include <memory>
#include <regex>
#include <sstream>

#include <msda/error.hpp>

#include "files/cache_directory.hpp"
#include "hash.hpp"
#include "jit/cache_entry.hpp"
#include "jit/cuda_headers.hpp"

namespace msda {
namespace {

void check(nvrtcResult result, const char* call) {
  if (result != NVRTC_SUCCESS)
    throw Error(fmt::format("{}: {}", call, nvrtcGetErrorString(result)));
}

/// An NVRTC program, destroyed with the object.
class Program {
 public:
  Program(const std::string& text, const std::string& name) {
    check(nvrtcCreateProgram(&program_, text.c_str(), name.c_str(), 0, nullptr, nullptr),
          "nvrtcCreateProgram");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { nvrtcDestroyProgram(&program_); }

  void want(const std::string& name_expression) {
    check(nvrtcAddNameExpression(program_, name_expression.c_str()), "nvrtcAddNameExpression");
  }
  bool compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    const nvrtcResult result =
        nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
    if (result != NVRTC_SUCCESS && result != NVRTC_ERROR_COMPILATION) {
      check(result, "nvrtcCompileProgram");
    }
    return result == NVRTC_SUCCESS;
  }
  std::string log() const {
    std::size_t size = 0;
    check(nvrtcGetProgramLogSize(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    check(nvrtcGetProgramLog(program_, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }
  std::string lowered(const std::string& name_expression) const {
    const char* name = nullptr;
    check(nvrtcGetLoweredName(program_, name_expression.c_str(), &name), "nvrtcGetLoweredName");
    return name;
  }
  std::vector<std::byte> cubin() const {
    std::size_t size = 0;
    check(nvrtcGetCUBINSize(program_, &size), "nvrtcGetCUBINSize");
    std::vector<std::byte> bytes(size);
    check(nvrtcGetCUBIN(program_, reinterpret_cast<char*>(bytes.data())), "nvrtcGetCUBIN");
    return bytes;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

/// Reads `ptxas -v`: "Compiling entry function 'S'", then spills, then registers and shared memory.
std::map<std::string, KernelBuild> read_resources(const std::string& log) {
  static const std::regex kEntry("Compiling entry function '([^']+)'");
  static const std::regex kSpills("(\\d+) bytes spill stores, (\\d+) bytes spill loads");
  static const std::regex kRegisters("Used (\\d+) registers");
  static const std::regex kShared("(\\d+) bytes smem");
  std::map<std::string, KernelBuild> builds;
  KernelBuild* current = nullptr;
  std::istringstream lines(log);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, kEntry)) {
      current = &builds[match[1]];
      current->symbol = match[1];
    }
    if (current == nullptr) continue;
    if (std::regex_search(line, match, kSpills)) {
      current->spill_bytes = std::stoll(match[1]) + std::stoll(match[2]);
    }
    if (std::regex_search(line, match, kRegisters)) current->registers = std::stoi(match[1]);
    if (std::regex_search(line, match, kShared))
      current->static_shared_bytes = std::stoll(match[1]);
  }
  return builds;
}

}  // namespace

Compiler::Compiler(std::filesystem::path cache)
    : cache_(cache.empty() ? cache_directory() / "jit" : std::move(cache)),
      cuda_headers_(find_cuda_headers()) {}

std::vector<std::string> Compiler::options(const std::filesystem::path& directory,
                                           const std::string& architecture) const {
  return {"--gpu-architecture=" + architecture,
          "--std=c++20",
          "--generate-line-info",
          "--device-as-default-execution-space",
          "--ptxas-options=-v",
          "--include-path=" + directory.string(),
          "--include-path=" + cuda_headers_.string()};
}

std::string Compiler::key(const Unit& unit, const std::string& architecture) const {
  Hash hash;
  const auto add = [&hash](const std::string& text) {
    hash.add(text).add(std::string_view("\0", 1));
  };
  add(nvrtc_version());
  for (const std::string& option : options({}, architecture)) add(option);
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
  const std::filesystem::path directory = cache_ / key(unit, architecture);
  if (auto cached = load_entry(directory, kCubin)) return *std::move(cached);
  std::filesystem::create_directories(cache_);
  write_sources(unit, directory);

  Program program(unit.text, (directory / "unit.cu").string());
  for (const std::string& kernel : unit.kernels) program.want(kernel);
  if (!unit.plan.empty()) program.want(unit.plan);
  const bool compiled = program.compile(options(directory, architecture));
  Module module;
  module.directory = directory;
  module.log = program.log();
  if (!compiled) {
    throw Error(fmt::format("compiling {} for {} failed; sources in {}\n{}", unit.label,
                            architecture, directory.string(), module.log));
  }
  module.cubin = program.cubin();
  module.hash = Hash().add(module.cubin.data(), module.cubin.size()).hex();
  const auto resources = read_resources(module.log);
  for (const std::string& kernel : unit.kernels) {
    const std::string symbol = program.lowered(kernel);
    const auto found = resources.find(symbol);
    module.kernels[kernel] =
        found != resources.end() ? found->second : KernelBuild{symbol, 0, 0, 0};
  }
  if (!unit.plan.empty()) module.plan_symbol = program.lowered(unit.plan);
  store_entry(module, kCubin);
  return module;
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  check(nvrtcVersion(&major, &minor), "nvrtcVersion");
  return fmt::format("{}.{}", major, minor);
}

}  // namespace msda
