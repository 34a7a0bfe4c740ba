#include "jit/compile_cache.hpp"

#include <unistd.h>

#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "files/cache_directory.hpp"
#include "files/exposure.hpp"
#include "files/temporary_directory.hpp"
#include "hash.hpp"
#include "jit/cache_entry.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// Of this process, which removes it in its end.
const fs::path& scratch() {
  static const TemporaryDirectory directory;
  return directory.path();
}

/// Creates it where it is not there; "" when entries can be kept in it, else why not.
std::string refusal_of(const fs::path& directory) {
  if (const std::error_code error = create_own_directories(directory)) {
    return fmt::format("cannot create {}: {}", directory.string(), error.message());
  }
  try {
    return exposure(directory);
  } catch (const EnvironmentError& failure) {
    return failure.what();
  }
}

/// Asks directory after directory; the first refusal is the one to tell.
fs::path first_usable(const std::vector<fs::path>& candidates, std::string& refusal) {
  for (const fs::path& candidate : candidates) {
    const std::string reason = refusal_of(candidate);
    if (reason.empty()) return fs::canonical(candidate);
    if (refusal.empty()) refusal = reason;
  }
  return {};
}

Module make(const fs::path& directory, const std::string& key, std::string_view image,
            const Unit& unit, const CompileCache::Compile& compile) {
  write_sources(unit, directory);
  Module module = compile(directory);
  module.directory = directory;
  module.hash = Hash().add(module.cubin.data(), module.cubin.size()).hex();
  store_entry(module, image, key);
  return module;
}

}  // namespace

/// Waits until no other thread is at work on the key, and keeps others waiting.
class CompileCache::Turn {
 public:
  Turn(AtWork& at_work, std::string key) : at_work_(at_work), key_(std::move(key)) {
    std::unique_lock lock(at_work_.mutex);
    at_work_.changed.wait(lock, [&] { return at_work_.keys.insert(key_).second; });
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    {
      const std::lock_guard lock(at_work_.mutex);
      at_work_.keys.erase(key_);
    }
    at_work_.changed.notify_all();
  }

 private:
  AtWork& at_work_;
  std::string key_;
};

CompileCache::CompileCache(fs::path directory) {
  std::vector<fs::path> candidates = {std::move(directory)};
  if (candidates.front().empty()) {
    try {
      const fs::path all = cache_directory();
      candidates = {all / "jit", all / fmt::format("jit-{}", ::geteuid())};
    } catch (const EnvironmentError& error) {
      refusal_ = error.what();
      return;
    }
  }
  directory_ = first_usable(candidates, refusal_);
  if (!directory_.empty()) refusal_.clear();
}

Module CompileCache::get(const std::string& key, std::string_view image, const Unit& unit,
                         const Compile& compile) const {
  const Turn turn(*at_work_, key);
  if (!directory_.empty()) {
    const fs::path entry = directory_ / key;
    if (auto cached = load_entry(entry, image, key)) return *std::move(cached);
    try {
      return make(entry, key, image, unit, compile);
    } catch (const CacheUnwritable&) {  // NOLINT(bugprone-empty-catch): it costs time only
    }
  }
  const fs::path entry = scratch() / key;
  if (auto cached = load_entry(entry, image, key)) return *std::move(cached);
  return make(entry, key, image, unit, compile);
}

}  // namespace msda
