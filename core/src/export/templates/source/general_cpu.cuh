// --- The general kernel on the CPU --------------------------------------------------------------
// A thread for a share of the rows; each row's taps are made once, and added channel by channel.

namespace msda::general {
namespace {

/// a * b + c, without a call of the library for each.
float multiply_add(float a, float b, float c) { return a * b + c; }

/// Adds a point's sample to the sums of a row's channels; `values` are the image's at the row's
/// head.
template <class Value>
void add_tap(const Call& call, const Tap& tap, const Value* values, std::vector<float>& sums) {
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
    for (int64_t p = 0; p < call.points; ++p, ++weight, location += 2) {
      const Tap tap = make_tap(call.levels.at(level), call.border, call.pixels,
                               to_float(location[0]), to_float(location[1]), to_float(*weight));
      if (tap.misplaced) return std::fill(sums.begin(), sums.end(), NAN);
      if (tap.reads) add_tap(call, tap, values, sums);
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
