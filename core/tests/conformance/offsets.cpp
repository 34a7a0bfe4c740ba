#include "conformance/offsets.hpp"

#include <algorithm>
#include <cstring>

#include "conformance/conformance.hpp"
#include "conformance/tiles.hpp"
#include "device/simt/device.hpp"
#include "device/simt/executable.hpp"
#include "measure/verify.hpp"
#include "problem/validate.hpp"

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

/// What is wrong with the last image, or "".
std::string wrong_with_image(const Composition& composition, VastTensor& output) {
  const Case& whole = last_image();
  const bool copies = composition.computes() == Computes::kCopy;
  const Bytes written(output.image(), output.image() + output.image_bytes());
  const Verdict verdict = judge(composition, whole.problem,
                                copies ? make_copy_truth(whole.input) : whole.truth, written);
  return verdict.right ? "" : "of the last image: " + verdict.reason;
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
  return wrong_with_image(composition, output);
}

}  // namespace msda
