#include "runner/supervise/watched_files.hpp"

#include <set>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "plugin/library.hpp"

namespace msda {
namespace {

std::string hash_if_there(const std::filesystem::path& file) {
  try {
    return hash_file(file);
  } catch (const Error&) {
    return "";
  }
}

/// A Python callable names its file before a colon.
std::filesystem::path file_of(const std::string& given) {
  const std::size_t colon = given.rfind(':');
  const std::string file = given.substr(0, colon);
  return file.ends_with(".py") ? file : given;
}

/// Adds the files of tensors in `directory`; none where it cannot be read.
void add_tensors(const std::filesystem::path& directory, std::set<std::filesystem::path>& files) {
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(directory, unreadable)) {
    const std::filesystem::path extension = entry.path().extension();
    if (extension == ".npy" || extension == ".bin") files.insert(entry.path());
  }
}

}  // namespace

std::vector<std::filesystem::path> named_files(const Plan& plan, const Registry& registry) {
  std::set<std::filesystem::path> files;
  for (const ProblemSpec& spec : plan.problems) {
    if (spec.directory) add_tensors(*spec.directory, files);
  }
  for (const Arm& arm : plan.arms) {
    for (const Use& use : arm.uses) {
      for (const ParameterSpec& spec : registry.find(use.variant).variant->info().parameters) {
        const auto given = use.parameters.find(spec.name);
        if (!spec.is_file || given == use.parameters.end()) continue;
        files.insert(file_of(std::get<std::string>(given->second)));
      }
    }
  }
  return {files.begin(), files.end()};
}

WatchedFiles::WatchedFiles(const std::filesystem::path& program, const Plan& plan,
                           const Registry& registry) {
  hashes_.emplace(program, hash_if_there(program));
  for (const Plugin& plugin : registry.plugins()) {
    if (plugin.error.empty()) hashes_.emplace(plugin.file, plugin.hash);
  }
  for (const auto& file : named_files(plan, registry)) hashes_.emplace(file, hash_if_there(file));
}

void WatchedFiles::check() const {
  for (const auto& [file, hash] : hashes_) {
    const std::string now = hash_if_there(file);
    if (now == hash) continue;
    throw EnvironmentError(
        fmt::format("{} has changed since the run began (its hash was {}, now {}); put the earlier "
                    "file back and go on with --resume, or start a new run",
                    file.string(), hash.empty() ? "none" : hash, now.empty() ? "none" : now));
  }
}

}  // namespace msda
