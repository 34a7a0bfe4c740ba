#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "input/elements.hpp"
#include "operators/backward/backward.hpp"
#include "operators/fused_backward/fused_backward.hpp"
#include "parallel.hpp"
#include "reference/image.hpp"

namespace msda::fused_backward {
namespace {

/// The input of `fused` with the same points.
std::shared_ptr<const Input> points_of(const Input& input) {
  Problem problem = input.problem;
  problem.unasked = 0;
  problem.padding = false;  // of what points read, not of where they are
  auto points = std::make_shared<Input>(problem, fused::kTensors);
  points->tensors[fused::kOffsets] = input.tensors[kOffsets];
  points->tensors[fused::kLogits] = input.tensors[kLogits];
  points->tensors[fused::kReferences] = input.tensors[kReferences];
  return points;
}

void find_weight_errors(const std::vector<double>& of_row, backward::PointList& list) {
  const double largest = *std::ranges::max_element(of_row);
  for (std::size_t i = 0; i < list.weights.size(); ++i) {
    list.weight_errors[i] =
        fused::weight_error(largest, list.weights[i], kArithmetic.weights.times);
  }
}

/// Different places among points spread evenly over the input.
double count_places(const Problem& problem, const backward::ReadPoints& read) {
  constexpr std::int64_t kMost = 4096;
  const std::int64_t of_row = problem.row_points();
  const std::int64_t count = problem.batch * problem.queries * problem.heads * of_row;
  const std::int64_t sampled = std::min(count, kMost);
  std::set<std::pair<float, float>> places;
  backward::PointList one(1);
  for (std::int64_t i = 0; i < sampled; ++i) {
    const std::int64_t number = i * count / sampled;
    read(number / of_row, number % of_row, one);
    const Level& level = problem.levels[problem.level_of(number % of_row)];
    places.emplace(static_cast<float>((one.x.front() + 0.5) / static_cast<double>(level.width)),
                   static_cast<float>((one.y.front() + 0.5) / static_cast<double>(level.height)));
  }
  return static_cast<double>(places.size());
}

/// The outputs that are chained to the gradients of points; empty what nobody asks for.
struct Chained {
  std::vector<double> offsets;
  std::vector<double> logits;
  std::vector<double> references;
};

void chain_logits(const fused::RowPoints& points, const double* of_weights, double* to) {
  double sum = 0;
  for (std::size_t i = 0; i < points.weights.size(); ++i) sum += points.weights[i] * of_weights[i];
  for (std::size_t i = 0; i < points.weights.size(); ++i) {
    to[i] = points.weights[i] * (of_weights[i] - sum);
  }
}

/// Of a row's points from the first one on.
void chain_points(const Problem& problem, const RowChain& chain, const double* of_pixels,
                  std::int64_t first, Chained& to) {
  const std::int64_t count = problem.row_points();
  for (std::int64_t p = 0; p < count; ++p) {
    const RowChain::Factors factors = chain.of(p);
    for (std::int64_t axis = 0; axis < 2; ++axis) {
      const double gradient = of_pixels[2 * p + axis];
      if (!to.offsets.empty()) {
        to.offsets[static_cast<std::size_t>(2 * (first + p) + axis)] =
            chained(gradient, factors.offset[axis]);
      }
      if (to.references.empty()) continue;
      double* const reference =
          to.references.data() + chain.reference(p) * problem.references.coordinates + axis;
      reference[0] += chained(gradient, factors.place[axis]);
      if (problem.references.coordinates == 4) {
        reference[2] += chained(gradient, factors.box[axis]);
      }
    }
  }
}

}  // namespace

RowChain::RowChain(const Input& input)
    : input_(input),
      references_(static_cast<std::size_t>(input.problem.reference_count() *
                                           input.problem.references.coordinates)),
      offsets_(static_cast<std::size_t>(2 * input.problem.row_points())) {}

void RowChain::load(std::int64_t row) {
  const Problem& problem = input_.problem;
  row_ = row;
  load_floats(problem.types.reference, input_.tensors[kReferences].data(),
              row / problem.heads * static_cast<std::int64_t>(references_.size()), references_);
  load_floats(problem.types.location, input_.tensors[kOffsets].data(),
              row * static_cast<std::int64_t>(offsets_.size()), offsets_);
}

std::int64_t RowChain::reference(std::int64_t point) const {
  const Problem& problem = input_.problem;
  return row_ / problem.heads * problem.reference_count() + fused::reference_of(problem, point);
}

RowChain::Factors RowChain::of(std::int64_t point) const {
  const Problem& problem = input_.problem;
  const Level& level = problem.levels[problem.level_of(point)];
  const double sizes[] = {static_cast<double>(level.width), static_cast<double>(level.height)};
  const std::int64_t first = fused::reference_of(problem, point) * problem.references.coordinates;
  Factors factors{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    factors.place[axis] = sizes[axis];
    factors.offset[axis] = 1;
    if (problem.references.coordinates == 2) continue;
    const double part = sizes[axis] * fused::part_of_box(problem, point);
    factors.offset[axis] =
        part * static_cast<double>(references_[static_cast<std::size_t>(first) + axis + 2]);
    factors.box[axis] =
        part * static_cast<double>(offsets_[2 * static_cast<std::size_t>(point) + axis]);
  }
  return factors;
}

backward::Operands operands_of(const Input& input) {
  const auto read = [points = points_of(input)](std::int64_t row, std::int64_t first,
                                                backward::PointList& list) {
    fused::RowPoints all(*points);
    all.load(row);
    const auto copy = [&](const auto& from, std::int64_t each, auto& to) {
      std::copy_n(from.begin() + each * first, each * list.count, to.begin());
    };
    copy(all.x, 1, list.x);
    copy(all.y, 1, list.y);
    copy(all.weights, 1, list.weights);
    copy(all.largest, 2, list.largest);
    find_weight_errors(all.weights, list);
  };
  return {.problem = input.problem,
          .value = input.tensors[kValue],
          .grad_output = input.tensors[kGradOutput],
          .read = read,
          .places = count_places(input.problem, read)};
}

Bytes locations_of(const Input& input) {
  const Problem& problem = input.problem;
  const backward::ReadPoints read = operands_of(input).read;
  const std::int64_t of_row = problem.row_points();
  const std::int64_t rows = problem.batch * problem.queries * problem.heads;
  Bytes locations(static_cast<std::size_t>(2 * rows * of_row) * sizeof(float));
  parallel_for(rows, fused::kRowGrain, 0, [&](std::int64_t begin, std::int64_t end) {
    backward::PointList points(of_row);
    std::vector<float> row(static_cast<std::size_t>(2 * of_row));
    for (std::int64_t number = begin; number < end; ++number) {
      read(number, 0, points);
      for (std::size_t p = 0; p < points.x.size(); ++p) {
        const Level& level = problem.levels[problem.level_of(static_cast<std::int64_t>(p))];
        row[2 * p] = static_cast<float>((points.x[p] + 0.5) / static_cast<double>(level.width));
        row[2 * p + 1] =
            static_cast<float>((points.y[p] + 0.5) / static_cast<double>(level.height));
      }
      store_floats(DType::kFloat32, row, locations.data(), 2 * number * of_row);
    }
  });
  return locations;
}

void for_padding(const Input& input, const std::function<void(std::size_t pixel)>& body) {
  const Bytes& mask = input.tensors[kPaddingMask];
  for (std::size_t pixel = 0; pixel < mask.size(); ++pixel) {
    if (mask[pixel] != std::byte{0}) body(pixel);
  }
}

std::vector<std::vector<double>> compute_reference(const Input& input, unsigned threads) {
  const Problem& problem = input.problem;
  if (problem.padding) {
    auto outputs = compute_reference(fused::without_padding(input), threads);
    if (!is_asked(problem, kGradValue)) return outputs;
    const std::int64_t of_pixel = problem.heads * problem.channels;
    for_padding(input, [&](std::size_t pixel) {
      std::fill_n(outputs.front().begin() + static_cast<std::int64_t>(pixel) * of_pixel, of_pixel,
                  0.0);
    });
    return outputs;
  }
  const auto asked = [&](Tensor tensor) { return is_asked(problem, tensor); };
  backward::Gradients gradients = backward::compute_gradients(
      operands_of(input),
      {asked(kGradValue), asked(kGradOffsets) || asked(kGradReferences), asked(kGradLogits)},
      threads);
  Chained to;
  for (const auto& [tensor, numbers] : {std::pair{kGradOffsets, &to.offsets},
                                        {kGradLogits, &to.logits},
                                        {kGradReferences, &to.references}}) {
    if (asked(tensor)) numbers->resize(static_cast<std::size_t>(elements(problem, tensor)));
  }
  const auto points = points_of(input);
  const std::int64_t of_row = problem.row_points();
  // All heads of a query in one thread, which adds up the gradients of its references.
  parallel_for(problem.batch * problem.queries, fused::kRowGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 fused::RowPoints row_points(*points);
                 RowChain chain(input);
                 for (std::int64_t row = begin * problem.heads; row < end * problem.heads; ++row) {
                   if (!to.logits.empty()) {
                     row_points.load(row);
                     chain_logits(row_points, gradients.weights.data() + row * of_row,
                                  to.logits.data() + row * of_row);
                   }
                   if (gradients.pixels.empty()) continue;
                   chain.load(row);
                   chain_points(problem, chain, gradients.pixels.data() + 2 * row * of_row,
                                row * of_row, to);
                 }
               });
  std::vector<std::vector<double>> outputs;
  for (const auto& [tensor, numbers] : {std::pair{kGradValue, &gradients.value},
                                        {kGradOffsets, &to.offsets},
                                        {kGradLogits, &to.logits},
                                        {kGradReferences, &to.references}}) {
    if (asked(tensor)) outputs.push_back(std::move(*numbers));
  }
  return outputs;
}

}  // namespace msda::fused_backward
