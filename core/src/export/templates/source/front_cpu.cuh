// --- Points of offsets on the CPU ---------------------------------------------------------------

namespace msda::general {
namespace {

template <class Value>
Softmax softmax_on_cpu(const Call& call, const Front& front, int64_t row) {
  Softmax softmax = {-INFINITY, 1.0F};
  for (int64_t tap = 0; tap < call.taps(); ++tap)
    softmax.most = fmaxf(softmax.most, logit_of<Value>(call, front, row, tap));
  float sum = 0.0F;
  for (int64_t tap = 0; tap < call.taps(); ++tap)
    sum += softmax.weight(logit_of<Value>(call, front, row, tap));
  softmax.share = 1.0F / sum;
  return softmax;
}

constexpr int64_t kLeastRows = 64;  ///< of a thread

template <class Value>
void make_points_on_cpu(const Call& call, const Front& front, float* locations, void* weights) {
  in_shares(call.rows(), kLeastRows, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const Softmax softmax = softmax_on_cpu<Value>(call, front, row);
      for (int64_t tap = 0; tap < call.taps(); ++tap) {
        const int64_t index = row * call.taps() + tap;
        const Pair place = place_of<Value>(call, front, row, tap);
        locations[2 * index] = place.x;
        locations[2 * index + 1] = place.y;
        store_as<Value>(weights, front.wide_weights, index,
                        softmax.weight(logit_of<Value>(call, front, row, tap)));
      }
    }
  });
}

template <class Value>
void run_front_backward_on_cpu(const Call& call, const Front& front,
                               const FrontGradients& gradients) {
  if (gradients.offsets != nullptr || gradients.logits != nullptr)
    in_shares(call.rows(), kLeastRows, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        const Softmax softmax = softmax_on_cpu<Value>(call, front, row);
        float sum = 0.0F;
        for (int64_t tap = 0; tap < call.taps(); ++tap)
          sum += softmax.weight(logit_of<Value>(call, front, row, tap)) *
                 load_as<Value>(gradients.weights, front.wide_weights, row * call.taps() + tap);
        for (int64_t tap = 0; tap < call.taps(); ++tap)
          store_tap<Value>(call, front, gradients, softmax, sum, row, tap);
      }
    });
  if (gradients.references == nullptr) return;
  in_shares(call.batch * call.queries, kLeastRows, [&](int64_t first, int64_t last) {
    const int64_t of_query = front.count(call) * front.coordinates;
    for (int64_t i = first * of_query; i < last * of_query; ++i)
      gradients.references[i] =
          reference_gradient<Value>(call, front, gradients, i / of_query,
                                    i % of_query / front.coordinates, i % front.coordinates);
  });
}

}  // namespace
}  // namespace msda::general
