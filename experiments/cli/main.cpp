#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "runner/supervise/supervisor.hpp"

namespace {

int report(const std::string& message, msda::ExitCode code) {
  fmt::print(stderr, "{} {}\n", msda::coloured("msda:", msda::Colour::kRed, stderr), message);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return msda::run_program({argv + 1, argv + argc});
  } catch (const msda::Interrupted& interrupted) {
    report(interrupted.what(), msda::ExitCode::kOk);
    return msda::kInterruptedExitCode;
  } catch (const msda::Error& error) {
    return report(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return report("not enough host memory", msda::ExitCode::kEnvironment);
  } catch (const std::exception& error) {
    return report(error.what(), msda::ExitCode::kCellFailed);
  }
}
