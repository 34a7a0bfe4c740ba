#include "conformance/offsets.hpp"

#include <algorithm>
#include <cstring>

#include <msda/operators/forward.hpp>
#include "conformance/conformance.hpp"
#include "conformance/tiles.hpp"
#include "device/simt/device.hpp"
#include "device/simt/executable.hpp"
#include "measure/verify.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

/// The fewer queries an image has, the sooner its test ends, and the more images there must be.
constexpr std::int64_t kFewQueries = 685;
constexpr std::int64_t kManyQueries = 2 * kFewQueries;

/// The last image of a vast problem, as a problem of its own.
const Case& last_image(const Problem& vast) {
  static const std::vector<Case> kCases = [] {
    std::vector<AwkwardProblem> images(2, tile_problems().front());
    for (AwkwardProblem& image : images) image.problem.batch = 1;
    images[0].problem.queries = kFewQueries;
    images[1].problem.queries = kManyQueries;
    return make_cases(images);
  }();
  return kCases[vast.queries == kFewQueries ? 0 : 1];
}

/// A tensor of the whole batch of which only the last image is there.
class VastTensor {
 public:
  VastTensor(std::size_t image_bytes, std::int64_t batch)
      : memory_(image_bytes * static_cast<std::size_t>(batch)),
        image_(static_cast<std::byte*>(memory_.data()) + memory_.size() - image_bytes),
        image_bytes_(image_bytes) {}
  VastTensor(const Bytes& image, std::int64_t batch) : VastTensor(image.size(), batch) {
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
std::string wrong_with_image(const Composition& composition, const Case& whole,
                             VastTensor& output) {
  const Bytes written(output.image(), output.image() + output.image_bytes());
  const Verdict verdict =
      judge(composition, whole.problem, truths_of(whole, composition), {written});
  return verdict.right ? "" : "of the last image: " + verdict.reason;
}

/// Side of the vast image's first level; a power of two, so that locations in it are exact.
constexpr std::int64_t kSide = 8192;

/// Calls change(location, i) for each coordinate in the first level.
template <class Change>
void change_first_level(const Problem& problem, Bytes& bytes, const Change& change) {
  auto* locations = reinterpret_cast<float*>(bytes.data());
  const std::int64_t of_level = 2 * problem.points;
  const std::int64_t of_row = of_level * problem.level_count();
  for (std::int64_t i = 0; i < elements(problem, forward::kLocations); ++i) {
    if (i % of_row < of_level) change(locations[i], i);
  }
}

/// The stand-in for the vast image: its first level has the 2x2 pixels of the vast one's lower
/// right corner, and all its points are on these four or in the middle between them.
const Case& corner_of_image() {
  static const Case kCase = [] {
    AwkwardProblem awkward = tile_problems().front();
    Problem& problem = awkward.problem;
    problem.levels.front() = {2, 2};
    problem.types.location = DType::kFloat32;
    problem.name = describe(problem);
    Case one;
    one.problem = problem;
    one.input = make_input(awkward);
    change_first_level(problem, one.input.at("locations"), [](float& location, std::int64_t i) {
      location = 0.25F + 0.25F * static_cast<float>(i * 7 % 3);
    });
    one.truths = make_truths(find_operator("forward"), one.input);
    return one;
  }();
  return kCase;
}

/// The stand-in's locations, as the vast image has them.
Bytes locations_in_image(const Case& corner) {
  Bytes bytes = corner.input.at("locations");
  change_first_level(corner.problem, bytes, [](float& location, std::int64_t) {
    location = (static_cast<float>(kSide - 2) + 2 * location) / static_cast<float>(kSide);
  });
  return bytes;
}

/// The stand-in's values at their places in the vast image; nothing else of it is ever touched.
void put_values(const Case& corner, std::byte* image) {
  const std::size_t pixel =
      static_cast<std::size_t>(corner.problem.heads * corner.problem.channels) *
      size_of(corner.problem.types.value);
  const std::byte* from = corner.input.at("value").data();
  const std::byte* const end = from + corner.input.at("value").size();
  for (std::int64_t y = 0; y < 2; ++y, from += 2 * pixel) {
    const std::int64_t first = (kSide - 2 + y) * kSide + kSide - 2;
    std::copy_n(from, 2 * pixel, image + static_cast<std::size_t>(first) * pixel);
  }
  std::copy(from, end, image + static_cast<std::size_t>(kSide * kSide) * pixel);
}

}  // namespace

Problem vast_image() {
  Problem problem = corner_of_image().problem;
  problem.levels.front() = {kSide, kSide};
  problem.name = describe(problem);
  return problem;
}

std::string wrong_with_vast_image(const Composition& composition, const Build& build) {
  const Problem problem = vast_image();
  const Case& corner = corner_of_image();
  SimtMemory value(static_cast<std::size_t>(elements(problem, forward::kValue)) *
                   size_of(problem.types.value));
  put_values(corner, static_cast<std::byte*>(value.data()));
  Bytes locations = locations_in_image(corner);
  Bytes weights = corner.input.at("weights");
  Bytes output(
      static_cast<std::size_t>(elements(problem, forward::kOutput)) * size_of(problem.types.output),
      std::byte{0xFF});
  SimtExecutable executable(*build.unit, composition.op(), problem, simt_info({}), {});
  Tensors tensors;
  tensors.data = {value.data(), locations.data(), weights.data(), output.data()};
  executable.launch(tensors, nullptr);
  const Verdict verdict = judge(composition, corner.problem, corner.truths, {output});
  return verdict.right ? "" : "of the vast image: " + verdict.reason;
}

Problem vast_problem(const Composition& composition) {
  Problem problem = tile_problems().front().problem;
  problem.batch = fills_slot(composition, "schedule") ? 1 << 20 : 1 << 22;
  problem.queries = kFewQueries;
  if (fills_slot(composition, "layout") || has_trait(composition, "encodes-values")) {
    // The pre-pass has workers for all pixels of as many images.
    problem.batch /= 2;
    problem.queries = kManyQueries;
  }
  problem.name = describe(problem);
  return problem;
}

DeviceInfo device_of_vast_problem() {
  DeviceInfo device = simt_info({.last_image = true});
  device.multiprocessors = 200'000'000;
  return device;
}

std::string wrong_with_offsets(const Composition& composition, const Build& build) {
  const Problem problem = vast_problem(composition);
  const Case& image = last_image(problem);
  SimtExecutable executable(*build.unit, composition.op(), problem, device_of_vast_problem(),
                            {.last_image = true});
  VastTensor value(image.input.at("value"), problem.batch);
  VastTensor locations(image.input.at("locations"), problem.batch);
  VastTensor weights(image.input.at("weights"), problem.batch);
  VastTensor output(static_cast<std::size_t>(elements(image.problem, forward::kOutput)) *
                        size_of(image.problem.types.output),
                    problem.batch);
  std::fill_n(output.image(), output.image_bytes(), std::byte{0xFF});
  Tensors tensors;
  tensors.data = {value.data(), locations.data(), weights.data(), output.data()};
  executable.launch(tensors, nullptr);
  return wrong_with_image(composition, image, output);
}

}  // namespace msda
