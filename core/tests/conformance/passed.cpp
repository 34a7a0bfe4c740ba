#include "conformance/passed.hpp"

#include <cstdlib>
#include <map>

#include <msda/error.hpp>

#include "files/cache_directory.hpp"
#include "files/read.hpp"
#include "files/write.hpp"
#include "hash.hpp"
#include "jit/host_compiler.hpp"
#include "plugin/library.hpp"

namespace msda {
namespace fs = std::filesystem;
namespace {

const std::string& hash_of(const fs::path& program) {
  static std::map<fs::path, std::string> hashes;
  std::string& hash = hashes[program];
  if (hash.empty()) hash = hash_file(program);
  return hash;
}

const std::string& compiler_version() {
  static const std::string kVersion = HostCompiler().version();
  return kVersion;
}

/// A build tree has a file for each of its checks, whatever changes.
fs::path file_of(std::string_view check, const fs::path& program) {
  try {
    return cache_directory() / "passed" /
           Hash().add(fs::canonical(program).string()).add(" ").add(check).hex();
  } catch (const EnvironmentError&) {
    return {};
  }
}

}  // namespace

Passed::Passed(std::string_view check, const Composition& composition, std::string_view words,
               const fs::path& program)
    : file_(file_of(check, program)) {
  Hash hash;
  const auto add = [&hash](std::string_view text) {
    hash.add(text).add(std::string_view("\0", 1));
  };
  for (const std::string_view text : {std::string_view(hash_of(program)), check, words}) add(text);
  add(compiler_version());
  add(composition.op().name());
  add(composition.describe());
  for (const Part& part : composition.parts()) add(part.plugin->hash);
  if (composition.placement()) add(composition.placement()->plugin->hash);
  key_ = hash.hex();
}

bool Passed::before() const {
  if (file_.empty() || std::getenv("MSDA_TEST_ANEW") != nullptr) return false;
  return read_text_if_there(file_) == key_;
}

void Passed::note() const {
  if (file_.empty()) return;
  try {
    ensure_directory(file_.parent_path());
    write_atomically(file_, key_, Durable::kNo);
  } catch (const EnvironmentError&) {  // NOLINT(bugprone-empty-catch): the check is made again
  }
}

}  // namespace msda
