#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/system/system_error.hpp>

#include <msda/error.hpp>

#include "characters.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "runner/supervise/say.hpp"
#include "runner/supervise/supervisor.hpp"

namespace {

int report(const std::string& message, msda::ExitCode code) {
  msda::say(stderr, "{} {}\n", msda::coloured("msda:", msda::Colour::kRed, stderr),
            msda::visible(message, msda::Space::kLinesAndTabs));
  return static_cast<int>(code);
}

/// What was printed is only there once it is written; a reader that went away wanted no more.
int finish_output(int code) {
  int error = msda::lost_output_error();
  if (error == 0 && code == 0 && std::fflush(stdout) != 0 && errno != EPIPE) error = errno;
  if (error == 0) return code;
  const int failed =
      report(fmt::format("cannot write the standard output: {}", std::strerror(error)),
             msda::ExitCode::kEnvironment);
  return code == 0 ? failed : code;
}

int run_reporting(int argc, char** argv) {
  try {
    return msda::run_program({argv + 1, argv + argc});
  } catch (const msda::Interrupted& interrupted) {
    report(interrupted.what(), msda::ExitCode::kOk);
    return msda::kInterruptedExitCode;
  } catch (const msda::Error& error) {
    return report(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return report("not enough host memory", msda::ExitCode::kEnvironment);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(fmt::format("{}: {}", error.path1().string(), error.code().message()),
                  msda::ExitCode::kEnvironment);
  } catch (const std::system_error& error) {
    return report(error.what(), msda::ExitCode::kEnvironment);  // a full or closed output, say
  } catch (const boost::system::system_error& error) {
    return report(error.what(), msda::ExitCode::kEnvironment);
  } catch (const std::exception& error) {
    return report(error.what(), msda::ExitCode::kCellFailed);
  }
}

/// Threads get as much as the shell allows a stack, from the start on: where that is little, the
/// program starts again with what it needs, as long as the system allows as much.
void require_stack(char** argv) {
  constexpr rlim_t kNeeded = rlim_t{1} << 20U;
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kNeeded) return;
  const rlim_t had = std::exchange(stack.rlim_cur, kNeeded);
  if (stack.rlim_max >= kNeeded && ::setrlimit(RLIMIT_STACK, &stack) == 0) {
    ::execv("/proc/self/exe", argv);
  }
  std::exit(
      report(fmt::format("a stack of {} bytes is too small: allow 1 MB (ulimit -s 1024)", had),
             msda::ExitCode::kEnvironment));
}

}  // namespace

int main(int argc, char** argv) {
  require_stack(argv);
  msda::keep_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error of the write
  return finish_output(run_reporting(argc, argv));
}
