#include "runner/spec/schema.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace msda {

int schema_command(const std::vector<std::string>& words) {
  Arguments arguments(
      {"schema [OPTION...]",
       "Prints the JSON Schema of experiment files, with the variants and presets that\n"
       "are there, for editors that complete and check YAML.",
       "  msda schema > experiment.schema.json\n"});
  arguments.plugin_option();
  if (!arguments.parse(words)) return 0;
  fmt::print("{}\n", experiment_schema(load_registry(arguments)).dump(2));
  return 0;
}

}  // namespace msda
