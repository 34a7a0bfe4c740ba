#include "runner/worker/worker.hpp"

#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace msda {

int worker_command(const std::vector<std::string>& words) {
  Arguments arguments({"worker [OPTION...]",
                       "Runs cells for another msda process, which speaks to it in JSON lines on "
                       "stdin and stdout. Not meant to be started by hand.",
                       ""});
  arguments.flag("ceilings", "measure the device's ceilings first");
  arguments.device_option();
  arguments.plugin_option();
  if (!arguments.parse(words)) return 0;
  return run_worker(
      {arguments.device(), arguments.plugin_directories(), arguments.has("ceilings")});
}

}  // namespace msda
