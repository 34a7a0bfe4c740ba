#include "results/counters.hpp"

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "files/read.hpp"
#include "files/write.hpp"
#include "json_members.hpp"
#include "json_text.hpp"
#include "results/json_lines.hpp"

namespace msda {

template <>
struct JsonFields<KernelCounters>
    : JsonMembers<&KernelCounters::problem, &KernelCounters::arm, &KernelCounters::mode,
                  &KernelCounters::part, &KernelCounters::kernel, &KernelCounters::device,
                  &KernelCounters::tool, &KernelCounters::values, &KernelCounters::missing> {};

namespace {

bool same_kernel(const KernelCounters& a, const KernelCounters& b) {
  return a.problem == b.problem && a.arm == b.arm && a.mode == b.mode && a.part == b.part;
}

}  // namespace

std::optional<double> KernelCounters::find(const std::string& metric) const {
  const auto found = values.find(metric);
  if (found == values.end()) return std::nullopt;
  return found->second;
}

nlohmann::json to_json(const KernelCounters& counters) { return write_json(counters); }

KernelCounters counters_from_json(const nlohmann::json& json) {
  return from_json_document<KernelCounters>(json, "counters");
}

std::vector<KernelCounters> read_counters(const std::filesystem::path& run_directory) {
  const std::filesystem::path file = run_directory / kCountersFile;
  std::vector<KernelCounters> all;
  if (!std::filesystem::exists(file)) return all;
  std::istringstream stream(read_text(file));
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    all.push_back(parse_json_line(line, file, number, counters_from_json));
  }
  return all;
}

void add_counters(const std::filesystem::path& run_directory, std::vector<KernelCounters> fresh) {
  std::vector<KernelCounters> all = read_counters(run_directory);
  for (KernelCounters& counters : fresh) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const KernelCounters& other) {
      return same_kernel(counters, other);
    });
    if (found == all.end()) {
      all.push_back(std::move(counters));
    } else {
      *found = std::move(counters);
    }
  }
  std::string text;
  for (const KernelCounters& counters : all) text += json_line(to_json(counters)) + "\n";
  write_atomically(run_directory / kCountersFile, text);
}

}  // namespace msda
