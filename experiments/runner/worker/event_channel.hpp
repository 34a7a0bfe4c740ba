// The worker's end of the protocol: requests come in, events go out, one JSON object a line.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

namespace msda {

class EventChannel {
 public:
  /// Takes over standard input and output; afterwards stdin is empty and what plugins print goes to
  /// stderr, so that it cannot be mistaken for an event. Throws EnvironmentError.
  EventChannel();

  /// Reads the token that marks this worker's events from now on: arms share the process, and one
  /// that writes to all descriptors must not be taken for it.
  void take_token();
  /// The next request; nullopt when the parent has closed its end.
  std::optional<nlohmann::json> receive();
  /// Callable from any thread; an event is written whole.
  void send(const nlohmann::json& event);
  /// Says what is at work from now on, which heartbeats repeat, and how long each step of the work
  /// before took. `cell` is "" where no cell is.
  /// `beside`: what else is at work in the process, for the reason of a cell that ends with it.
  void announce(const std::string& cell, const std::string& phase, const std::string& beside = "");
  void send_heartbeat();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  pid_t owner_;  ///< the worker; a copy of it has nothing to say
  File requests_;
  File events_;
  std::string token_;
  std::mutex mutex_;
  std::mutex phase_mutex_;
  nlohmann::json phase_ = nlohmann::json::object();  ///< the last phase event
};

/// Sends a heartbeat twice a second while it lives. For long work of the program itself (inputs,
/// references), never around a variant's code: a hung variant must fall silent.
class Heartbeats {
 public:
  explicit Heartbeats(EventChannel& channel);
  ~Heartbeats();
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last, so that it starts when the others are there
};

}  // namespace msda
