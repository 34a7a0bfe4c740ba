// How the loads of values, or the reds, of a warp's lanes lie in memory. Lanes run one after
// another here; the n-th time that they pass a load is taken for one request, as it is where a warp
// stays together.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace msda::simt {

class Requests {
 public:
  /// `subject` begins the names of its numbers: "value", "reds".
  explicit Requests(std::string subject) : subject_(std::move(subject)) {}

  /// A load, or a copy by itself, of a thread of the cluster that runs. `place` tells those in the
  /// code apart.
  void load(std::size_t thread, std::size_t warp, std::uintptr_t place, std::uintptr_t address,
            std::size_t bytes);
  /// A row of a box that is copied: a run, that a lane would ask for in each widest word.
  void copy_run(std::size_t bytes) {
    constexpr std::size_t kWidestWord = 16;
    ++runs_;
    lanes_of_runs_ += bytes / kWidestWord;
  }
  void end_cluster();
  /// Requests; of one on average 32-byte sectors, bytes in each of these, and bank conflicts; and
  /// lanes that share a run of neighbouring memory in one.
  void add_to(std::map<std::string, double>& numbers) const;
  static std::vector<std::string> names(const std::string& subject);

 private:
  struct Span {
    std::uintptr_t begin;
    std::uintptr_t end;
    std::size_t lane;
  };
  void finish(std::vector<Span>& spans);
  std::uint64_t conflicts(std::vector<Span>& spans);

  struct Warp {
    std::uint64_t finished = 0;          ///< times that all of its lanes have passed
    std::deque<std::vector<Span>> open;  ///< of each time after these
  };
  /// A load in the code.
  struct Site {
    std::vector<std::uint64_t> passed;  ///< times, by thread
    std::vector<Warp> warps;
  };

  std::string subject_;
  std::unordered_map<std::uintptr_t, Site> sites_;  ///< by place
  std::vector<std::uintptr_t> words_;               ///< of the group that is looked at
  std::uint64_t requests_ = 0;
  std::uint64_t sectors_ = 0;
  std::uint64_t bytes_ = 0;  ///< those that several lanes touch counted once
  std::uint64_t conflicts_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t lanes_of_runs_ = 0;  ///< those that read the same words counted once
};

}  // namespace msda::simt
