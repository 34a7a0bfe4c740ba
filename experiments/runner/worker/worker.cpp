#include "runner/worker/worker.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>

#include <msda/error.hpp>

#include "compose/skeleton.hpp"
#include "device/ceilings_history.hpp"
#include "results/entries_json.hpp"
#include "runner/worker/event_channel.hpp"
#include "runner/worker/group_runner.hpp"
#include "runner/worker/process_state.hpp"
#include "trace/trace.hpp"

namespace msda {
namespace {

using nlohmann::json;

/// Ends this process and the compilers that it started, which are its process group.
void end_group(int) {
  const pid_t self = ::getpid();
  ::kill(::getpgrp() == self ? -self : self, SIGKILL);
}

/// The parent decides when the worker ends: Ctrl-C must not end it first, and a parent that is
/// killed takes its worker, and what that has started, along.
void tie_to_parent() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, end_group);
  std::signal(SIGPIPE, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/// A variant may ask for more memory than there is. The system then ends the process that it likes
/// least: this one, and not the parent with the records. Where that cannot be said nothing changes.
void offer_as_victim() { std::ofstream("/proc/self/oom_score_adj") << 1000; }

json describe_device(Device& device, bool with_ceilings) {
  json description = {{"event", event::kReady},
                      {"device", write_json(device.info())},
                      {"provenance", device.provenance()},
                      {"nvtx", trace::has_nvtx()}};
  if (with_ceilings) {
    description["ceilings"] = to_json(known_ceilings(device));
  }
  return description;
}

void serve(const WorkerOptions& options, EventChannel& channel) {
  const Registry registry(Registry::default_directories(options.plugin_directories), slot_error);
  std::unique_ptr<Device> device;
  {
    const Heartbeats heartbeats(channel);  // the first use of a GPU can take seconds
    device = open_device(options.device);
    channel.send(describe_device(*device, options.ceilings));
  }
  InputSets inputs;
  GroupRunner runner(*device, registry, inputs, channel);
  while (const auto request = channel.receive()) {
    runner.run(group_request_from_json(*request));
  }
}

}  // namespace

int run_worker(const WorkerOptions& options) {
  tie_to_parent();
  offer_as_victim();
  raise_descriptor_limit();
  EventChannel channel;
  channel.take_token();
  try {
    serve(options, channel);
    return 0;
  } catch (const DeviceBroken&) {
    return static_cast<int>(ExitCode::kCellFailed);
  } catch (const Error& error) {
    channel.send({{"event", event::kError},
                  {"reason", error.what()},
                  {"exit_code", static_cast<int>(error.exit_code())}});
    return static_cast<int>(error.exit_code());
  }
}

}  // namespace msda
