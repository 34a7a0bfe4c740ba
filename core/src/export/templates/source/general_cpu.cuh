// --- The general kernel on the CPU --------------------------------------------------------------
// A thread for a share of the rows; each row's taps are made once, and added channel by channel.

namespace msda::general {
namespace {

/// a * b + c, without a call of the library for each.
float multiply_add(float a, float b, float c) { return a * b + c; }

/// Adds a point's sample to the sums of a row's channels; `values` are the image's at the row's
/// head.
template <class Value>
void add_tap(const Call& call, const TapOf<int64_t>& tap, const Value* values, std::vector<float>& sums) {
  const int64_t right = tap.right ? 1 : 0;
  const int64_t below = tap.below ? tap.pitch : 0;
  const int64_t pixels[] = {tap.pixel, tap.pixel + right, tap.pixel + below,
                            tap.pixel + below + right};
  for (int i = 0; i < 4; ++i) {
    const Value* channels = values + pixels[i] * call.heads * call.channels;
    for (int64_t c = 0; c < call.channels; ++c)
      sums[c] = multiply_add(tap.weight[i], to_float(channels[c]), sums[c]);
  }
}

template <class Value, class Location, class Weight>
void sum_on_cpu(const Call& call, int64_t row, std::vector<float>& sums) {
  const int64_t image = row / call.heads / call.queries;
  const Value* values = static_cast<const Value*>(call.value) +
                        (image * call.pixels * call.heads + row % call.heads) * call.channels;
  const Location* location = static_cast<const Location*>(call.locations) + 2 * row * call.taps();
  const Weight* weight = static_cast<const Weight*>(call.weights) + row * call.taps();
  std::fill(sums.begin(), sums.end(), 0.0F);
  for (int64_t level = 0; level < call.level_count; ++level) {
    const int64_t end = call.first_tap(level + 1);
    for (int64_t p = call.first_tap(level); p < end; ++p, ++weight, location += 2) {
      const Level in = call.level(level);
      const Cell cell =
          make_cell(in, call.border, call.pixels, to_float(location[0]), to_float(location[1]));
      if (cell.misplaced) return std::fill(sums.begin(), sums.end(), NAN);
      if (cell.counts)
        add_tap(call, tap_of(cell, in, call.border, to_float(*weight)), values, sums);
    }
  }
}

/// Has each of the CPU's threads do a share of the rows: work(first, last).
void in_shares(int64_t rows, int64_t least, const std::function<void(int64_t, int64_t)>& work) {
  const int64_t most = std::max(1U, std::thread::hardware_concurrency());
  const int64_t shares = std::clamp<int64_t>(rows / least, 1, most);
  std::vector<std::jthread> threads;
  for (int64_t share = 1; share < shares; ++share)
    threads.emplace_back(work, rows * share / shares, rows * (share + 1) / shares);
  work(0, rows / shares);
}

template <class Value, class Location, class Weight>
void run_on_cpu(const Call& call) {
  constexpr int64_t kLeastElements = 4096;  // of a thread
  const int64_t least = std::max<int64_t>(kLeastElements / call.channels, 1);
  in_shares(call.batch * call.queries * call.heads, least, [&](int64_t first, int64_t last) {
    std::vector<float> sums(call.channels);
    Value* output = static_cast<Value*>(call.output) + first * call.channels;
    for (int64_t row = first; row < last; ++row) {
      sum_on_cpu<Value, Location, Weight>(call, row, sums);
      for (const float sum : sums) store(output++, sum);
    }
  });
}

}  // namespace
}  // namespace msda::general

// --- The gradients on the CPU: a thread for some heads of some images, so that each sum has one
// thread, which adds in the order of queries.

namespace msda::general {
namespace {

template <class Value>
void backward_of_row(const Call& call, const Gradients& gradients, int64_t row,
                     std::vector<float>& sums) {
  const int64_t image = row / call.heads / call.queries;
  const int64_t head = row % call.heads;
  const auto* gradient = static_cast<const Value*>(gradients.output) + row * call.channels;
  for (int64_t tap = 0; tap < call.taps(); ++tap) {
    const int64_t index = row * call.taps() + tap;
    const PointNumbers point = load_point<Value>(call, gradients, index);
    const Level level = call.level(call.level_of(tap));
    const Cell cell = make_cell(level, call.border, call.pixels, point.u, point.v);
    float dot[4] = {};
    for (int i = 0; i < 4 && cell.counts; ++i) {  // else its level may be of any size
      const Corner corner = corner_of(cell, level, call.border, i);
      if (!corner.exists) continue;
      const Value* value =
          static_cast<const Value*>(call.value) +
          ((image * call.pixels + corner.pixel) * call.heads + head) * call.channels;
      for (int64_t c = 0; c < call.channels; ++c) {
        dot[i] = multiply_add(to_float(gradient[c]), to_float(value[c]), dot[i]);
        float& sum = sums[corner.pixel * call.channels + c];
        sum = multiply_add(point.weight * corner.share, to_float(gradient[c]), sum);
      }
    }
    store_point<Value>(gradients, index, point_gradient(cell, level, point.weight, dot));
  }
}

template <class Value>
void run_backward_on_cpu(const Call& call, const Gradients& gradients, void* of_value) {
  in_shares(call.batch * call.heads, 1, [&](int64_t first, int64_t last) {
    std::vector<float> sums(call.pixels * call.channels);
    for (int64_t plane = first; plane < last; ++plane) {
      const int64_t image = plane / call.heads;
      const int64_t head = plane % call.heads;
      std::fill(sums.begin(), sums.end(), 0.0F);
      for (int64_t query = 0; query < call.queries; ++query) {
        backward_of_row<Value>(call, gradients,
                               (image * call.queries + query) * call.heads + head, sums);
      }
      if (of_value == nullptr) continue;
      for (int64_t pixel = 0; pixel < call.pixels; ++pixel) {
        Value* to = static_cast<Value*>(of_value) +
                    ((image * call.pixels + pixel) * call.heads + head) * call.channels;
        for (int64_t c = 0; c < call.channels; ++c) store(to + c, sums[pixel * call.channels + c]);
      }
    }
  });
}

}  // namespace
}  // namespace msda::general
