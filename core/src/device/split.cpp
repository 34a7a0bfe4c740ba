#include "device/split.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hash.hpp"

namespace msda {
namespace {

/// The group's device i while this lives, and the first one after it.
class OnDevice {
 public:
  OnDevice(DeviceGroup& group, std::size_t i) : group_(group) { group_.use(i); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { group_.use(0); }

 private:
  DeviceGroup& group_;
};

bool is_split(const TensorSpec& spec) { return spec.axes[0] == Axis::kBatch; }

}  // namespace

SplitExecutable::SplitExecutable(std::unique_ptr<DeviceGroup> group, const Composition& composition,
                                 const Problem& problem, const Build& build)
    : group_(std::move(group)),
      problem_(problem),
      specs_(composition.op().tensors()),
      gather_(composition.gather()) {
  const Composition code = composition.on_one_device();
  const auto devices = static_cast<std::int64_t>(group_->size());
  if (gather_ == Placement::Gather::kWritten) group_->reach_first();
  for (std::int64_t i = 0; i < devices; ++i) {
    const std::int64_t first = problem.batch * i / devices;
    Problem share = problem;
    share.batch = problem.batch * (i + 1) / devices - first;
    const auto number = static_cast<std::size_t>(i);
    const OnDevice on(*group_, number);
    Prepared prepared = group_->device(number).load(code, share, build);
    shares_.push_back({first, std::move(share), std::move(prepared)});
  }
}

/// Where the share's images begin in a tensor of all images, in bytes; 0 for one that has no
/// images.
std::size_t SplitExecutable::first_byte(const TensorSpec& spec, const Share& share) const {
  if (!is_split(spec)) return 0;
  return static_cast<std::size_t>(bytes_of(problem_, spec) / problem_.batch * share.first_image);
}

/// The first device's share lies where it is, and so does what is not of images.
Tensors SplitExecutable::place_share(const Tensors& whole, std::size_t i, Bound& bound) {
  const Share& share = shares_[i];
  Device& device = group_->device(i);
  const auto allocate = [&](std::size_t bytes) {
    bound.memory.push_back(device.allocate(bytes));
    return bound.memory.back()->data();
  };
  const auto copied = [&](const void* from, std::size_t bytes) {
    void* const to = allocate(bytes);
    group_->copy(to, from, bytes);
    return to;
  };
  const auto numbers = [&](const std::int64_t* from, std::size_t count) {
    if (i == 0 || from == nullptr) return from;
    return static_cast<const std::int64_t*>(copied(from, count * sizeof(std::int64_t)));
  };
  Tensors tensors;
  tensors.shapes = numbers(whole.shapes, 2 * problem_.levels.size());
  tensors.starts = numbers(whole.starts, problem_.levels.size());
  for (std::size_t number = 0; number < specs_.size(); ++number) {
    const TensorSpec& spec = specs_[number];
    if (whole[number] == nullptr) continue;
    std::byte* const own = static_cast<std::byte*>(whole[number]) + first_byte(spec, share);
    const auto bytes = static_cast<std::size_t>(bytes_of(share.problem, spec));
    if (spec.role == TensorSpec::Role::kOutput) {
      const bool apart = i > 0 && gather_ == Placement::Gather::kCopied;
      tensors.data[number] = apart ? allocate(bytes) : own;
    } else {
      tensors.data[number] = i == 0 ? own : copied(own, bytes);
    }
  }
  return tensors;
}

void SplitExecutable::bind(const Tensors& tensors) {
  const auto known = [&](const Bound& bound) { return bound.whole == tensors.data; };
  if (std::ranges::any_of(bound_, known)) return;
  Bound bound{tensors.data, {}, {}};
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const OnDevice on(*group_, i);
    bound.tensors.push_back(place_share(tensors, i, bound));
    shares_[i].prepared.executable->bind(bound.tensors.back());
  }
  bound_.push_back(std::move(bound));
}

const SplitExecutable::Bound& SplitExecutable::bound(const Tensors& tensors) const {
  for (const Bound& bound : bound_) {
    if (bound.whole == tensors.data) return bound;
  }
  throw Error("a launch on several devices, of tensors that were not bound");
}

void SplitExecutable::gather_outputs(const Tensors& whole, const Tensors& own, std::size_t i) {
  for (std::size_t number = 0; number < specs_.size(); ++number) {
    const TensorSpec& spec = specs_[number];
    if (spec.role != TensorSpec::Role::kOutput || whole[number] == nullptr) continue;
    group_->enqueue_copy(i, static_cast<std::byte*>(whole[number]) + first_byte(spec, shares_[i]),
                         own[number], static_cast<std::size_t>(bytes_of(shares_[i].problem, spec)));
  }
}

/// The others first: the first device has less of a way to its kernel.
void SplitExecutable::launch(const Tensors& tensors, Stream stream) {
  const Bound& set = bound(tensors);
  group_->fork(stream);
  for (std::size_t i = 1; i < shares_.size(); ++i) {
    const OnDevice on(*group_, i);
    shares_[i].prepared.executable->launch(set.tensors[i], group_->device(i).stream());
    if (gather_ == Placement::Gather::kCopied) gather_outputs(tensors, set.tensors[i], i);
  }
  shares_.front().prepared.executable->launch(set.tensors.front(), stream);
  group_->join(stream);
}

ResourceUse SplitExecutable::resources() const {
  ResourceUse use = shares_.front().prepared.resources;
  if (!use.code_hash.empty()) {
    use.code_hash = hash_hex(fmt::format("{} on {} devices, gathered in way {}", use.code_hash,
                                         size(), static_cast<int>(gather_)));
  }
  return use;
}

Prepared load_split(std::unique_ptr<DeviceGroup> group, const Composition& composition,
                    const Problem& problem, const Build& build) {
  auto executable =
      std::make_unique<SplitExecutable>(std::move(group), composition, problem, build);
  const ResourceUse resources = executable->resources();
  return make_prepared(std::move(executable), resources);
}

}  // namespace msda
