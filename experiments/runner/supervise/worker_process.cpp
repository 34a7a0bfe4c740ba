#include "runner/supervise/worker_process.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <istream>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/process.hpp>
#include <boost/process/extend.hpp>

#include <msda/error.hpp>

#include "runner/supervise/say.hpp"

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

  Impl(Interrupts::Impl& interrupt, KillPolicy kill_policy)
      : interrupts(interrupt), policy(kill_policy), events(interrupt.io) {}

  /// A worker that has an end of another one's pipes would hide that one's end.
  void keep_from_children();
  /// Sends it to the process and those that it started, compilers above all, which are its group.
  void signal_group(int number) const;
  /// Whether the process has ended; then nothing is left of its group.
  bool has_ended();
  /// Whether it has within `patience`.
  bool wait_for_end(std::chrono::duration<double> patience);

  Interrupts::Impl& interrupts;
  KillPolicy policy;
  std::unique_ptr<std::FILE, CloseFile> errors{std::tmpfile()};
  bp::pipe requests;
  bp::async_pipe events;
  asio::streambuf buffer;
  bp::child child;
  bool reaped = false;
};

void WorkerProcess::Impl::keep_from_children() {
  for (const int descriptor :
       {::fileno(errors.get()), requests.native_source(), requests.native_sink(),
        events.native_source(), events.native_sink()}) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
}

void WorkerProcess::Impl::signal_group(int number) const {
  // Before its first instruction it is no group yet.
  if (::kill(-child.id(), number) != 0) ::kill(child.id(), number);
}

bool WorkerProcess::Impl::has_ended() {
  if (reaped) return true;
  siginfo_t info{};
  const auto id = static_cast<id_t>(child.id());
  const int result = ::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT);
  if (result == 0 && info.si_pid == 0) return false;
  // While the process is not reaped, no other group can have its number.
  if (result == 0) ::kill(-child.id(), SIGKILL);
  std::error_code ignored;
  child.wait(ignored);
  return reaped = true;
}

bool WorkerProcess::Impl::wait_for_end(std::chrono::duration<double> patience) {
  constexpr std::chrono::milliseconds kStep{1};
  const auto end = std::chrono::steady_clock::now() + patience;
  // Boost's wait_for() depends on SIGCHLD, which threads with children of their own take from each
  // other; asking again and again does not.
  while (!has_ended()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kStep);
  }
  return true;
}

WorkerProcess::WorkerProcess(Interrupts& interrupts, const std::filesystem::path& program,
                             const std::vector<std::string>& arguments, KillPolicy policy) {
  // From the first descriptor to the last fcntl(): no other thread may fork in between.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  impl_ = std::make_unique<Impl>(*interrupts.impl_, policy);
  survive_closed_pipes();  // a worker that has died shows in read()
  if (!impl_->errors)
    throw EnvironmentError("cannot make a temporary file for a worker's messages");
  impl_->keep_from_children();
  std::error_code error;
  impl_->child = bp::child(
      bp::exe = program.string(), bp::args = arguments,
      bp::std_in<impl_->requests, bp::std_out> impl_->events, bp::std_err > impl_->errors.get(),
      bp::extend::on_exec_setup = [](auto&) { ::setpgid(0, 0); }, error);
  if (error) {
    throw EnvironmentError(
        fmt::format("cannot start the worker {}: {}", program.string(), error.message()));
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

bool WorkerProcess::finish(std::chrono::duration<double> patience) {
  impl_->requests.close();
  return impl_->wait_for_end(patience);
}

bool WorkerProcess::kill() {
  if (!impl_->child.valid() || impl_->has_ended()) return true;
  impl_->signal_group(impl_->policy.signal);
  return impl_->wait_for_end(impl_->policy.patience);
}

bool WorkerProcess::ended_from_outside() {
  if (!impl_->wait_for_end(impl_->policy.patience)) return false;
  const int status = impl_->child.native_exit_code();
  // Crashes have other signals; a time-out's SIGKILL is not followed by kEnded.
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM);
}

std::string WorkerProcess::end_reason() {
  // Its pipes are closed, so that it is about to end; a driver's teardown can take a while.
  if (!impl_->wait_for_end(impl_->policy.patience) && !kill())
    return "no end: it hangs in its exit";
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
