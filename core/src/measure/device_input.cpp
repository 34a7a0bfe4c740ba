#include "measure/device_input.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "problem/validate.hpp"

namespace msda {
namespace {

constexpr int kPoison = 0xFF;  ///< as a float, half or bfloat16: a NaN
/// On each side of an output; keeps it aligned to a page.
constexpr std::size_t kGuardBytes = 4096;

}  // namespace

DeviceInput::DeviceInput(Device& device, const Input& input) {
  const Problem& problem = input.problem;
  const std::int64_t needed = total_bytes(problem, input.specs);
  if (const std::int64_t free = device.free_bytes(); needed > free) {
    throw EnvironmentError(
        fmt::format("{} needs {:.2f} GB for one input set and {} has {:.2f} GB free; take a "
                    "smaller batch or types",
                    describe(problem), static_cast<double>(needed) / 1e9, device.info().id,
                    static_cast<double>(free) / 1e9));
  }
  for (std::size_t i = 0; i < input.specs.size(); ++i) {
    const TensorSpec& spec = input.specs[i];
    if (!is_there(problem, spec)) continue;
    if (spec.role == TensorSpec::Role::kInput) {
      tensors_.data[i] = place(device, input, {std::string(spec.name), i, {}, {}, {}, false});
    } else if (spec.role == TensorSpec::Role::kOutput && is_asked(problem, i)) {
      const auto bytes = static_cast<std::size_t>(bytes_of(problem, spec));
      guarded_.push_back({&spec, device.allocate(bytes + 2 * kGuardBytes)});
      tensors_.data[i] = static_cast<std::byte*>(guarded_.back().memory->data()) + kGuardBytes;
    }
  }
  std::vector<std::int64_t> shapes;
  for (const Level& level : problem.levels) {
    shapes.push_back(level.height);
    shapes.push_back(level.width);
  }
  const std::vector<std::int64_t> starts = problem.level_starts();
  const auto place_numbers = [&](const char* name, const std::vector<std::int64_t>& numbers) {
    const auto bytes = std::as_bytes(std::span(numbers));
    return static_cast<const std::int64_t*>(place(
        device, input, {name, std::nullopt, Bytes(bytes.begin(), bytes.end()), {}, {}, false}));
  };
  tensors_.shapes = place_numbers("spatial_shapes", shapes);
  tensors_.starts = place_numbers("level_start_index", starts);
}

void* DeviceInput::place(Device& device, const Input& input, Placed placed) {
  const Bytes& content = placed.content(input);
  placed.memory = device.allocate(content.size());
  placed.memory->upload(content.data(), content.size());
  DeviceMemory* const memory = placed.memory.get();
  placed.fingerprint = device.fingerprints({&memory, 1}).front();
  placed_.push_back(std::move(placed));
  return memory->data();
}

const DeviceInput::Placed* DeviceInput::find_placed(std::size_t tensor) const {
  const auto found = std::ranges::find(placed_, std::optional(tensor), &Placed::tensor);
  return found == placed_.end() ? nullptr : &*found;
}

void DeviceInput::add_derived(Device& device, const Operator& op, const Input& input,
                              const Executable& executable) {
  for (std::size_t i = 0; i < input.specs.size(); ++i) {
    const TensorSpec& spec = input.specs[i];
    if (spec.role != TensorSpec::Role::kDerived || tensors_.data[i] != nullptr) continue;
    if (!executable.wants(spec.name)) continue;
    tensors_.data[i] =
        place(device, input, {std::string(spec.name), i, op.derive(input, i), {}, {}, false});
  }
}

std::size_t DeviceInput::output_bytes(std::size_t output) const {
  return guarded_[output].memory->size() - 2 * kGuardBytes;
}

void DeviceInput::poison_outputs() {
  for (const Guarded& output : guarded_) output.memory->fill(kPoison);
}

void DeviceInput::spoil_output(std::size_t output, std::mt19937_64& generator, std::size_t first,
                               std::size_t last) {
  constexpr int kPieces = 8;
  constexpr std::uint64_t kFinite = 0x3F3F3F3F3F3F3F3F;  // no exponent of all ones in any type
  for (int i = 0; i < kPieces; ++i) {
    const std::uint64_t number = generator() & kFinite;
    const std::size_t room = last - first;
    const std::size_t size = std::min(sizeof number, room);
    // The first piece and the last lie at the ends, where a lazy check would look.
    const std::size_t at = i == 0 ? 0 : i == 1 ? room - size : generator() % (room - size + 1);
    guarded_[output].memory->upload_part(kGuardBytes + first + at, &number, size);
  }
}

Bytes DeviceInput::download_output(std::size_t output) const {
  return download_output(output, 0, output_bytes(output));
}

std::vector<Bytes> DeviceInput::download_outputs() const {
  std::vector<Bytes> all;
  for (std::size_t output = 0; output < outputs(); ++output) all.push_back(download_output(output));
  return all;
}

Bytes DeviceInput::download_output(std::size_t output, std::size_t offset,
                                   std::size_t bytes) const {
  Bytes part(bytes);
  guarded_[output].memory->download_part(kGuardBytes + offset, part.data(), part.size());
  return part;
}

std::size_t DeviceInput::written_beside(const Guarded& output) const {
  Bytes guard(kGuardBytes);
  std::size_t written = 0;
  for (const std::size_t offset : {std::size_t{0}, output.memory->size() - kGuardBytes}) {
    output.memory->download_part(offset, guard.data(), guard.size());
    const auto untouched = std::count(guard.begin(), guard.end(), std::byte{kPoison});
    written += guard.size() - static_cast<std::size_t>(untouched);
  }
  return written;
}

std::string DeviceInput::written_beside() const {
  for (const Guarded& output : guarded_) {
    if (const std::size_t beside = written_beside(output); beside > 0) {
      return fmt::format("{} bytes beside the {} were written", beside, output.spec->name);
    }
  }
  return "";
}

}  // namespace msda
