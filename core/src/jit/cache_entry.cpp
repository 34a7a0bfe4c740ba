#include "jit/cache_entry.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <msda/error.hpp>

#include "files/read.hpp"
#include "files/write.hpp"
#include "hash.hpp"

namespace msda {
namespace fs = std::filesystem;
namespace {

void write_source(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_atomically(file, text, Durable::kNo);
}

}  // namespace

std::optional<Module> load_entry(const fs::path& directory, std::string_view image) {
  const auto build = read_text_if_there(directory / "build.json");
  const auto cubin = read_text_if_there(directory / image);
  if (!build || !cubin) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*build);
    Module module;
    module.directory = directory;
    module.hash = json.at("hash");
    if (hash_hex(*cubin) != module.hash) return std::nullopt;
    const auto* bytes = reinterpret_cast<const std::byte*>(cubin->data());
    module.cubin.assign(bytes, bytes + cubin->size());
    module.plan_symbol = json.at("plan");
    module.log = json.at("log");
    for (const auto& [name, kernel] : json.at("kernels").items()) {
      module.kernels[name] = {kernel.at("symbol"), kernel.at("registers"),
                              kernel.at("static_shared_bytes"), kernel.at("spill_bytes")};
    }
    module.from_cache = true;
    return module;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void write_sources(const Unit& unit, const fs::path& directory) {
  if (fs::exists(directory / "unit.cu")) return;
  const fs::path temporary = temporary_beside(directory);
  write_source(temporary / "unit.cu", unit.text);
  for (const UnitHeader& header : unit.headers) write_source(temporary / header.path, header.text);
  std::error_code lost_race;
  fs::rename(temporary, directory, lost_race);
  if (lost_race) fs::remove_all(temporary);
  if (!fs::exists(directory / "unit.cu")) {
    throw EnvironmentError(
        fmt::format("cannot create cache entry {}: {}", directory.string(), lost_race.message()));
  }
}

void store_entry(const Module& module, std::string_view image) {
  nlohmann::json kernels = nlohmann::json::object();
  for (const auto& [name, kernel] : module.kernels) {
    kernels[name] = {{"symbol", kernel.symbol},
                     {"registers", kernel.registers},
                     {"static_shared_bytes", kernel.static_shared_bytes},
                     {"spill_bytes", kernel.spill_bytes}};
  }
  const nlohmann::json build = {{"hash", module.hash},
                                {"plan", module.plan_symbol},
                                {"kernels", kernels},
                                {"log", module.log}};
  write_atomically(module.directory / image, {module.cubin});
  write_atomically(module.directory / "build.json", build.dump(1));
}

}  // namespace msda
