#include "device/simt/recorder.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace msda::simt {
namespace {

constexpr unsigned kWarpLanes = 32;
constexpr std::size_t kTexelBytes = 16;  ///< as they come to a lane

constexpr std::array<const char*, host::kHintCount> kHintNames = {"plain",
                                                                  "read-only",
                                                                  "l1",
                                                                  "generic",
                                                                  "l2",
                                                                  "no-allocate",
                                                                  "prefetch-64b",
                                                                  "prefetch-128b",
                                                                  "prefetch-256b",
                                                                  "evict-first",
                                                                  "evict-last",
                                                                  "once",
                                                                  "streaming",
                                                                  "texel"};
constexpr std::array<const char*, host::kCopyKinds> kCopyNames = {
    "cp-async", "bulk-copies", "tensor-copies", "bulk-reductions"};
constexpr std::array<const char*, host::kEventCount> kEventNames = {
    "shuffles",       "shuffles.own",    "shuffles.same", "warp-barriers", "mbarrier-arrivals",
    "mbarrier-waits", "flags-raised",    "flag-waits",    "atomics",       "texture.fetches",
    "texture.blends", "texture.stores",  "mma",           "fma2",          "dot2",
    "map-prefetches", "launch.releases", "launch.waits"};
/// Those that happen to a place in shared memory.
constexpr std::array kPlacedEvents = {host::kMbarrierArrival, host::kMbarrierWait, host::kFlagRaise,
                                      host::kFlagWait};
constexpr std::array<const char*, 6> kTrafficNames = {"loads",       "load-bytes", "stores",
                                                      "store-bytes", "atomics",    "atomic-bytes"};
constexpr std::array<const char*, 8> kSharedNames = {"loads",        "load-bytes",    "stores",
                                                     "store-bytes",  "remote-loads",  "atomics",
                                                     "atomic-bytes", "remote-atomics"};
constexpr const char* kPointsInFlight = "points.in-flight";
constexpr const char* kWidestRead = "value.widest-read";
constexpr const char* kWaitsWithCopies = "waits.with-copies-ahead";
constexpr const char* kOverlapped = "cp-async.overlapped";
constexpr const char* kTilesOfAThread = "tiles.of-a-thread";
constexpr const char* kItemsOfAThread = "items.of-a-thread";

std::string dotted(const std::string& a, const std::string& b) { return a + "." + b; }

}  // namespace

const std::array<const char*, Recorder::kBarrierKinds> Recorder::kBarrierNames = {
    "barriers.block", "barriers.named", "barriers.named-arrivals", "barriers.cluster"};

Recorder::Recorder(Subject subject, std::size_t threads)
    : subject_(std::move(subject)),
      shared_(subject_.shared.size() + 1),
      values_read_(threads),
      value_run_(threads),
      rows_(subject_.heads, threads) {}

void Recorder::read_values(const Fiber& fiber, std::size_t bytes) {
  std::size_t& run = value_run_[fiber.number];
  run += bytes;
  longest_run_ = std::max(longest_run_, run);
}

void Recorder::note_read(const Fiber& fiber, std::size_t bytes) {
  widest_read_ = std::max(widest_read_, bytes);
  ++values_read_[fiber.number];
}

void Recorder::access(const Fiber& fiber, const Buffer& buffer, std::uintptr_t address,
                      std::size_t bytes, unsigned kind, unsigned hint, const void* pc) {
  if (buffer.counted_as.empty()) return;
  Traffic& of = traffic_[&buffer];
  const std::size_t at = address - buffer.begin();
  if ((kind & host::kAtomic) != 0) {
    if ((kind & host::kWrite) != 0) return;
    ++of.atomics;
    of.atomic_bytes += bytes;
    reds_.load(fiber.number, fiber.number / kWarpLanes, reinterpret_cast<std::uintptr_t>(pc),
               address, bytes);
    return;
  }
  ++of.hinted[hint];
  if ((kind & host::kWrite) != 0) {
    ++of.stores;
    of.store_bytes += bytes;
    if (buffer.area == Area::kOutput && subject_.output_row_bytes > 0) {
      rows_.write_output(at / subject_.output_row_bytes, fiber.state.block, fiber.number,
                         fiber.tile);
    }
    return;
  }
  ++of.loads;
  of.load_bytes += bytes;
  if (buffer.area == Area::kValue) {
    note_read(fiber, bytes);
    read_values(fiber, bytes);
    requests_.load(fiber.number, fiber.number / kWarpLanes, reinterpret_cast<std::uintptr_t>(pc),
                   address, bytes);
    return;
  }
  read_samples(fiber);
  if (buffer.area == Area::kLocations && subject_.location_row_bytes > 0) {
    rows_.read_samples(at / subject_.location_row_bytes, fiber.tile);
  }
}

std::size_t Recorder::part_of(std::size_t byte) const {
  const auto after = std::upper_bound(
      subject_.shared.begin(), subject_.shared.end(), byte,
      [](std::size_t b, const Subject::SharedPart& part) { return b < part.first; });
  return after == subject_.shared.begin()
             ? subject_.shared.size()
             : static_cast<std::size_t>(after - subject_.shared.begin()) - 1;
}

void Recorder::access_shared(const Fiber& fiber, unsigned rank, std::size_t byte, std::size_t bytes,
                             unsigned kind) {
  const std::size_t part = part_of(byte);
  SharedTraffic& of = shared_[part];
  if ((kind & host::kAtomic) != 0) {
    if ((kind & host::kWrite) != 0) return;
    ++of.atomics;
    of.atomic_bytes += bytes;
    if (rank != fiber.state.cluster_rank) ++of.remote_atomics;
    return;
  }
  if ((kind & host::kWrite) != 0) {
    ++of.stores;
    of.store_bytes += bytes;
    return;
  }
  ++of.loads;
  of.load_bytes += bytes;
  if (rank != fiber.state.cluster_rank) ++of.remote_loads;
  if (part == subject_.shared.size()) return;
  switch (subject_.shared[part].holds) {
    case Subject::Holds::kValues:
      note_read(fiber, bytes);
      read_values(fiber, bytes);
      break;
    case Subject::Holds::kFetched: note_read(fiber, bytes); break;
    case Subject::Holds::kPoints: read_samples(fiber); break;
    case Subject::Holds::kOther: break;
  }
}

void Recorder::copy(const Fiber& fiber, host::CopyKind kind, const Buffer& from, const Copy& copy) {
  if (from.counted_as.empty()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(copy.from);
  Traffic& of = traffic_[&from];
  ++of.copies[kind];
  of.copy_bytes[kind] += copy.bytes;
  if (from.area == Area::kValue) {
    read_values(fiber, copy.bytes);
    if (kind == host::kCpAsync) {
      const auto place = reinterpret_cast<std::uintptr_t>(copy.where.file) +
                         static_cast<std::uintptr_t>(copy.where.line);
      requests_.load(fiber.number, fiber.number / kWarpLanes, place, address, copy.bytes);
    }
  }
  if (from.area == Area::kLocations && subject_.location_row_bytes > 0) {
    rows_.read_samples((address - from.begin()) / subject_.location_row_bytes, fiber.tile);
  }
}

void Recorder::copy_box(const std::vector<Copy>& rows) {
  constexpr std::size_t kPixelsOfPoint = 4;
  if (rows.size() > kPixelsOfPoint) return;
  for (const Copy& row : rows) {
    if (row.from != nullptr) requests_.copy_run(row.bytes);
  }
}

void Recorder::wait_for(const Fiber& fiber, const Copy& copy) {
  if (values_read_[fiber.number] > copy.begun_at) ++overlapped_;
}

void Recorder::barrier(const host::BarrierCall& call) {
  if (call.id == host::kClusterBarrier) {
    ++barriers_[kCluster];
  } else if (call.threads == 0) {
    ++barriers_[kBlock];
  } else {
    ++barriers_[call.waits ? kNamedWaits : kNamedArrivals];
  }
}

void Recorder::event(const Fiber* fiber, host::Event event, std::size_t byte, std::uint64_t times) {
  events_[event] += times;
  if (std::ranges::find(kPlacedEvents, event) != kPlacedEvents.end()) {
    shared_[part_of(byte)].events[event] += times;
  }
  if (event == host::kTextureFetch && fiber != nullptr) {
    note_read(*fiber, kTexelBytes);
    read_values(*fiber, kTexelBytes);
  }
}

void Recorder::end_cluster(const std::vector<Fiber>& fibers) {
  for (const Fiber& fiber : fibers) {
    most_tiles_ = std::max(most_tiles_, fiber.tile);
    most_items_ = std::max(most_items_, fiber.item);
  }
  std::fill(value_run_.begin(), value_run_.end(), 0U);
  rows_.end_cluster();
  requests_.end_cluster();
  reds_.end_cluster();
}

Numbers Recorder::numbers() const {
  Numbers numbers;
  const auto put = [&](const std::string& name, std::uint64_t value) {
    if (value > 0) numbers[name] += static_cast<double>(value);
  };
  for (const auto& [buffer, of] : traffic_) {
    const std::string& area = buffer->counted_as;
    const std::array values = {of.loads,       of.load_bytes, of.stores,
                               of.store_bytes, of.atomics,    of.atomic_bytes};
    for (std::size_t i = 0; i < values.size(); ++i) put(dotted(area, kTrafficNames[i]), values[i]);
    for (std::size_t i = 0; i < kHintNames.size(); ++i) {
      put(dotted(area, kHintNames[i]), of.hinted[i]);
      put(kHintNames[i], of.hinted[i]);
    }
    for (std::size_t i = 0; i < kCopyNames.size(); ++i) {
      put(dotted(area, kCopyNames[i]), of.copies[i]);
      put(dotted(area, dotted(kCopyNames[i], "bytes")), of.copy_bytes[i]);
      put(kCopyNames[i], of.copies[i]);
    }
  }
  for (std::size_t part = 0; part < shared_.size(); ++part) {
    const SharedTraffic& of = shared_[part];
    const bool is_slots = part < subject_.shared.size();
    const std::string name =
        is_slots ? dotted("shared",
                          subject_.slot_names[static_cast<std::size_t>(subject_.shared[part].slot)])
                 : "shared";
    const std::array values = {of.loads,        of.load_bytes, of.stores,       of.store_bytes,
                               of.remote_loads, of.atomics,    of.atomic_bytes, of.remote_atomics};
    for (std::size_t i = 0; i < values.size(); ++i) put(dotted(name, kSharedNames[i]), values[i]);
    for (const host::Event event : kPlacedEvents) {
      if (is_slots) put(dotted(name, kEventNames[event]), of.events[event]);
    }
  }
  for (std::size_t b = 0; b < barriers_.size(); ++b) put(kBarrierNames[b], barriers_[b]);
  for (std::size_t e = 0; e < events_.size(); ++e) put(kEventNames[e], events_[e]);
  put(kWaitsWithCopies, waits_with_copies_);
  put(kOverlapped, overlapped_);
  put(kTilesOfAThread, most_tiles_);
  put(kItemsOfAThread, most_items_);
  put(kWidestRead, widest_read_);
  if (subject_.point_bytes > 0 && longest_run_ > 0) {
    numbers[kPointsInFlight] =
        static_cast<double>(longest_run_) / static_cast<double>(subject_.point_bytes);
  }
  rows_.add_to(numbers);
  requests_.add_to(numbers);
  reds_.add_to(numbers);
  return numbers;
}

std::vector<std::string> Recorder::names(const std::vector<std::string>& tensors,
                                         const std::vector<std::string>& slots) {
  std::vector<std::string> areas = tensors;
  for (const std::string& slot : slots) areas.push_back(dotted("workspace", slot));
  std::vector<std::string> names = {kPointsInFlight, kWidestRead,     kWaitsWithCopies,
                                    kOverlapped,     kTilesOfAThread, kItemsOfAThread};
  for (const std::string& area : areas) {
    for (const char* name : kTrafficNames) names.push_back(dotted(area, name));
    for (const char* name : kHintNames) names.push_back(dotted(area, name));
    for (const char* name : kCopyNames) {
      names.push_back(dotted(area, name));
      names.push_back(dotted(area, dotted(name, "bytes")));
    }
  }
  for (const char* name : kSharedNames) names.push_back(dotted("shared", name));
  for (const std::string& slot : slots) {
    const std::string part = dotted("shared", slot);
    for (const char* name : kSharedNames) names.push_back(dotted(part, name));
    for (const host::Event event : kPlacedEvents) names.push_back(dotted(part, kEventNames[event]));
  }
  for (const auto& more : {Rows::names(), Requests::names("value"), Requests::names("reds")}) {
    names.insert(names.end(), more.begin(), more.end());
  }
  names.insert(names.end(), kHintNames.begin(), kHintNames.end());
  names.insert(names.end(), kCopyNames.begin(), kCopyNames.end());
  names.insert(names.end(), kBarrierNames.begin(), kBarrierNames.end());
  names.insert(names.end(), kEventNames.begin(), kEventNames.end());
  return names;
}

}  // namespace msda::simt
