#include "runner/publish/checks_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string.hpp>
#include <msda/error.hpp>

#include "files/read.hpp"
#include "json_text.hpp"
#include "results/run_data.hpp"
#include "runner/publish/checkout.hpp"

namespace msda {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;
constexpr std::array kShared = {"gpu", "driver", "cuda", "torch", "transformers", "commit"};
constexpr std::size_t kMostKernels = 8;

/// "rt-detr" of "msda export best --for rt-detr"; else the command's subject.
std::string model_in(const std::string& command) {
  static const std::regex model("--for[ =]([^ ]+)");
  std::smatch found;
  return std::regex_search(command, found, model) ? found[1].str() : "export";
}

json parsed(const std::filesystem::path& file) {
  json run = parse_json_or_discard(read_text(file));
  if (run.is_object() &&
      (!run.value("runs", json::array()).empty() || run.value("schema", 0) == kSchema))
    return run;
  throw UsageError(
      fmt::format("{} is not what check.py of an exported package writes with --json; export it "
                  "anew with this program",
                  file.string()));
}

/// What a check said, under its name, with texts made of several of its numbers.
struct Measured {
  std::string name;
  json said;
};

/// "models.rt_detr_in_train_amp" is "rt detr, training step in amp".
std::string label_of_check(const std::string& check) {
  std::string label = check.substr(std::min(check.find('.') + 1, check.size()));
  std::ranges::replace(label, '_', ' ');
  return boost::algorithm::replace_first_copy(label, " in train ", ", training step in ");
}

double largest(const json& numbers) {
  double most = 0;
  for (const json& number : numbers) most = std::max(most, number.get<double>());
  return most;
}

json with_texts(json said) {
  if (said.contains("images"))
    said["input"] = fmt::format("{}", fmt::join(said["images"].get<std::vector<int>>(), "x"));
  if (said.contains("sizes")) said["input"] = fmt::format("{} sizes", said["sizes"].size());
  if (said.contains("speedup")) {
    said["ratio"] = fmt::format("{:.2f}x [{:.2f}, {:.2f}]", said["speedup"].get<double>(),
                                said["low"].get<double>(), said["high"].get<double>());
  }
  if (said.value("attentions", 1) == 0) {  // a model whose attentions are no modules of their own
    said.erase("attention_error");
    said.erase("attention_error_before");
  }
  for (const char* end : {"end_to_end", "end_to_end_before"}) {
    if (said.contains(end)) said[end] = largest(said[end]);
  }
  return said;
}

/// Those of all runs that have measured this. A model that several packages measured is a row once:
/// of the package that is for it, else of the first.
std::vector<Measured> rows_with(const json& checks, const char* member) {
  std::vector<Measured> rows;
  for (const json& run : checks.at("runs")) {
    const std::string own =
        boost::algorithm::replace_all_copy(run.at("name").get<std::string>(), "-", " ");
    for (const json& check : run.at("checks")) {
      const json said = check.value("said", json());
      if (!said.is_object() || !said.contains(member)) continue;
      const std::string name = check.at("check");
      const std::string label = label_of_check(name);
      const auto same = std::ranges::find(rows, label, &Measured::name);
      if (same == rows.end() || !name.starts_with("models.")) {
        rows.push_back({label, with_texts(said)});
      } else if (label.starts_with(own)) {
        same->said = with_texts(said);
      }
    }
  }
  return rows;
}

struct MeasuredColumn {
  const char* head;
  const char* member;
  bool is_error = false;
};

std::string number(double value, bool is_error) {
  if (is_error) return fmt::format("{:.1e}", value);
  const int digits = value >= 100 || std::floor(value) == value ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}", value, digits);
}

std::string cell(const json& said, const MeasuredColumn& column) {
  const auto found = said.find(column.member);
  if (found == said.end() || found->is_null()) return "-";
  return found->is_string() ? found->get<std::string>()
                            : number(found->get<double>(), column.is_error);
}

/// Below a heading and what is said of it; nothing without a row.
std::string table_of_checks(const std::string& heading, const char* first,
                            std::span<const MeasuredColumn> columns,
                            const std::vector<Measured>& rows) {
  if (rows.empty()) return "";
  std::string text = fmt::format("\n## {}\n\n| {} |", heading, first);
  for (const MeasuredColumn& column : columns) text += fmt::format(" {} |", column.head);
  text += "\n| :--- |";
  for (std::size_t i = 0; i < columns.size(); ++i) text += " ---: |";
  for (const Measured& row : rows) {
    text += fmt::format("\n| {} |", row.name);
    for (const MeasuredColumn& column : columns)
      text += fmt::format(" {} |", cell(row.said, column));
  }
  return text + "\n";
}

constexpr MeasuredColumn kGpu[] = {{"input", "input"},
                                   {"alone \\[ms\\]", "gpu_before_ms"},
                                   {"attentions", "gpu_modules_ms"},
                                   {"and norms", "gpu_after_ms"},
                                   {"weights channels last", "gpu_weights_channels_last_ms"},
                                   {"of it kernels of the export", "gpu_of_the_export_ms"}};
constexpr MeasuredColumn kWall[] = {
    {"alone \\[ms\\]", "before_ms"}, {"patched \\[ms\\]", "after_ms"}, {"speed-up", "ratio"}};
constexpr MeasuredColumn kMemory[] = {{"alone \\[MiB\\]", "peak_mib_before"},
                                      {"patched \\[MiB\\]", "peak_mib_after"},
                                      {"alive before it", "alive_mib_after"},
                                      {"model and images", "model_and_images_mib"}};
constexpr MeasuredColumn kErrors[] = {{"attention alone", "attention_error_before", true},
                                      {"the operator", "attention_error", true},
                                      {"outputs alone", "end_to_end_before", true},
                                      {"outputs patched", "end_to_end", true}};
constexpr MeasuredColumn kGradients[] = {{"patched, from the model's own", "gradients", true},
                                         {"the model's own again", "gradients_again", true}};
constexpr MeasuredColumn kCalls[] = {{"levels", "levels"},
                                     {"fixed", "fixed"},
                                     {"given", "given"},
                                     {"stored", "stored"},
                                     {"error", "error", true},
                                     {"general", "general"},
                                     {"its error", "general_error", true},
                                     {"gradients", "gradients"},
                                     {"general gradients", "gradients_general"},
                                     {"repeatable", "gradients_repeatable"}};
constexpr MeasuredColumn kKernels[] = {{"ms", "ms"}, {"launches", "launches"}};

std::vector<Measured> calls_of(const json& checks) {
  std::vector<Measured> rows;
  for (const Measured& row : rows_with(checks, "calls")) {
    for (const json& call : row.said["calls"]) {
      const auto types = call.at("types").get<std::vector<std::string>>();
      const std::string wide = types[0] == types[1] ? "" : fmt::format(", locations {}", types[1]);
      rows.push_back({call.at("problem").get<std::string>() + wide, call});
    }
  }
  return rows;
}

/// The longest kernels of the first model that was measured.
std::string kernels_of(const std::vector<Measured>& models) {
  if (models.empty()) return "";
  std::vector<Measured> rows;
  for (const json& kernel : models.front().said.value("kernels", json::array())) {
    if (rows.size() == kMostKernels) break;
    rows.push_back({fmt::format("`{}`", kernel.at("kernel").get<std::string>()), kernel});
  }
  return table_of_checks(fmt::format("The longest kernels of {}, patched", models.front().name),
                         "kernel", kKernels, rows);
}

std::string answer_of(const std::vector<Measured>& models) {
  std::string text;
  for (const Measured& row : models) {
    const double before = row.said["gpu_before_ms"];
    const double after = row.said["gpu_after_ms"];
    text += fmt::format("- {}: {} ms of GPU time in place of {}, {:.2f}x\n", row.name,
                        number(after, false), number(before, false), before / after);
  }
  return text;
}

/// What was run, how many checks came to what, and which failed.
std::string outcomes_of(const json& run) {
  std::map<std::string, int> count;
  std::string failed;
  for (const json& check : run.at("checks")) {
    const std::string status = check.at("status");
    ++count[status];
    if (status != "failed") continue;
    const std::string why = check.value("why", "");
    failed += fmt::format("\n  - `{}`: {}", check.at("check").get<std::string>(),
                          why.substr(0, why.find('\n')));
  }
  return fmt::format("- `{}`, `python3 check.py --json FILE {}`: {} ok, {} skipped, {} failed{}\n",
                     run.at("export").get<std::string>(), run.at("asked").get<std::string>(),
                     count["ok"], count["skipped"], count["failed"], failed);
}

std::string sentences_of(const json& checks) {
  std::string text;
  for (const Measured& row : rows_with(checks, "wall_of_graphs_ms")) {
    text += fmt::format(
        "\nAs CUDA graphs, one for each size, {} take {} ms of GPU time and {} ms of "
        "wall time, {:.2f}x.\n",
        row.name, cell(row.said, {"", "gpu_of_graphs_ms"}),
        cell(row.said, {"", "wall_of_graphs_ms"}), row.said["wall_over_gpu"].get<double>());
  }
  for (const Measured& row : rows_with(checks, "two_seeds")) {
    text += fmt::format(
        "\nOver {} training steps in fp32 the means of 17 losses are at most {} apart "
        "with the operator and without; those of two seeds without it {}.\n",
        row.said["steps"].get<int>(), cell(row.said, {"", "ours", true}),
        cell(row.said, {"", "two_seeds", true}));
  }
  return text;
}

constexpr const char* kLegend =
    "\nGPU time is that of all kernels of a call, from PyTorch's profiler; models have random "
    "weights. *Alone* is\nthe model as it is, *attentions* inside `patched(norms=False)`, *and "
    "norms* inside `patched()`.\nWall times are medians of pairs that take turns, with the ratio's "
    "95% interval. The peak of a step\nhas no optimizer. Errors are relative L2: of attentions "
    "against float64, the worst one; of outputs\nagainst the model whose attentions are computed "
    "in "
    "float64. Calls of the operator are microseconds\nin CUDA graphs, workspaces and clearing "
    "included, of uniform points.\n";

}  // namespace

json read_checks(const std::vector<std::filesystem::path>& files) {
  json runs = json::array();
  for (const std::filesystem::path& file : files) {
    const json read = parsed(file);
    for (json run : read.contains("runs") ? read["runs"] : json::array({read})) {
      try {
        run["name"] = model_in(run.at("export"));
        for (const char* member : kShared) {
          if (run.at(member) == (runs.empty() ? run : runs[0]).at(member)) continue;
          throw UsageError(
              fmt::format("{} is of another {} than the file before it", file.string(), member));
        }
      } catch (const json::exception& error) {
        throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
      }
      runs.push_back(without_places(run));
    }
  }
  return {{"runs", runs}};
}

std::string checks_page(const json& checks) {
  const json& first = checks.at("runs").at(0);
  const std::vector<Measured> models = rows_with(checks, "gpu_after_ms");
  std::string text = fmt::format(
      "# Exports\n\n{}, driver {}, CUDA {}, PyTorch {}, transformers {}, commit {}, {}. What "
      "packages that\n[msda export](../export.md) wrote say of themselves on this GPU; "
      "[Models](../models.md) says how they are used.\n\n",
      first.at("gpu").get<std::string>(), first.at("driver").get<std::string>(),
      first.at("cuda").get<std::string>(), first.at("torch").get<std::string>(),
      first.at("transformers").get<std::string>(), commit_of(first.at("commit")),
      first.at("date").get<std::string>());
  text += answer_of(models) + "\n";
  for (const json& run : checks.at("runs")) text += outcomes_of(run);
  text += kLegend;
  text += table_of_checks("GPU time", "model", kGpu, models) + sentences_of(checks);
  text += table_of_checks("Wall time", "model", kWall, rows_with(checks, "speedup"));
  text += table_of_checks("Memory", "peak of a step", kMemory, rows_with(checks, "peak_mib_after"));
  text += table_of_checks("Errors", "model", kErrors, rows_with(checks, "end_to_end"));
  text += table_of_checks("Gradients of all parameters", "step", kGradients,
                          rows_with(checks, "gradients"));
  text += table_of_checks("The operator", "call", kCalls, calls_of(checks));
  return text + kernels_of(models);
}

}  // namespace msda
