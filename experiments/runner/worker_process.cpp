#include "runner/worker_process.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <istream>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/process.hpp>

#include <msda/error.hpp>

namespace msda {
namespace {

namespace asio = boost::asio;
namespace bp = boost::process;

constexpr std::size_t kLastWords = 300;  ///< bytes of stderr quoted in a reason

/// The last line that is not empty, shortened.
std::string last_words(std::FILE* file) {
  std::string text(4096, '\0');
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::fseek(file, std::max(0L, size - static_cast<long>(text.size())), SEEK_SET);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return "";
  const std::size_t line_start = text.rfind('\n', end);
  const std::size_t start = line_start == std::string::npos ? 0 : line_start + 1;
  return text.substr(start, std::min(end + 1 - start, kLastWords));
}

}  // namespace

struct Interrupts::Impl {
  asio::io_context io;
  asio::signal_set signals{io, SIGINT, SIGTERM};
  bool seen = false;
};

Interrupts::Interrupts() : impl_(std::make_unique<Impl>()) {
  impl_->signals.async_wait([impl = impl_.get()](const boost::system::error_code& error, int) {
    if (!error) impl->seen = true;
  });
}

Interrupts::~Interrupts() = default;

bool Interrupts::seen() {
  impl_->io.restart();
  impl_->io.poll();
  return impl_->seen;
}

struct WorkerProcess::Impl {
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  explicit Impl(Interrupts::Impl& interrupt) : interrupts(interrupt), events(interrupt.io) {}

  Interrupts::Impl& interrupts;
  std::unique_ptr<std::FILE, CloseFile> errors{std::tmpfile()};
  bp::pipe requests;
  bp::async_pipe events;
  asio::streambuf buffer;
  bp::child child;
};

WorkerProcess::WorkerProcess(Interrupts& interrupts, const std::filesystem::path& program,
                             const std::vector<std::string>& arguments)
    : impl_(std::make_unique<Impl>(*interrupts.impl_)) {
  // Writing to a worker that has died must be an error code, not the end of this process.
  std::signal(SIGPIPE, SIG_IGN);
  if (!impl_->errors)
    throw EnvironmentError("cannot make a temporary file for a worker's messages");
  // The pipes' far ends are closed in the child by Boost; this file would stay open beside stderr.
  ::fcntl(::fileno(impl_->errors.get()), F_SETFD, FD_CLOEXEC);
  std::error_code error;
  impl_->child = bp::child(bp::exe = program.string(), bp::args = arguments,
                           bp::std_in<impl_->requests, bp::std_out> impl_->events,
                           bp::std_err > impl_->errors.get(), error);
  if (error) {
    throw EnvironmentError(
        fmt::format("cannot start the worker {}: {}", program.string(), error.message()));
  }
}

WorkerProcess::~WorkerProcess() {
  try {
    kill();
    // The cancelled read must be gone from the queue before its buffer is.
    boost::system::error_code ignored;
    impl_->events.close(ignored);
    impl_->interrupts.io.restart();
    impl_->interrupts.io.poll();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody is left to tell
  }
}

void WorkerProcess::send(const std::string& line) {
  const std::string text = line + "\n";
  try {
    for (std::size_t sent = 0; sent < text.size();) {
      const int written =
          impl_->requests.write(text.data() + sent, static_cast<int>(text.size() - sent));
      if (written <= 0) return;
      sent += static_cast<std::size_t>(written);
    }
  } catch (const bp::process_error&) {
    return;  // read() will see the end of the process and why
  }
}

WorkerProcess::Outcome WorkerProcess::read(std::string& line,
                                           std::chrono::duration<double> timeout) {
  asio::io_context& io = impl_->interrupts.io;
  io.restart();
  bool read_done = false;
  bool timer_done = false;
  boost::system::error_code read_error;
  asio::async_read_until(impl_->events, impl_->buffer, '\n',
                         [&](const boost::system::error_code& error, std::size_t) {
                           read_done = true;
                           read_error = error;
                         });
  asio::steady_timer timer(
      io, std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout));
  timer.async_wait([&](const boost::system::error_code& error) {
    timer_done = true;
    static_cast<void>(error);
  });
  while (!read_done && !timer_done && !impl_->interrupts.seen) io.run_one();

  // Both handlers refer to this frame: each must have run before it goes.
  Outcome outcome = Outcome::kLine;
  if (impl_->interrupts.seen) {
    outcome = Outcome::kInterrupted;
  } else if (!read_done) {
    outcome = Outcome::kSilent;
  } else if (read_error) {
    outcome = Outcome::kEnded;
  }
  timer.cancel();
  if (!read_done) impl_->events.cancel();
  while (!read_done || !timer_done) io.run_one();
  if (outcome == Outcome::kLine) {
    std::istream stream(&impl_->buffer);
    std::getline(stream, line);
  }
  return outcome;
}

void WorkerProcess::kill() {
  std::error_code ignored;
  if (impl_->child.valid() && impl_->child.running(ignored)) impl_->child.terminate(ignored);
  impl_->child.wait(ignored);
}

std::string WorkerProcess::end_reason() {
  std::error_code ignored;
  impl_->child.wait(ignored);
  const int status = impl_->child.native_exit_code();
  std::string reason;
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* name = ::sigabbrev_np(number);
    reason = fmt::format("signal SIG{} ({})", name == nullptr ? std::to_string(number) : name,
                         ::strsignal(number));
  } else {
    reason = fmt::format("exit code {}", WEXITSTATUS(status));
  }
  const std::string words = last_words(impl_->errors.get());
  return words.empty() ? reason : reason + "; it said: " + words;
}

}  // namespace msda
