#include "device/host/device.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <set>
#include <sstream>
#include <thread>

#include "device/host/ceilings.hpp"
#include "device/host/clock_check.hpp"
#include "device/host/held_signals.hpp"
#include "files/read.hpp"
#include "hash.hpp"

namespace msda {
namespace {

std::int64_t system_bytes(int pages_name) {
  const long pages = sysconf(pages_name);
  const long page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::int64_t>(pages) * page : 0;
}

std::string processor_name() {
  std::istringstream info(read_text_if_there("/proc/cpuinfo").value_or(""));
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

/// What the kernel says can be taken without swapping; free pages alone leave out the page cache.
std::int64_t available_bytes() {
  std::istringstream info(read_text_if_there("/proc/meminfo").value_or(""));
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("MemAvailable:")) return std::stoll(line.substr(13)) * 1024;
  }
  return system_bytes(_SC_AVPHYS_PAGES);
}

/// Pages of its own, so that vector loads never straddle, timing does not depend on luck, and what
/// a launch may only read can be mapped so.
class HostMemory final : public DeviceMemory {
 public:
  static constexpr std::align_val_t kAlignment{4096};
  using All = std::set<HostMemory*>;
  HostMemory(std::size_t bytes, std::shared_ptr<All> all)
      : data_(::operator new(whole_pages(bytes), kAlignment)), bytes_(bytes), all_(std::move(all)) {
    all_->insert(this);
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() override {
    all_->erase(this);
    ::operator delete(data_, kAlignment);
  }
  /// Whatever code has made of its pages' rights.
  void make_writable() { ::mprotect(data_, whole_pages(bytes_), PROT_READ | PROT_WRITE); }

  void* data() override { return data_; }
  std::size_t size() const override { return bytes_; }
  void upload(const void* host, std::size_t bytes) override {
    check_size(bytes);
    std::memcpy(data_, host, bytes);
  }
  void download(void* host, std::size_t bytes) const override {
    check_size(bytes);
    std::memcpy(host, data_, bytes);
  }
  void download_part(std::size_t offset, void* host, std::size_t bytes) const override {
    check_part(offset, bytes);
    std::memcpy(host, static_cast<const std::byte*>(data_) + offset, bytes);
  }
  void upload_part(std::size_t offset, const void* host, std::size_t bytes) override {
    check_part(offset, bytes);
    std::memcpy(static_cast<std::byte*>(data_) + offset, host, bytes);
  }
  void fill(int byte) override { std::memset(data_, byte, bytes_); }

 private:
  static constexpr std::size_t whole_pages(std::size_t bytes) {
    constexpr auto kPage = static_cast<std::size_t>(kAlignment);
    return (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  }

  void* data_;
  std::size_t bytes_;
  std::shared_ptr<All> all_;
};

class HostDevice final : public Device {
 public:
  const DeviceInfo& info() const override { return info_; }
  /// Of what code may set for the code after it: that memory cannot be written to, or read.
  std::unique_ptr<const DeviceSettings> settings() override {
    return std::make_unique<DeviceSettings>();
  }
  void apply(const DeviceSettings&) override {
    for (HostMemory* const one : *memory_) one->make_writable();
  }
  std::int64_t free_bytes() const override { return available_bytes(); }
  std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
    return std::make_unique<HostMemory>(bytes, memory_);
  }
  std::vector<std::string> fingerprints(std::span<DeviceMemory* const> memory) override {
    std::vector<std::string> hashes;
    for (DeviceMemory* const one : memory) {
      hashes.push_back(Hash().add(one->data(), one->size()).hex());
    }
    return hashes;
  }
  Stream stream() const override { return nullptr; }
  void synchronize() override {
    if (!has_clock_) throw Error("the clock of this process was changed");
  }

  /// What runs on a CPU is a whole kernel, compiled with its plugin.
  Build compile(const Composition& composition, const Problem& problem) override {
    if (const auto reason = composition.unsupported(problem, info_)) throw Unsupported(*reason);
    return {};
  }

  Prepared load(const Composition& composition, const Problem& problem, const Build&) override {
    clocks_.clear();  // another arm may have the address of one before
    return make_prepared(
        composition.kernel()->prepare(problem, info_, composition.parts().front().parameters));
  }

  std::string mode_unsupported(TimingMode mode) const override {
    return traits_of(mode).in_graph ? "a CPU has no graphs to launch" : "";
  }

  std::vector<std::vector<double>> time_parts(TimingMode mode, int samples, int parts,
                                              const std::function<void(int, int)>& launch,
                                              LaunchWatch* watch) override {
    if (const std::string reason = mode_unsupported(mode); !reason.empty())
      throw Unsupported(reason);
    std::vector<std::vector<double>> seconds(static_cast<std::size_t>(parts));
    HeldSignals signals;
    ClockCheck of_series;
    const void* const arm = watch == nullptr ? nullptr : watch->arm();
    ClockCheck& clock = arm == nullptr ? of_series : clocks_[arm];
    clock.begin_series(static_cast<std::size_t>(samples) * seconds.size());
    for (int i = 0; i < samples; ++i) {
      if (traits_of(mode).flushes_caches) flush();
      // Behind the flush, in which threads of the arm would have time to see what is other now.
      if (watch != nullptr) watch->before(i);
      for (int part = 0; part < parts; ++part) {
        signals.keep_waiting();
        clock.begin(signals);
        signals.release();
        const auto start = std::chrono::steady_clock::now();
        launch(i, part);
        const auto stop = std::chrono::steady_clock::now();
        signals.hold();
        const double passed = std::chrono::duration<double>(stop - start).count();
        clock.end(passed);
        seconds[static_cast<std::size_t>(part)].push_back(passed);
      }
      if (watch != nullptr) watch->after(i);
    }
    has_clock_ = false;
    clock.require_agreement();
    has_clock_ = true;
    return seconds;
  }

  std::map<std::string, std::string> provenance() const override {
    return {{"processor", info_.name}};
  }
  Ceilings measure_ceilings() override { return measure_host_ceilings(); }

 private:
  /// Writes twice the last-level cache, so that what a launch reads comes from memory.
  void flush() {
    if (flush_buffer_.empty()) flush_buffer_.resize(static_cast<std::size_t>(2 * info_.l2_bytes));
    std::memset(flush_buffer_.data(), ++flush_value_, flush_buffer_.size());
  }

  DeviceInfo info_ = host_info();
  std::shared_ptr<HostMemory::All> memory_ = std::make_shared<HostMemory::All>();
  bool has_clock_ = true;                     ///< that times launches as the system's does
  std::map<const void*, ClockCheck> clocks_;  ///< by LaunchWatch::arm()
  std::vector<unsigned char> flush_buffer_;
  unsigned char flush_value_ = 0;
};

}  // namespace

DeviceInfo host_info() {
  constexpr std::int64_t kUsualLastLevelCache = 32LL << 20;
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  DeviceInfo info;
  info.id = "cpu";
  info.name = processor_name();
  info.kind = DeviceKind::kCpu;
  info.multiprocessors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  info.memory_bytes = system_bytes(_SC_PHYS_PAGES);
  info.l2_bytes = cache > 0 ? cache : kUsualLastLevelCache;
  return info;
}

std::unique_ptr<Device> open_host() { return std::make_unique<HostDevice>(); }

}  // namespace msda
