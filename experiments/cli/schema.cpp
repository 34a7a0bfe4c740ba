#include "runner/experiment/schema.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "json_text.hpp"
#include "results/record.hpp"

namespace msda {

int schema_command(const std::vector<std::string>& words) {
  Arguments arguments({"schema [OPTION...]",
                       "Prints the JSON Schema of experiment files, with the variants and presets "
                       "that are there, for editors that complete and check YAML.",
                       "  msda schema > experiment.schema.json\n"
                       "  msda schema --records > record.schema.json\n"});
  arguments.flag("records", "the schema of the lines of records.jsonl instead");
  arguments.flag("tables", "the keys of experiment files as Markdown, as the documents have them");
  arguments.plugin_option();
  if (!arguments.parse(words)) return 0;
  if (arguments.has("records") && arguments.has("tables")) {
    throw UsageError("schema: give either --records or --tables, not both");
  }
  if (arguments.has("tables")) {
    fmt::print("{}", tables_as_markdown());
  } else if (arguments.has("records")) {
    fmt::print("{}\n", json_text(record_schema(), 2));
  } else {
    fmt::print("{}\n", json_text(experiment_schema(load_registry(arguments)), 2));
  }
  return 0;
}

}  // namespace msda
