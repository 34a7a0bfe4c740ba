// How the loads of values by a warp's lanes lie in memory. Lanes run one after another here; the
// n-th time that they pass a load is taken for one request, as it is where a warp stays together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace msda::simt {

class Requests {
 public:
  /// A load, or a copy by itself, of a thread of the cluster that runs.
  void load(std::size_t thread, std::size_t warp, const void* pc, std::uintptr_t address,
            std::size_t bytes);
  /// A row of a box that is copied.
  void copy_run(std::size_t bytes) {
    ++runs_;
    bytes_ += bytes;
  }
  void end_cluster();
  /// Requests, 32-byte sectors and bank conflicts of one on average, and bytes of one run of
  /// neighbouring memory.
  void add_to(std::map<std::string, double>& numbers) const;
  static std::vector<std::string> names();

 private:
  struct Span {
    std::uintptr_t begin;
    std::uintptr_t end;
    std::size_t lane;
  };
  void finish(std::vector<Span>& spans);
  static std::uint64_t conflicts(std::vector<Span> spans);

  /// The n-th time that a thread, or a warp, comes to a load.
  struct Passage {
    std::size_t who;
    const void* pc;
    std::uint64_t n;
    bool operator==(const Passage&) const = default;
  };
  struct PassageHash {
    std::size_t operator()(const Passage& passage) const;
  };

  std::unordered_map<Passage, std::uint64_t, PassageHash> passed_;    ///< by thread; its n is 0
  std::unordered_map<Passage, std::vector<Span>, PassageHash> open_;  ///< by warp
  std::uint64_t requests_ = 0;
  std::uint64_t sectors_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t bytes_ = 0;  ///< of runs
};

}  // namespace msda::simt
