#include "operators/forward/forward.hpp"

#include <algorithm>
#include <cmath>

#include "operators/forward/cells.hpp"
#include "operators/forward/shift_sampler.hpp"
#include "parallel.hpp"
#include "reference/image.hpp"
#include "reference/on_axis.hpp"

namespace msda::forward {
namespace {

/// A point of a row, with the weights of all points of its level at the same place.
struct Place {
  float x;
  float y;
  double weight;   ///< sum of magnitudes
  double rounded;  ///< the same, each as many times as large as its error is
  float largest_x = 0;
  float largest_y = 0;
};

/// The places of `points` points; `locations` and `largest` are [P, 2], `errors` [P].
void collect_places(const float* locations, const float* weights, const float* largest,
                    const float* errors, std::int64_t points, std::vector<Place>& places) {
  places.clear();
  for (std::int64_t p = 0; p < points; ++p) {
    const double weight = std::abs(static_cast<double>(weights[p]));
    const Place place{locations[2 * p], locations[2 * p + 1],
                      weight,           weight * std::sqrt(static_cast<double>(errors[p])),
                      largest[2 * p],   largest[2 * p + 1]};
    const auto same = std::find_if(places.begin(), places.end(), [&](const Place& other) {
      return other.x == place.x && other.y == place.y;
    });
    if (same == places.end()) {
      places.push_back(place);
    } else {
      same->weight += place.weight;
      same->rounded += place.rounded;
      same->largest_x = std::max(same->largest_x, place.largest_x);
      same->largest_y = std::max(same->largest_y, place.largest_y);
    }
  }
}

void add_place(const Cells& cells, const Place& place, const OnAxis& x, const OnAxis& y,
               RowSensitivity& row) {
  const auto [column, dx] = x.coordinate;
  const auto [line, dy] = y.coordinate;
  const Cell& cell = cells.at(line, column);
  const double squared = place.weight * place.weight;
  if (x.counts && y.counts) {
    const double corner[4] = {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx};
    for (std::size_t k = 0; k < 4; ++k) {
      row.terms += place.rounded * place.rounded * corner[k] * corner[k] * cell.corners[k];
      if (corner[k] > 0) row.values += cell.corners[k];
      row.ranges += squared * corner[k] * corner[k] * cells.largest() * cells.largest();
    }
  }
  double across = cell.across(dy);
  double down = cell.down(dx);
  if (const std::int64_t next = x.neighbour(); next != 0) {
    across = std::max(across, cells.at(line, column + next).across(dy));
  }
  if (const std::int64_t next = y.neighbour(); next != 0) {
    down = std::max(down, cells.at(line + next, column).down(dx));
  }
  row.fractions += squared * (across + down);
  row.coordinates += squared * (across * x.binade * x.binade + down * y.binade * y.binade);
  row.normalized +=
      squared * (across * x.half_size * x.half_size + down * y.half_size * y.half_size);
}

/// Cells of all levels of one image: [level][head].
using ImageCells = std::vector<std::vector<Cells>>;

ImageCells make_cells(const Problem& problem, const float* image, unsigned threads) {
  const std::vector<Plane> planes = planes_of(problem);
  const auto heads = static_cast<std::size_t>(problem.heads);
  ImageCells cells(planes.size(), std::vector<Cells>(heads));
  const std::int64_t count = problem.level_count() * problem.heads;
  parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t) {
    const auto level = static_cast<std::size_t>(begin / problem.heads);
    const std::int64_t head = begin % problem.heads;
    cells[level][static_cast<std::size_t>(head)] =
        Cells(planes[level], image, problem.heads, problem.channels, head);
  });
  return cells;
}

/// Sensitivities of a head of queries [first_query, last_query) of the batch; `rows` are of it all.
void add_rows(const Input& input, const MadeOf* made_of, const ImageCells& cells, std::int64_t head,
              std::int64_t first_query, std::int64_t last_query, RowSensitivity* rows) {
  const Problem& problem = input.problem;
  RowPoints points(problem, input.tensors[kLocations], input.tensors[kWeights]);
  std::vector<float> largest(points.locations.size(), 0.0F);
  std::vector<float> errors(points.weights.size(), 1.0F);
  std::vector<Place> places;
  for (std::int64_t query = first_query; query < last_query; ++query) {
    const std::int64_t row = query * problem.heads + head;
    points.load(row);
    if (made_of != nullptr) {
      load_floats(DType::kFloat32, made_of->largest.data(), 2 * row * points.count, largest);
      load_floats(DType::kFloat32, made_of->weight_errors.data(), row * points.count, errors);
    }
    for (std::size_t l = 0; l < problem.levels.size(); ++l) {
      const std::int64_t first = problem.first_point(l);
      collect_places(points.locations.data() + 2 * first, points.weights.data() + first,
                     largest.data() + 2 * first, errors.data() + first, problem.points_of(l),
                     places);
      for (const Place& place : places) {
        const OnAxis x(place.x, problem.levels[l].width, place.largest_x);
        const OnAxis y(place.y, problem.levels[l].height, place.largest_y);
        if (!x.matters || !y.matters) continue;
        add_place(cells[l][static_cast<std::size_t>(head)], place, x, y, rows[row]);
      }
    }
  }
}

}  // namespace

Truth make_truth(const Input& input, std::vector<double> output, unsigned threads,
                 const MadeOf* made_of) {
  constexpr double kCorners = 4;
  const Problem& problem = input.problem;
  Truth truth(rows_of(problem, kTensors[kOutput]), std::move(output));
  truth.additions = kCorners * static_cast<double>(problem.row_points());
  truth.independent_points = count_places(problem.types.location, input.tensors[kLocations]);
  ShiftSampler shifts(problem);
  ImageValues values(problem, input.tensors[kValue]);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const float* const pixels = values.load(image, threads);
    const ImageCells cells = make_cells(problem, pixels, threads);
    const std::int64_t before = image * problem.queries;
    for_each_head(problem, threads, [&](std::int64_t head, std::int64_t first, std::int64_t last) {
      add_rows(input, made_of, cells, head, before + first, before + last, truth.rows.data());
    });
    shifts.add_image(input, image, pixels, threads);
  }
  truth.sampled_rows = shifts.take_rows();
  truth.shifts = shifts.take_directions();
  return truth;
}

}  // namespace msda::forward
