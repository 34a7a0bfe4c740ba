#include "runner/supervise/worker_process.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <istream>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>

#include <msda/error.hpp>

#include "characters.hpp"
#include "process/child.hpp"
#include "runner/supervise/say.hpp"

namespace msda {
namespace {

namespace asio = boost::asio;

/// The last line of what a worker said that is not empty, shortened.
std::string last_words(int descriptor) {
  constexpr std::size_t kMost = 300;  ///< bytes quoted in a reason
  constexpr off_t kTail = 4096;
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  std::string text(kTail, '\0');
  const ssize_t count =
      ::pread(descriptor, text.data(), text.size(), std::max<off_t>(0, size - kTail));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return "";
  const std::size_t line_start = text.rfind('\n', end);
  const std::size_t start = line_start == std::string::npos ? 0 : line_start + 1;
  return visible(std::string_view(text).substr(start, std::min(end + 1 - start, kMost)));
}

/// Waits for a handler until `slice` has passed; returns how long the clock says that it took.
template <class Done>
std::chrono::duration<double> wait_slice(asio::io_context& io, std::chrono::duration<double> slice,
                                         const Done& done) {
  using Clock = std::chrono::steady_clock;
  bool timer_done = false;
  asio::steady_timer timer(io, std::chrono::duration_cast<Clock::duration>(slice));
  timer.async_wait([&](const boost::system::error_code& error) {
    timer_done = true;
    static_cast<void>(error);
  });
  const Clock::time_point start = Clock::now();
  while (!done() && !timer_done) io.run_one();
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  if (!done()) io.poll();  // both may have come while this process was stopped
  timer.cancel();
  while (!timer_done) io.run_one();  // the handler refers to this frame
  return elapsed;
}

}  // namespace

/// A file without a name, for what a worker says on stderr.
class WorkerMessages {
 public:
  WorkerMessages() : descriptor_(::memfd_create("messages of a worker", MFD_CLOEXEC)) {
    if (descriptor_ < 0)
      throw EnvironmentError("cannot make a temporary file for a worker's messages");
  }
  WorkerMessages(const WorkerMessages&) = delete;
  WorkerMessages& operator=(const WorkerMessages&) = delete;
  ~WorkerMessages() { ::close(descriptor_); }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

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
  Impl(Interrupts::Impl& interrupt, const std::vector<std::string>& command, KillPolicy kill_policy)
      : interrupts(interrupt),
        policy(kill_policy),
        child(command, {.input = requests.read_end(),
                        .output = answers.write_end(),
                        .errors = messages.descriptor(),
                        .own_group = true}),
        events(interrupt.io, answers.release_read_end()) {
    // Else their ends would not show.
    requests.close_read_end();
    answers.close_write_end();
  }

  Interrupts::Impl& interrupts;
  KillPolicy policy;
  WorkerMessages messages;
  Pipe requests;
  Pipe answers;
  Child child;
  asio::posix::stream_descriptor events;
  asio::streambuf buffer;
};

WorkerProcess::WorkerProcess(Interrupts& interrupts, const std::filesystem::path& program,
                             const std::vector<std::string>& arguments, KillPolicy policy) {
  survive_closed_pipes();  // a worker that has died shows in read()
  std::vector<std::string> command = {program.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  try {
    impl_ = std::make_unique<Impl>(*interrupts.impl_, command, policy);
  } catch (EnvironmentError& error) {
    error.add_context("cannot start the worker");
    throw;
  }
}

WorkerProcess::~WorkerProcess() {
  try {
    // Waiting for a process that cannot be killed would hang this one too.
    if (!kill()) impl_->child.detach();
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
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t written =
        ::write(impl_->requests.write_end(), text.data() + sent, text.size() - sent);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // read() will see the end of the process and why
    sent += static_cast<std::size_t>(written);
  }
}

/// Silence is counted in slices, so that the time in which this process or the worker was stopped
/// (Ctrl-Z, a debugger) does not count: whatever took longer than a slice begins anew.
WorkerProcess::Outcome WorkerProcess::read(std::string& line,
                                           std::chrono::duration<double> timeout) {
  constexpr std::chrono::duration<double> kSlice{1};
  asio::io_context& io = impl_->interrupts.io;
  io.restart();
  bool read_done = false;
  boost::system::error_code read_error;
  asio::async_read_until(impl_->events, impl_->buffer, '\n',
                         [&](const boost::system::error_code& error, std::size_t) {
                           read_done = true;
                           read_error = error;
                         });
  const auto done = [&] { return read_done || impl_->interrupts.seen; };
  for (std::chrono::duration<double> silent{0}; !done() && silent < timeout;) {
    const std::chrono::duration<double> slice = std::min(kSlice, timeout - silent);
    const bool stopped = wait_slice(io, slice, done) > slice + kSlice || impl_->child.is_stopped();
    silent = stopped ? std::chrono::duration<double>(0) : silent + slice;
  }

  Outcome outcome = Outcome::kLine;
  if (impl_->interrupts.seen) {
    outcome = Outcome::kInterrupted;
  } else if (!read_done) {
    outcome = Outcome::kSilent;
  } else if (read_error) {
    outcome = Outcome::kEnded;
  }
  if (!read_done) impl_->events.cancel();
  while (!read_done) io.run_one();  // the handler refers to this frame
  if (outcome == Outcome::kLine) {
    std::istream stream(&impl_->buffer);
    std::getline(stream, line);
  }
  return outcome;
}

bool WorkerProcess::finish(std::chrono::duration<double> patience) {
  impl_->requests.close_write_end();
  return impl_->child.wait(patience);
}

bool WorkerProcess::kill() {
  if (impl_->child.has_ended()) return true;
  impl_->child.signal(impl_->policy.signal);
  return impl_->child.wait(impl_->policy.patience);
}

bool WorkerProcess::ended_from_outside() {
  if (!impl_->child.wait(impl_->policy.patience)) return false;
  const int status = impl_->child.status();
  // Crashes have other signals; a time-out's SIGKILL is not followed by kEnded.
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM);
}

std::string WorkerProcess::end_reason() {
  // Its pipes are closed, so that it is about to end; a driver's teardown can take a while.
  if (!impl_->child.wait(impl_->policy.patience) && !kill()) return "no end: it hangs in its exit";
  const std::string words = last_words(impl_->messages.descriptor());
  return words.empty() ? impl_->child.end() : impl_->child.end() + "; it said: " + words;
}

}  // namespace msda
