#include "input/input.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/bench_words.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "device/host/device.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

Arguments input_arguments() {
  std::string text =
      "'generate' makes the tensors of a problem; 'convert' reads those in dir= and writes them "
      "in another type or format. The words are those of 'msda bench':\n\n";
  text += problem_words_help();
  Arguments arguments(
      {"input generate|convert [KEY=VALUE...] --output DIR [OPTION...]", text,
       "  msda input generate preset=ddetr-decoder distribution=local seed=3 \\\n"
       "      --output tensors\n"
       "  msda input convert dir=tensors dtype=fp16 --output working --format raw\n"});
  arguments.option("output", "DIR", "where the files go");
  arguments.option("format", "NAME", "npy (default) or raw");
  add_operator_option(arguments, kDefaultOperator);
  add_force_option(arguments);
  arguments.words("generate or convert", 1, -1);
  return arguments;
}

FileFormat format_from(const Arguments& arguments) {
  const std::string name = arguments.get("format", "npy");
  if (name == "npy") return FileFormat::kNpy;
  if (name == "raw") return FileFormat::kRaw;
  throw UsageError(fmt::format("input: no format '{}'{}; there are npy and raw", name,
                               suggestion(name, {"npy", "raw"})));
}

void check_action(const std::string& action, const Words& words) {
  if (action != "generate" && action != "convert") {
    throw UsageError(fmt::format("input: unknown action '{}'{}; there are generate and convert",
                                 action, suggestion(action, {"generate", "convert"})));
  }
  const bool reads = words.has("dir") || words.has("input");
  if (action == "generate" && reads) {
    throw UsageError("input: 'generate' makes tensors; 'convert' reads those of dir=");
  }
  if (action == "convert" && !reads) {
    throw UsageError("input: 'convert' needs dir=, the directory to read");
  }
}

/// Both numbers, as a run gives them of its device.
void require_memory(const ProblemSpec& spec) {
  const Problem& problem = spec.problem;
  const std::int64_t needed = find_operator(spec.op).traffic(problem).read;
  const std::int64_t free = open_host()->free_bytes();
  if (needed <= free) return;
  throw EnvironmentError(fmt::format(
      "input: {} needs {:.2f} GB for its tensors and this machine has {:.2f} GB free; "
      "take a smaller batch or types",
      describe(problem), static_cast<double>(needed) / 1e9, static_cast<double>(free) / 1e9));
}

}  // namespace

int input_command(const std::vector<std::string>& command_words) {
  Arguments arguments = input_arguments();
  if (!arguments.parse(command_words)) return 0;
  const std::string& action = arguments.words().front();
  Words words({arguments.words().begin() + 1, arguments.words().end()});
  check_action(action, words);
  if (const Operator* const named = operator_option(arguments)) {
    if (words.has("operator")) {
      throw UsageError("input: give either operator= or --operator, not both");
    }
    words.add("operator", std::string(named->name()));
  }
  const auto output = arguments.find("output");
  if (!output) throw UsageError("input: give --output, the directory to write");
  require_room(arguments, *output);
  const FileFormat format = format_from(arguments);
  words.refuse_rest("input");
  const ProblemSpec spec = problem_from_words(words);
  if (!spec.directory) require_memory(spec);
  const Input input = make_input(spec);
  write_directory(input, *output, format);
  fmt::print("{}: {}\n", *output, describe(input.problem));
  return 0;
}

}  // namespace msda
