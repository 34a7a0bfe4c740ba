// The one exception family of MSDA Lab. Context is added on the way up with add_context(), so that
// a message reads from the outermost action to the cause: "experiment x.yaml: problem 2: queries is
// 0".
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace msda {

/// Exit codes of the program; every Error knows the one it leads to.
enum class ExitCode : int { kOk = 0, kCellFailed = 1, kUsage = 2, kEnvironment = 3 };

class Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  virtual ExitCode exit_code() const noexcept { return ExitCode::kCellFailed; }

  /// Puts "context: " before the message. Use in `catch (Error& e) { e.add_context(...); throw; }`.
  void add_context(const std::string& context) { message_ = context + ": " + message_; }

 private:
  std::string message_;
};

/// The user asked for something malformed: bad YAML, unknown name, inconsistent sizes, broken file.
class UsageError : public Error {
 public:
  using Error::Error;
  ExitCode exit_code() const noexcept override { return ExitCode::kUsage; }
};

/// The machine lacks something: no such device, no compiler, not enough memory.
class EnvironmentError : public Error {
 public:
  using Error::Error;
  ExitCode exit_code() const noexcept override { return ExitCode::kEnvironment; }
};

/// A composition cannot run this problem on this device; its cell is recorded as skipped.
class Unsupported : public Error {
 public:
  using Error::Error;
};

}  // namespace msda
