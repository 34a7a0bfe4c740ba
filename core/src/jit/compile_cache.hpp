// Where compiled units are kept from one run to the next.
//
// A cache that cannot be written, or that another user could have written, costs time and nothing
// else: what is compiled then lies in a directory of this process alone.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "compose/unit.hpp"
#include "jit/module.hpp"

namespace msda {

class CompileCache {
 public:
  /// Keeps entries in `directory`. An empty one stands for "jit" in cache_directory(), or, where
  /// that is another user's, "jit-<user's number>" beside it.
  explicit CompileCache(std::filesystem::path directory = {});

  /// Where entries are kept; empty where they cannot be.
  const std::filesystem::path& directory() const { return directory_; }
  /// Why directory() is empty.
  const std::string& refusal() const { return refusal_; }

  /// Compiles the unit whose sources lie in the directory; leaves cubin, kernels, plan and log.
  using Compile = std::function<Module(const std::filesystem::path& sources)>;
  /// The entry of `key`; made anew by `compile` when it is not there or not as it was stored.
  /// Callable from several threads and processes at a time; of several threads with one key one
  /// compiles. Throws what `compile` throws, and EnvironmentError when not even a temporary
  /// directory can be written.
  Module get(const std::string& key, std::string_view image, const Unit& unit,
             const Compile& compile) const;

 private:
  /// Keys that a thread is at work on.
  struct AtWork {
    std::mutex mutex;
    std::condition_variable changed;
    std::set<std::string> keys;
  };
  class Turn;

  std::filesystem::path directory_;
  std::string refusal_;
  std::unique_ptr<AtWork> at_work_ = std::make_unique<AtWork>();
};

}  // namespace msda
