#include "measure/device_input.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "problem/validate.hpp"

namespace msda {
namespace {

constexpr int kPoison = 0xFF;  ///< as a float, half or bfloat16: a NaN
/// On each side of the output; keeps it aligned to a page.
constexpr std::size_t kGuardBytes = 4096;

}  // namespace

DeviceInput::DeviceInput(Device& device, const Input& input) {
  const std::int64_t output_bytes = input.problem.output_elements() *
                                    static_cast<std::int64_t>(size_of(input.problem.types.output));
  const std::int64_t needed =
      static_cast<std::int64_t>(input.value.size() + input.locations.size() +
                                input.weights.size()) +
      output_bytes;
  if (const std::int64_t free = device.free_bytes(); needed > free) {
    throw EnvironmentError(
        fmt::format("{} needs {:.2f} GB for one input set and {} has {:.2f} GB free; take a "
                    "smaller batch or types",
                    describe(input.problem), static_cast<double>(needed) / 1e9, device.info().id,
                    static_cast<double>(free) / 1e9));
  }
  tensors_.value = place(device, input.value.data(), input.value.size());
  tensors_.locations = place(device, input.locations.data(), input.locations.size());
  tensors_.weights = place(device, input.weights.data(), input.weights.size());
  guarded_output_ = device.allocate(static_cast<std::size_t>(output_bytes) + 2 * kGuardBytes);
  tensors_.output = static_cast<std::byte*>(guarded_output_->data()) + kGuardBytes;
  std::vector<std::int64_t> shapes;
  for (const Level& level : input.problem.levels) {
    shapes.push_back(level.height);
    shapes.push_back(level.width);
  }
  const std::vector<std::int64_t> starts = input.problem.level_starts();
  const auto place_numbers = [&](const std::vector<std::int64_t>& numbers) {
    return static_cast<const std::int64_t*>(
        place(device, numbers.data(), numbers.size() * sizeof(std::int64_t)));
  };
  tensors_.shapes = place_numbers(shapes);
  tensors_.starts = place_numbers(starts);
}

void* DeviceInput::place(Device& device, const void* host, std::size_t bytes) {
  memory_.push_back(device.allocate(bytes));
  memory_.back()->upload(host, bytes);
  return memory_.back()->data();
}

void DeviceInput::add_logits(Device& device, const Input& input) {
  if (tensors_.logits != nullptr) return;
  const Bytes logits = logits_of(input);
  tensors_.logits = place(device, logits.data(), logits.size());
}

std::size_t DeviceInput::output_bytes() const { return guarded_output_->size() - 2 * kGuardBytes; }

void DeviceInput::poison_output() { guarded_output_->fill(kPoison); }

void DeviceInput::spoil_output(std::mt19937_64& generator, std::size_t first, std::size_t last) {
  constexpr int kPieces = 8;
  constexpr std::uint64_t kFinite = 0x3F3F3F3F3F3F3F3F;  // no exponent of all ones in any type
  for (int i = 0; i < kPieces; ++i) {
    const std::uint64_t number = generator() & kFinite;
    const std::size_t room = last - first;
    const std::size_t size = std::min(sizeof number, room);
    // The first piece and the last lie at the ends, where a lazy check would look.
    const std::size_t at = i == 0 ? 0 : i == 1 ? room - size : generator() % (room - size + 1);
    guarded_output_->upload_part(kGuardBytes + first + at, &number, size);
  }
}

Bytes DeviceInput::download_output() const { return download_output(0, output_bytes()); }

Bytes DeviceInput::download_output(std::size_t offset, std::size_t bytes) const {
  Bytes part(bytes);
  guarded_output_->download_part(kGuardBytes + offset, part.data(), part.size());
  return part;
}

std::size_t DeviceInput::written_beside_output() const {
  Bytes guard(kGuardBytes);
  std::size_t written = 0;
  for (const std::size_t offset : {std::size_t{0}, guarded_output_->size() - kGuardBytes}) {
    guarded_output_->download_part(offset, guard.data(), guard.size());
    const auto untouched = std::count(guard.begin(), guard.end(), std::byte{kPoison});
    written += guard.size() - static_cast<std::size_t>(untouched);
  }
  return written;
}

}  // namespace msda
