#include "device/simt/requests.hpp"

#include <algorithm>

namespace msda::simt {
namespace {

constexpr std::size_t kLanesOfAWarp = 32;
constexpr std::uintptr_t kSector = 32;  ///< bytes
constexpr const char* kRequests = ".requests";
constexpr const char* kSectors = ".sectors-per-request";
constexpr const char* kBytes = ".bytes-per-sector";
constexpr const char* kRunLanes = ".run-lanes";
constexpr const char* kConflicts = ".conflicts-per-request";

constexpr std::uintptr_t kBanks = 32;
constexpr std::uintptr_t kBankBytes = 4;  ///< that a bank gives in a pass

}  // namespace

void Requests::load(std::size_t thread, std::size_t warp, std::uintptr_t place,
                    std::uintptr_t address, std::size_t bytes) {
  Site& site = sites_[place];
  if (site.passed.size() <= thread) site.passed.resize(thread + 1);
  if (site.warps.size() <= warp) site.warps.resize(warp + 1);
  Warp& of = site.warps[warp];
  const std::uint64_t ahead = site.passed[thread]++ - of.finished;
  while (of.open.size() <= ahead) of.open.emplace_back().reserve(kLanesOfAWarp);
  std::vector<Span>& spans = of.open[ahead];
  spans.push_back({address, address + bytes, thread % kLanesOfAWarp});
  if (spans.size() < kLanesOfAWarp) return;
  // Every lane passed here as often before: this is the first that is open.
  finish(spans);
  of.open.pop_front();
  ++of.finished;
}

/// Passes beyond the first of each group of lanes that ask for 128 bytes: a bank gives one word in
/// a pass, to all who ask for it.
std::uint64_t Requests::conflicts(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end(), [](Span a, Span b) { return a.lane < b.lane; });
  const std::uintptr_t bytes = std::max(spans.front().end - spans.front().begin, kBankBytes);
  const std::size_t together = std::max<std::size_t>(kBanks * kBankBytes / bytes, 1);
  std::uint64_t passes = 0;
  std::vector<std::uintptr_t>& words = words_;
  for (std::size_t first = 0; first < spans.size();) {
    words.clear();
    const std::size_t group = spans[first].lane / together;
    for (; first < spans.size() && spans[first].lane / together == group; ++first) {
      for (auto word = spans[first].begin / kBankBytes; word * kBankBytes < spans[first].end;
           ++word)
        words.push_back(word);
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::uint64_t of_bank[kBanks] = {};
    for (const std::uintptr_t word : words) ++of_bank[word % kBanks];
    passes += *std::max_element(std::begin(of_bank), std::end(of_bank)) - 1;
  }
  return passes;
}

void Requests::finish(std::vector<Span>& spans) {
  conflicts_ += conflicts(spans);
  std::sort(spans.begin(), spans.end(), [](Span a, Span b) { return a.begin < b.begin; });
  ++requests_;
  std::uintptr_t counted = 0;  ///< sectors before this one
  for (std::size_t i = 0; i < spans.size();) {
    Span run = spans[i];
    ++runs_;
    ++lanes_of_runs_;
    for (++i; i < spans.size() && spans[i].begin <= run.end; ++i) {
      run.end = std::max(run.end, spans[i].end);
      lanes_of_runs_ += spans[i].begin != spans[i - 1].begin ? 1 : 0;
    }
    bytes_ += run.end - run.begin;
    const std::uintptr_t first = std::max(counted, run.begin / kSector);
    const std::uintptr_t end = (run.end + kSector - 1) / kSector;
    if (end > first) sectors_ += end - first;
    counted = std::max(counted, end);
  }
}

void Requests::end_cluster() {
  for (auto& [place, site] : sites_) {
    for (Warp& warp : site.warps) {
      for (std::vector<Span>& spans : warp.open) finish(spans);
    }
  }
  sites_.clear();
}

void Requests::add_to(std::map<std::string, double>& numbers) const {
  if (runs_ > 0) {
    numbers[subject_ + kRunLanes] =
        static_cast<double>(lanes_of_runs_) / static_cast<double>(runs_);
  }
  if (requests_ == 0) return;
  const auto requests = static_cast<double>(requests_);
  numbers[subject_ + kRequests] = requests;
  numbers[subject_ + kSectors] = static_cast<double>(sectors_) / requests;
  numbers[subject_ + kBytes] = static_cast<double>(bytes_) / static_cast<double>(sectors_);
  numbers[subject_ + kConflicts] = static_cast<double>(conflicts_) / requests;
}

std::vector<std::string> Requests::names(const std::string& subject) {
  std::vector<std::string> names;
  for (const char* name : {kRequests, kSectors, kBytes, kRunLanes, kConflicts}) {
    names.push_back(subject + name);
  }
  return names;
}

}  // namespace msda::simt
