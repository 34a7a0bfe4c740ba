#include "device/simt/requests.hpp"

#include <algorithm>

namespace msda::simt {
namespace {

constexpr std::size_t kLanesOfAWarp = 32;
constexpr std::uintptr_t kSector = 32;  ///< bytes
constexpr const char* kRequests = "value.requests";
constexpr const char* kSectors = "value.sectors-per-request";
constexpr const char* kRunBytes = "value.run-bytes";

}  // namespace

std::size_t Requests::PassageHash::operator()(const Passage& passage) const {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // of the golden ratio: spreads the bits
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(passage.pc);
  for (const std::uint64_t part : {std::uint64_t{passage.who}, passage.n}) {
    mixed = (mixed ^ part) * kOdd;
    mixed ^= mixed >> 32;
  }
  return mixed;
}

void Requests::load(std::size_t thread, std::size_t warp, const void* pc, std::uintptr_t address,
                    std::size_t bytes) {
  const Passage key{warp, pc, passed_[{thread, pc, 0}]++};
  std::vector<Span>& spans = open_[key];
  spans.push_back({address, address + bytes});
  if (spans.size() < kLanesOfAWarp) return;
  finish(spans);
  open_.erase(key);
}

void Requests::finish(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end(), [](Span a, Span b) { return a.begin < b.begin; });
  ++requests_;
  std::uintptr_t counted = 0;  ///< sectors before this one
  for (std::size_t i = 0; i < spans.size();) {
    Span run = spans[i];
    for (++i; i < spans.size() && spans[i].begin <= run.end; ++i)
      run.end = std::max(run.end, spans[i].end);
    ++runs_;
    bytes_ += run.end - run.begin;
    const std::uintptr_t first = std::max(counted, run.begin / kSector);
    const std::uintptr_t end = (run.end + kSector - 1) / kSector;
    if (end > first) sectors_ += end - first;
    counted = std::max(counted, end);
  }
}

void Requests::end_cluster() {
  for (auto& [key, spans] : open_) finish(spans);
  open_.clear();
  passed_.clear();
}

void Requests::add_to(std::map<std::string, double>& numbers) const {
  if (runs_ > 0) numbers[kRunBytes] = static_cast<double>(bytes_) / static_cast<double>(runs_);
  if (requests_ == 0) return;
  const auto requests = static_cast<double>(requests_);
  numbers[kRequests] = requests;
  numbers[kSectors] = static_cast<double>(sectors_) / requests;
}

std::vector<std::string> Requests::names() { return {kRequests, kSectors, kRunBytes}; }

}  // namespace msda::simt
