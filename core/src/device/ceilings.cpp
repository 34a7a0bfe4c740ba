// Cache of measured ceilings, one small JSON file for each device model.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "device/device.hpp"
#include "files/cache_directory.hpp"
#include "files/read.hpp"
#include "files/write.hpp"

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
  const auto json = nlohmann::json::parse(read_text_if_there(file).value_or(""), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const Ceilings stored = ceilings_from_json(json);
  // An entry without the second-level cache is of a version that did not measure it.
  const bool whole = stored.dram_bytes_per_second > 0 && stored.gather_bytes_per_second > 0 &&
                     json.contains("l2_bytes_per_second");
  return whole ? std::optional(stored) : std::nullopt;
}

}  // namespace

Ceilings ceilings(Device& device) {
  const auto file = cache_file(device.info());
  if (const auto stored = load(file)) return *stored;
  const Ceilings measured = device.measure_ceilings();
  std::filesystem::create_directories(file.parent_path());
  nlohmann::json entry = to_json(measured);
  entry["device"] = device.info().name;
  write_atomically(file, entry.dump(1));
  return measured;
}

}  // namespace msda
