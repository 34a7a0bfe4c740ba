// Cache of measured ceilings, one small JSON file for each device model.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "gpu/device.hpp"
#include "input/input.hpp"
#include "results/record.hpp"

namespace msda {
namespace {

std::filesystem::path cache_file(const DeviceInfo& device) {
  std::string name = fmt::format("{}-{}", device.name, device.multiprocessors);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  }
  return cache_directory() / "ceilings" / (name + ".json");
}

std::optional<Ceilings> load(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const Ceilings stored{json.value("dram_bytes_per_second", 0.0),
                        json.value("gather_bytes_per_second", 0.0)};
  if (stored.dram_bytes_per_second <= 0 || stored.gather_bytes_per_second <= 0) return std::nullopt;
  return stored;
}

}  // namespace

Ceilings ceilings(Device& device) {
  const auto file = cache_file(device.info());
  if (const auto stored = load(file)) return *stored;
  const Ceilings measured = device.measure_ceilings();
  std::filesystem::create_directories(file.parent_path());
  write_atomically(file,
                   nlohmann::json{{"device", device.info().name},
                                  {"dram_bytes_per_second", measured.dram_bytes_per_second},
                                  {"gather_bytes_per_second", measured.gather_bytes_per_second}}
                       .dump(1));
  return measured;
}

}  // namespace msda
