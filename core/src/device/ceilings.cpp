// Cache of measured ceilings, one small JSON file for each device model.
#include <fmt/format.h>

#include <cctype>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "device/ceilings_history.hpp"
#include "device/device.hpp"
#include "files/cache_directory.hpp"
#include "files/read.hpp"
#include "files/write.hpp"
#include "json_text.hpp"

namespace msda {
namespace {

std::filesystem::path cache_file(const DeviceInfo& device) {
  std::string name = fmt::format("{}-{}", device.name, device.multiprocessors);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  }
  return cache_directory() / "ceilings" / (name + ".json");
}

/// Nothing of a file that is not there, or damaged: it is measured again.
CeilingsHistory load(const std::filesystem::path& file) {
  const std::string text = read_text_if_there(file).value_or("");
  return CeilingsHistory(parse_json_or_discard(text));
}

/// A cache that cannot be written costs time later, and nothing now.
void store(const CeilingsHistory& history, const DeviceInfo& device,
           const std::filesystem::path& file) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  nlohmann::json entry = history.to_json();
  entry["device"] = device.name;
  try {
    write_atomically(file, json_text(entry, 1));
  } catch (const EnvironmentError&) {  // NOLINT(bugprone-empty-catch)
  }
}

/// nullopt where there is no place for caches.
std::optional<std::filesystem::path> cache_file_if_any(const DeviceInfo& device) {
  try {
    return cache_file(device);
  } catch (const EnvironmentError&) {
    return std::nullopt;
  }
}

}  // namespace

KnownCeilings stored_ceilings(const DeviceInfo& device) {
  const auto file = cache_file_if_any(device);
  return (file ? load(*file) : CeilingsHistory()).known();
}

KnownCeilings known_ceilings(Device& device) {
  const auto file = cache_file_if_any(device.info());
  CeilingsHistory history = file ? load(*file) : CeilingsHistory();
  const std::int64_t now = std::time(nullptr);
  if (history.wants_another(now)) {
    history.measure(now, [&] { return device.measure_ceilings(); });
    if (file) store(history, device.info(), *file);
  }
  return history.known();
}

}  // namespace msda
