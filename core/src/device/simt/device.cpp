#include "device/simt/device.hpp"

#include <fmt/format.h>

#include <charconv>
#include <mutex>
#include <utility>

#include "device/host/device.hpp"
#include "device/simt/executable.hpp"
#include "device/simt/group.hpp"
#include "device/split.hpp"

namespace msda {
namespace {

constexpr const char* kMeasuresNothing =
    "the device simt checks kernels and measures nothing: its time says nothing of a GPU's";

class SimtDevice final : public Device {
 public:
  SimtDevice(const simt::Options& options, DeviceInfo info)
      : info_(std::move(info)), options_(options) {}

  const DeviceInfo& info() const override { return info_; }
  std::int64_t free_bytes() const override { return host_->free_bytes(); }
  std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
    return std::make_unique<SimtMemory>(bytes);
  }
  Stream stream() const override { return nullptr; }
  void synchronize() override {}

  Build compile(const Composition& composition, const Problem& problem) override {
    if (const auto reason = composition.unsupported(problem, info_)) throw Unsupported(*reason);
    return compile_unit(compiler(), composition, problem);
  }

  Prepared load(const Composition& composition, const Problem& problem,
                const Build& build) override {
    if (composition.placement()) {
      auto group = make_simt_group(options_, info_, composition.device_count());
      return load_split(std::move(group), composition, problem, build);
    }
    auto executable =
        std::make_unique<SimtExecutable>(*build.unit, composition.op(), problem, info_, options_);
    const ResourceUse resources = executable->resources();
    return make_prepared(std::move(executable), resources);
  }

  std::string mode_unsupported(TimingMode) const override { return kMeasuresNothing; }
  std::vector<std::vector<double>> time_parts(TimingMode, int, int,
                                              const std::function<void(int, int)>&,
                                              LaunchWatch*) override {
    throw Unsupported(kMeasuresNothing);
  }
  Ceilings measure_ceilings() override { throw Unsupported(kMeasuresNothing); }

  std::map<std::string, std::string> provenance() const override {
    std::map<std::string, std::string> names = host_->provenance();
    names["host_compiler"] = compiler().version();
    return names;
  }

 private:
  /// Made when it is first needed: a machine without a compiler may list its devices.
  const HostCompiler& compiler() const {
    const std::lock_guard lock(compiler_mutex_);
    if (!compiler_) compiler_.emplace();
    return *compiler_;
  }

  DeviceInfo info_;
  simt::Options options_;
  std::unique_ptr<Device> host_ = open_host();
  mutable std::mutex compiler_mutex_;
  mutable std::optional<HostCompiler> compiler_;
};

}  // namespace

std::optional<simt::Options> parse_simt(std::string_view id) {
  constexpr std::string_view kName = "simt";
  constexpr std::string_view kRaces = ":races";
  if (!id.starts_with(kName)) return std::nullopt;
  id.remove_prefix(kName.size());
  simt::Options options;
  if (id.empty()) return options;
  if (id.front() != ':') return std::nullopt;
  id.remove_prefix(1);
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), options.seed);
  if (error != std::errc()) return std::nullopt;
  id.remove_prefix(static_cast<std::size_t>(end - id.data()));
  options.races = id == kRaces;
  if (!id.empty() && !options.races) return std::nullopt;
  return options;
}

DeviceInfo simt_info(const simt::Options& options) {
  DeviceInfo info = host_info();
  info.id = options.races       ? fmt::format("simt:{}:races", options.seed)
            : options.seed != 0 ? fmt::format("simt:{}", options.seed)
                                : "simt";
  info.name = "SIMT executor";
  info.kind = DeviceKind::kSimt;
  // As the largest GPU that kernels are written for, with few multiprocessors: a grid of resident
  // blocks stays small.
  info.compute_capability = 90;
  info.multiprocessors = 2;
  info.shared_bytes = 227 << 10;
  return info;
}

std::unique_ptr<Device> open_simt(const simt::Options& options) {
  return open_simt(options, simt_info(options));
}

std::unique_ptr<Device> open_simt(const simt::Options& options, const DeviceInfo& info) {
  return std::make_unique<SimtDevice>(options, info);
}

}  // namespace msda
