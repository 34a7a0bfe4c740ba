#include "conformance/offsets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "conformance/conformance.hpp"
#include "conformance/tiles.hpp"
#include "device/simt/device.hpp"
#include "device/simt/executable.hpp"
#include "problem/validate.hpp"
#include "reference/reference.hpp"

namespace msda {
namespace {

/// For as many resident blocks as any of its launches has items.
constexpr int kMultiprocessors = 150'000'000;

/// The last image of the vast problem, as a problem of its own.
const Case& last_image() {
  static const Case kCase = [] {
    AwkwardProblem awkward = tile_problems().front();
    awkward.problem.batch = 1;
    awkward.problem.queries = vast_problem().queries;
    return make_cases({awkward}).front();
  }();
  return kCase;
}

/// A tensor of the whole batch of which only the last image is there.
class VastTensor {
 public:
  explicit VastTensor(std::size_t image_bytes)
      : memory_(image_bytes * static_cast<std::size_t>(vast_problem().batch)),
        image_(static_cast<std::byte*>(memory_.data()) + memory_.size() - image_bytes),
        image_bytes_(image_bytes) {}
  explicit VastTensor(const Bytes& image) : VastTensor(image.size()) {
    std::copy(image.begin(), image.end(), image_);
  }
  void* data() { return memory_.data(); }
  std::byte* image() { return image_; }
  std::size_t image_bytes() const { return image_bytes_; }

 private:
  SimtMemory memory_;
  std::byte* image_;
  std::size_t image_bytes_;
};

/// The rows that were written, compared with what they should be.
std::string compare_written(const Composition& composition, VastTensor& output) {
  const Case& whole = last_image();
  const auto channels = static_cast<std::size_t>(whole.problem.channels);
  const std::size_t row_bytes = channels * size_of(whole.problem.types.output);
  const std::size_t rows = output.image_bytes() / row_bytes;
  const std::vector<double> reference =
      composition.computes() == Computes::kCopy ? copy_reference(whole.input) : whole.reference;
  Bytes written;
  std::vector<double> expected;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::byte* from = output.image() + row * row_bytes;
    if (std::all_of(from, from + row_bytes, [](std::byte b) { return b == std::byte{0xFF}; })) {
      continue;
    }
    written.insert(written.end(), from, from + row_bytes);
    const double* right = reference.data() + row * channels;
    expected.insert(expected.end(), right, right + channels);
  }
  if (expected.size() != reference.size()) {
    return fmt::format("{} of {} rows of the last image were written", expected.size() / channels,
                       rows);
  }
  const Problem& part = whole.problem;
  const Comparison comparison = compare(part, written, expected);
  const double tolerance = composition.tolerance(part);
  if (comparison.not_written == 0 && comparison.relative_l2 <= tolerance) return "";
  return fmt::format("relative L2 error {:.2e} of the last image exceeds {:.0e}",
                     comparison.relative_l2, tolerance);
}

}  // namespace

const Problem& vast_problem() {
  static const Problem kProblem = [] {
    Problem problem = tile_problems().front().problem;
    problem.batch = 1 << 19;
    problem.queries = 1367;
    problem.name = describe(problem);
    return problem;
  }();
  return kProblem;
}

std::string wrong_with_offsets(const Composition& composition, const Build& build) {
  const Problem& problem = vast_problem();
  const Case& image = last_image();
  simt::Options options;
  options.last_image = true;
  DeviceInfo device = simt_info(options);
  device.multiprocessors = kMultiprocessors;
  if (const auto reason = composition.unsupported(problem, device)) throw Unsupported(*reason);
  SimtExecutable executable(*build.unit, problem, device, options);
  VastTensor value(image.input.value);
  VastTensor locations(image.input.locations);
  VastTensor weights(image.input.weights);
  VastTensor output(static_cast<std::size_t>(image.problem.output_elements()) *
                    size_of(image.problem.types.output));
  std::fill_n(output.image(), output.image_bytes(), std::byte{0xFF});
  executable.launch({value.data(), locations.data(), weights.data(), output.data()}, nullptr);
  return compare_written(composition, output);
}

}  // namespace msda
