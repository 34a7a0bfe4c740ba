#include "results/counters.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <msda/error.hpp>

#include "files/read.hpp"
#include "files/write.hpp"
#include "json_line.hpp"

namespace msda {
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

nlohmann::json to_json(const KernelCounters& counters) {
  return {
      {"problem", counters.problem}, {"arm", counters.arm},       {"mode", counters.mode},
      {"part", counters.part},       {"kernel", counters.kernel}, {"device", counters.device},
      {"tool", counters.tool},       {"values", counters.values}, {"missing", counters.missing}};
}

KernelCounters counters_from_json(const nlohmann::json& json) {
  KernelCounters counters;
  try {
    json.at("problem").get_to(counters.problem);
    json.at("arm").get_to(counters.arm);
    json.at("mode").get_to(counters.mode);
    json.at("part").get_to(counters.part);
    json.at("kernel").get_to(counters.kernel);
    json.at("device").get_to(counters.device);
    json.at("tool").get_to(counters.tool);
    json.at("values").get_to(counters.values);
    json.at("missing").get_to(counters.missing);
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(fmt::format("these are no counters of a kernel: {}", error.what()));
  }
  return counters;
}

std::vector<KernelCounters> read_counters(const std::filesystem::path& run_directory) {
  const std::filesystem::path file = run_directory / kCountersFile;
  std::vector<KernelCounters> all;
  if (!std::filesystem::exists(file)) return all;
  std::istringstream stream(read_text(file));
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    try {
      all.push_back(counters_from_json(nlohmann::json::parse(line)));
    } catch (const std::exception& error) {
      throw UsageError(fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
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
