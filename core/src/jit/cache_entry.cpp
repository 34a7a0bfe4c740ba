#include "jit/cache_entry.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "files/exposure.hpp"
#include "files/read.hpp"
#include "files/write.hpp"
#include "hash.hpp"
#include "json_text.hpp"

namespace msda {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kBuildFile = "build.json";
/// Member of build.json: the hash of the others.
constexpr const char* kCheck = "check";

void write(const fs::path& file, ByteSpan bytes, Durable durable) {
  try {
    write_atomically(file, {bytes}, durable);
  } catch (const EnvironmentError& error) {
    throw CacheUnwritable(error.what());
  }
}

void write_source(const fs::path& file, const std::string& text) {
  if (read_text_if_there(file) == text) return;
  if (const std::error_code error = create_own_directories(file.parent_path())) {
    throw CacheUnwritable(
        fmt::format("cannot create {}: {}", file.parent_path().string(), error.message()));
  }
  write(file, bytes_of(text), Durable::kNo);  // they are compared before they are used
}

std::string check_of(json build) {
  build.erase(kCheck);
  return hash_hex(json_text(build));
}

Module module_from(const json& build) {
  Module module;
  module.hash = build.at("hash");
  module.plan_symbol = build.at("plan");
  module.log = build.at("log");
  for (const auto& [name, kernel] : build.at("kernels").items()) {
    module.kernels[name] = {kernel.at("symbol"), kernel.at("registers"),
                            kernel.at("static_shared_bytes"), kernel.at("spill_bytes")};
  }
  return module;
}

/// Whether nobody else could have written the entry; the directory above it is the caller's care.
bool is_private(const fs::path& directory, std::string_view image) {
  for (const fs::path& part : {directory, directory / image, directory / kBuildFile}) {
    if (!own_exposure(part).empty()) return false;
  }
  return true;
}

}  // namespace

std::optional<Module> load_entry(const fs::path& directory, std::string_view image,
                                 const std::string& key) {
  const auto text = read_text_if_there(directory / kBuildFile);
  const auto bytes = read_text_if_there(directory / image);
  if (!text || !bytes) return std::nullopt;
  try {
    const json build = parse_json(*text);
    if (build.at("key") != key || build.at(kCheck) != check_of(build)) return std::nullopt;
    Module module = module_from(build);
    if (hash_hex(*bytes) != module.hash || !is_private(directory, image)) return std::nullopt;
    const ByteSpan data = bytes_of(*bytes);
    module.cubin.assign(data.begin(), data.end());
    module.directory = directory;
    module.from_cache = true;
    return module;
  } catch (const json::exception&) {
    return std::nullopt;
  } catch (const EnvironmentError&) {
    return std::nullopt;  // somebody removes it
  }
}

void write_sources(const Unit& unit, const fs::path& directory) {
  std::error_code error;
  if (fs::is_directory(directory, error) && !own_exposure(directory).empty()) {
    fs::remove_all(directory, error);
    if (error) throw CacheUnwritable(fmt::format("cannot remove {}", directory.string()));
  }
  write_source(directory / "unit.cu", unit.text);
  for (const UnitHeader& header : unit.headers) write_source(directory / header.path, header.text);
}

void store_entry(const Module& module, std::string_view image, const std::string& key) {
  json kernels = json::object();
  for (const auto& [name, kernel] : module.kernels) {
    kernels[name] = {{"symbol", kernel.symbol},
                     {"registers", kernel.registers},
                     {"static_shared_bytes", kernel.static_shared_bytes},
                     {"spill_bytes", kernel.spill_bytes}};
  }
  json build = {{"key", key},
                {"hash", module.hash},
                {"plan", module.plan_symbol},
                {"kernels", kernels},
                {"log", module.log}};
  build[kCheck] = check_of(build);
  write(module.directory / image, module.cubin, Durable::kYes);
  write(module.directory / kBuildFile, bytes_of(json_text(build, 1)), Durable::kYes);
}

}  // namespace msda
