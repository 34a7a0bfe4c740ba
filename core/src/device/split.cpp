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

std::size_t bytes_of(std::int64_t elements, DType type) {
  return static_cast<std::size_t>(elements) * size_of(type);
}

}  // namespace

SplitExecutable::SplitExecutable(std::unique_ptr<DeviceGroup> group, const Composition& composition,
                                 const Problem& problem, const Build& build)
    : group_(std::move(group)), problem_(problem), gather_(composition.gather()) {
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

std::size_t SplitExecutable::output_bytes(const Problem& problem) const {
  return bytes_of(problem.output_elements(), problem.types.output);
}

/// The first device's share lies where it is, and so does what is not of images.
Tensors SplitExecutable::place_share(const Tensors& whole, std::size_t i, Bound& bound) {
  const Share& share = shares_[i];
  const Types& types = problem_.types;
  Device& device = group_->device(i);
  const auto allocate = [&](std::size_t bytes) {
    bound.memory.push_back(device.allocate(bytes));
    return bound.memory.back()->data();
  };
  /// Where images begin in a tensor with `bytes` of all images.
  const auto first_byte = [&](std::size_t bytes) {
    return bytes / static_cast<std::size_t>(problem_.batch) *
           static_cast<std::size_t>(share.first_image);
  };
  const auto copied = [&](const void* from, std::size_t bytes) -> void* {
    void* const to = allocate(bytes);
    group_->copy(to, from, bytes);
    return to;
  };
  const auto part = [&](const void* tensor, std::int64_t all, std::int64_t own, DType type) {
    if (i == 0 || tensor == nullptr) return tensor;
    const auto* from = static_cast<const std::byte*>(tensor) + first_byte(bytes_of(all, type));
    return static_cast<const void*>(copied(from, bytes_of(own, type)));
  };
  const auto numbers = [&](const std::int64_t* from, std::size_t count) {
    if (i == 0 || from == nullptr) return from;
    return static_cast<const std::int64_t*>(copied(from, count * sizeof(std::int64_t)));
  };
  const Problem& own = share.problem;
  Tensors tensors;
  tensors.value = part(whole.value, problem_.value_elements(), own.value_elements(), types.value);
  tensors.locations =
      part(whole.locations, problem_.location_elements(), own.location_elements(), types.location);
  tensors.weights =
      part(whole.weights, problem_.weight_elements(), own.weight_elements(), types.weight);
  tensors.logits =
      part(whole.logits, problem_.weight_elements(), own.weight_elements(), types.weight);
  tensors.shapes = numbers(whole.shapes, 2 * problem_.levels.size());
  tensors.starts = numbers(whole.starts, problem_.levels.size());
  tensors.output = static_cast<std::byte*>(whole.output) + first_byte(output_bytes(problem_));
  if (i > 0 && gather_ == Placement::Gather::kCopied) tensors.output = allocate(output_bytes(own));
  return tensors;
}

void SplitExecutable::bind(const Tensors& tensors) {
  const auto known = [&](const Bound& bound) { return bound.output == tensors.output; };
  if (std::ranges::any_of(bound_, known)) return;
  Bound bound{tensors.output, {}, {}};
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const OnDevice on(*group_, i);
    bound.tensors.push_back(place_share(tensors, i, bound));
    shares_[i].prepared.executable->bind(bound.tensors.back());
  }
  bound_.push_back(std::move(bound));
}

const SplitExecutable::Bound& SplitExecutable::bound(const Tensors& tensors) const {
  for (const Bound& bound : bound_) {
    if (bound.output == tensors.output) return bound;
  }
  throw Error("a launch on several devices, of tensors that were not bound");
}

/// The others first: the first device has less of a way to its kernel.
void SplitExecutable::launch(const Tensors& tensors, Stream stream) {
  const Bound& set = bound(tensors);
  group_->fork(stream);
  for (std::size_t i = 1; i < shares_.size(); ++i) {
    const OnDevice on(*group_, i);
    shares_[i].prepared.executable->launch(set.tensors[i], group_->device(i).stream());
    if (gather_ == Placement::Gather::kCopied) {
      const auto rows = static_cast<std::size_t>(shares_[i].first_image);
      const std::size_t image = output_bytes(problem_) / static_cast<std::size_t>(problem_.batch);
      group_->enqueue_copy(i, static_cast<std::byte*>(tensors.output) + rows * image,
                           set.tensors[i].output, output_bytes(shares_[i].problem));
    }
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
