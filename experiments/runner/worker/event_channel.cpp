#include "runner/worker/event_channel.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include <msda/error.hpp>

#include "json_text.hpp"
#include "runner/protocol/protocol.hpp"
#include "trace/trace.hpp"

namespace msda {
namespace {

/// Twice in the shortest time-out that there may be.
constexpr std::chrono::milliseconds kBetweenHeartbeats{500};

[[noreturn]] void fail(const char* action) {
  throw EnvironmentError(std::string("worker: cannot ") + action + ": " +
                         std::generic_category().message(errno));
}

std::FILE* reopen(int descriptor, const char* mode) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  std::FILE* file = copy < 0 ? nullptr : ::fdopen(copy, mode);
  if (file == nullptr) fail("take over its standard streams");
  return file;
}

void redirect(int from, int to) {
  if (::dup2(from, to) < 0) fail("redirect its standard streams");
}

}  // namespace

EventChannel::EventChannel()
    : owner_(::getpid()),
      requests_(reopen(STDIN_FILENO, "r")),
      events_(reopen(STDOUT_FILENO, "w")) {
  redirect(STDERR_FILENO, STDOUT_FILENO);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) fail("open /dev/null");
  redirect(nothing, STDIN_FILENO);
  ::close(nothing);
}

std::optional<nlohmann::json> EventChannel::receive() {
  char* line = nullptr;
  std::size_t capacity = 0;
  const ssize_t length = ::getline(&line, &capacity, requests_.get());
  const std::unique_ptr<char, decltype(&std::free)> owner(line, &std::free);
  if (length < 0) return std::nullopt;
  return parse_json({line, static_cast<std::size_t>(length)});
}

void EventChannel::take_token() {
  const auto first = receive();
  token_ = first ? first->at("token").get<std::string>() : "";
}

void EventChannel::send(const nlohmann::json& event) {
  if (::getpid() != owner_) ::_exit(1);  // a copy of the worker that an arm has made by fork()
  const std::string line = token_ + json_line(event) + "\n";
  const std::lock_guard lock(mutex_);
  std::fwrite(line.data(), 1, line.size(), events_.get());
  std::fflush(events_.get());
}

void EventChannel::announce(const std::string& cell, const std::string& phase,
                            const std::string& beside) {
  nlohmann::json event = {
      {"event", event::kPhase}, {"cell", cell}, {"phase", phase}, {"range", trace::open_ranges()}};
  nlohmann::json begins = event;
  begins["steps"] = trace::take_step_seconds();  // of the phase before
  begins["beside"] = beside;
  send(begins);
  const std::lock_guard lock(phase_mutex_);
  phase_ = std::move(event);
}

void EventChannel::send_heartbeat() {
  nlohmann::json event;
  {
    const std::lock_guard lock(phase_mutex_);
    event = phase_;
  }
  event["event"] = event::kHeartbeat;
  send(event);
}

Heartbeats::Heartbeats(EventChannel& channel)
    : thread_([this, &channel](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, stop, kBetweenHeartbeats, [] { return false; })) {
          if (stop.stop_requested()) return;
          channel.send_heartbeat();
        }
      }) {}

Heartbeats::~Heartbeats() = default;

}  // namespace msda
