#include "device/simt/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include <msda/error.hpp>
#include <msda/simt/host/executor.cuh>

namespace msda::simt {
namespace {

constexpr std::size_t kWord = 16;  ///< bytes of the widest

}  // namespace

GlobalMemory::GlobalMemory(std::vector<Buffer> buffers) : buffers_(std::move(buffers)) {
  std::sort(buffers_.begin(), buffers_.end(),
            [](const Buffer& a, const Buffer& b) { return a.begin() < b.begin(); });
  for (const Buffer& buffer : buffers_) ranges_.push_back({buffer.begin(), buffer.end()});
  writers_.resize(buffers_.size());
  accesses_.resize(buffers_.size());
}

std::map<std::string, std::uint64_t> GlobalMemory::accesses() const {
  std::map<std::string, std::uint64_t> by_name;
  for (std::size_t i = 0; i < buffers_.size(); ++i) by_name[buffers_[i].name] += accesses_[i];
  return by_name;
}

const Buffer* GlobalMemory::find(std::uintptr_t address, std::size_t bytes) {
  const auto holds = [&](const Range& range) {
    return address >= range.begin && address + bytes <= range.end;
  };
  if (last_ >= ranges_.size() || !holds(ranges_[last_])) {
    const auto found = std::ranges::find_if(ranges_, holds);
    if (found == ranges_.end()) return nullptr;
    last_ = static_cast<std::size_t>(found - ranges_.begin());
  }
  ++accesses_[last_];
  return &buffers_[last_];
}

std::optional<unsigned> GlobalMemory::other_writer(const Buffer& buffer, std::uintptr_t address,
                                                   std::size_t bytes, unsigned kind,
                                                   unsigned cluster) {
  const bool writes = (kind & host::kWrite) != 0;
  const bool atomic = (kind & host::kAtomic) != 0;
  if (atomic) fences_.touch_atomically(address, cluster);
  std::vector<Writer>& writers = writers_[static_cast<std::size_t>(&buffer - buffers_.data())];
  if (writers.empty()) {
    if (!writes) return std::nullopt;
    writers.resize(buffer.bytes);
  }
  const std::size_t first = address - buffer.begin();
  const unsigned passed = fences_.passed(cluster);
  for (std::size_t i = first; i < first + bytes; ++i) {
    const Writer other = writers[i];
    const bool is_other = other.cluster != Writer::kNobody && other.cluster != cluster;
    const bool both_atomic = atomic && other.atomic != 0;
    if (is_other && !both_atomic && !fences_.order(other.cluster, other.fences, cluster)) {
      return other.cluster;
    }
    if (writes) writers[i] = {cluster, atomic ? 1U : 0U, passed};
  }
  return std::nullopt;
}

std::string GlobalMemory::describe(std::uintptr_t address) const {
  const Buffer* nearest = nullptr;
  std::uintptr_t least = UINTPTR_MAX;
  for (const Buffer& buffer : buffers_) {
    const std::uintptr_t distance = address < buffer.begin()  ? buffer.begin() - address
                                    : address >= buffer.end() ? address - buffer.end()
                                                              : 0;
    if (distance < least) {
      least = distance;
      nearest = &buffer;
    }
  }
  if (nearest == nullptr) return fmt::format("address {:#x}", address);
  const std::string name = fmt::format("{} ({} bytes)", nearest->name, nearest->bytes);
  if (least == 0 && address < nearest->end()) {
    return fmt::format("at byte {} of {}", address - nearest->begin(), name);
  }
  constexpr std::uintptr_t kNear = 1U << 30U;
  if (least > kNear) return fmt::format("at {:#x}, near no buffer", address);
  return address < nearest->begin() ? fmt::format("{} bytes before {}", least, name)
                                    : fmt::format("{} bytes past the end of {}", least, name);
}

SharedMemory::SharedMemory(unsigned blocks, std::size_t bytes)
    : blocks_(blocks),
      bytes_(bytes),
      padded_((bytes + kWord - 1) / kWord * kWord),
      marks_(count()),
      accessed_(count()) {
  void* region = mmap(nullptr, size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) throw EnvironmentError("no memory for the shared memory of a cluster");
  base_ = static_cast<unsigned char*>(region);
}

SharedMemory::~SharedMemory() { munmap(base_, size()); }

void SharedMemory::clear() {
  for (unsigned rank = 0; rank < blocks_; ++rank) std::memset(block(rank), 0xFF, bytes_);
  std::fill(marks_.begin(), marks_.end(), Mark::kNothing);
  std::fill(accessed_.begin(), accessed_.end(), 0U);
  epoch_ = 1;
}

Mark SharedMemory::mark_of(std::size_t offset, std::size_t bytes) const {
  const auto first = marks_.begin() + static_cast<std::ptrdiff_t>(index(offset));
  const auto last = first + static_cast<std::ptrdiff_t>(bytes);
  const auto other = std::find_if(first, last, [](Mark mark) { return mark != Mark::kWritten; });
  return other == last ? Mark::kWritten : *other;
}

void SharedMemory::mark(std::size_t offset, std::size_t bytes, Mark mark) {
  std::fill_n(marks_.begin() + static_cast<std::ptrdiff_t>(index(offset)), bytes, mark);
}

}  // namespace msda::simt
