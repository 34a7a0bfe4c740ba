#include <unistd.h>

#include <thread>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "device/host/device.hpp"
#include "jit/compile_cache.hpp"
#include "jit/compiler.hpp"
#include "jit/cuda_headers.hpp"
#include "runner/supervise/manifest.hpp"
#include "trace/trace.hpp"
#include "version.hpp"

namespace msda {
namespace {

/// Prints one finding a line and remembers whether one of them stops work.
class Findings {
 public:
  void info(const std::string& what, const std::string& text) {
    line("", Colour::kBold, what, text);
  }
  void good(const std::string& what, const std::string& text) {
    line("ok", Colour::kGreen, what, text);
  }
  /// Something is not there, and the rest works without it.
  void absent(const std::string& what, const std::string& text) {
    line("no", Colour::kYellow, what, text);
  }
  void bad(const std::string& what, const std::string& text) {
    line("bad", Colour::kRed, what, text);
    healthy_ = false;
  }
  bool healthy() const { return healthy_; }

 private:
  static void line(const char* mark, Colour colour, const std::string& what,
                   const std::string& text) {
    fmt::print("{} {:<10} {}\n", coloured(fmt::format("{:<3}", mark), colour, stdout), what, text);
  }

  bool healthy_ = true;
};

void check_program(Findings& findings) {
  findings.info("program", fmt::format("msda {} ({})", kVersion, git_state()));
  findings.info("processor", fmt::format("{}, {} hardware threads", host_info().name,
                                         std::thread::hardware_concurrency()));
  if (trace::has_nvtx()) {
    findings.good("nvtx", "ranges in domain msda");
  } else {
    findings.absent("nvtx", "the header was not there at build time; profilers see no ranges");
  }
}

void check_cuda(Findings& findings) {
  const std::string reason = cuda_unavailable_reason();
  if (reason.empty()) {
    findings.good("cuda", "a GPU can be used");
  } else {
    findings.absent("cuda", reason);
  }
  const std::string nvrtc = nvrtc_version();
  if (nvrtc.empty()) {
    findings.absent(
        "nvrtc", std::string(MSDA_CUDA_MISSING).empty() ? "not in this build" : MSDA_CUDA_MISSING);
    return;
  }
  findings.good("nvrtc", nvrtc);
  try {
    findings.good("headers", find_cuda_headers().string());
  } catch (const Error& error) {
    // Only a GPU needs them.
    reason.empty() ? findings.bad("headers", error.what())
                   : findings.absent("headers", error.what());
  }
}

void check_devices(Findings& findings) {
  for (const DeviceInfo& info : list_devices()) {
    const std::string what =
        fmt::format("{}, {:.1f} GB", info.name, static_cast<double>(info.memory_bytes) / 1e9);
    try {
      std::string versions;
      for (const auto& [name, version] : open_device(info.id)->provenance()) {
        versions += fmt::format(", {} {}", name, version);
      }
      findings.good(info.id, info.kind == DeviceKind::kCpu ? what : what + versions);
    } catch (const std::exception& error) {
      // Without a compiler for the host there is no simt, and nothing else lacks it.
      info.kind == DeviceKind::kSimt
          ? findings.absent(info.id, error.what())
          : findings.bad(info.id, fmt::format("{}: {}", what, error.what()));
    }
  }
}

void check_plugins(Findings& findings, const Registry& registry) {
  std::size_t usable = 0;
  for (const Plugin& plugin : registry.plugins()) {
    if (plugin.error.empty()) {
      ++usable;
    } else {
      findings.bad("plugin", plugin.error);
    }
  }
  if (usable == 0) {
    findings.bad("plugins", "none found; set MSDA_PLUGIN_PATH or give --plugin-dir");
  } else {
    findings.good("plugins", fmt::format("{} usable", usable));
  }
}

void check_cache(Findings& findings) {
  const CompileCache cache;
  const std::string directory = cache.directory().string();
  if (directory.empty() || ::access(directory.c_str(), W_OK) != 0) {
    const std::string reason =
        directory.empty() ? cache.refusal() : directory + " cannot be written";
    findings.bad("cache", fmt::format("{}: each process compiles everything anew; set "
                                      "MSDA_CACHE_DIR to a directory of your own",
                                      reason));
  } else {
    findings.good("cache", directory);
  }
}

}  // namespace

int doctor_command(const std::vector<std::string>& words) {
  Arguments arguments({"doctor [OPTION...]",
                       "Checks this machine, what works and what is missing: processor, CUDA, "
                       "devices, the run-time compiler and its headers, plugins, the cache folder.",
                       "  msda doctor\n",
                       "0 all that is there works (a GPU need not be there); 2 wrong usage; 3 "
                       "something is broken"});
  arguments.plugin_option();
  if (!arguments.parse(words)) return 0;
  Findings findings;
  check_program(findings);
  check_cuda(findings);
  check_devices(findings);
  check_plugins(findings, load_registry(arguments));
  check_cache(findings);
  return static_cast<int>(findings.healthy() ? ExitCode::kOk : ExitCode::kEnvironment);
}

}  // namespace msda
