// A whole kernel for CUDA that nvcc compiles ahead of time: a warp for each row (b, q, h), a lane
// for each channel.
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;
using msda::Problem;

constexpr int kLanes = 32;

struct Operands {
  const float* value;
  const std::int64_t* shapes;  // [L, 2]
  const std::int64_t* starts;  // [L]
  const float* locations;
  const float* weights;
  float* output;
};

struct Shape {
  std::int64_t rows;    // B * Q * H
  std::int64_t pixels;  // of all levels of an image
  int queries, heads, channels, levels, points;
};

/// One channel of a level.
struct Plane {
  const float* first;
  std::int64_t stride;  // from pixel to pixel
  int height, width;

  /// Zero outside the level.
  __device__ float at(int y, int x) const {
    if (y < 0 || x < 0 || y >= height || x >= width) return 0;
    return __ldg(first + (static_cast<std::int64_t>(y) * width + x) * stride);
  }

  __device__ float bilinear(float y, float x) const {
    const auto rows = static_cast<float>(height);
    const auto columns = static_cast<float>(width);
    if (!(y > -1 && x > -1 && y < rows && x < columns)) return 0;
    const int top = __float2int_rd(y);
    const int left = __float2int_rd(x);
    const float fy = y - static_cast<float>(top);
    const float fx = x - static_cast<float>(left);
    const float upper = (1 - fx) * at(top, left) + fx * at(top, left + 1);
    const float lower = (1 - fx) * at(top + 1, left) + fx * at(top + 1, left + 1);
    return (1 - fy) * upper + fy * lower;
  }
};

__global__ void forward(Operands operands, Shape shape) {
  const std::int64_t row =
      (blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x) / kLanes;
  if (row >= shape.rows) return;
  const std::int64_t image = row / shape.heads / shape.queries;
  const std::int64_t stride = static_cast<std::int64_t>(shape.heads) * shape.channels;
  const std::int64_t head = row % shape.heads * shape.channels;
  for (int channel = threadIdx.x % kLanes; channel < shape.channels; channel += kLanes) {
    float sum = 0;
    for (int level = 0; level < shape.levels; ++level) {
      const std::int64_t start = image * shape.pixels + operands.starts[level];
      const Plane plane{operands.value + start * stride + head + channel, stride,
                        static_cast<int>(operands.shapes[2 * level]),
                        static_cast<int>(operands.shapes[2 * level + 1])};
      for (int point = 0; point < shape.points; ++point) {
        const std::int64_t k = (row * shape.levels + level) * shape.points + point;
        const float x = operands.locations[2 * k] * static_cast<float>(plane.width) - 0.5F;
        const float y = operands.locations[2 * k + 1] * static_cast<float>(plane.height) - 0.5F;
        sum += operands.weights[k] * plane.bilinear(y, x);
      }
    }
    operands.output[row * shape.channels + channel] = sum;
  }
}

class Forward final : public msda::Executable {
 public:
  Forward(const Problem& problem, std::int64_t threads)
      : shape_{problem.batch * problem.queries * problem.heads,
               problem.spatial_size(),
               static_cast<int>(problem.queries),
               static_cast<int>(problem.heads),
               static_cast<int>(problem.channels),
               static_cast<int>(problem.level_count()),
               static_cast<int>(problem.points)},
        threads_(static_cast<unsigned>(threads)),
        blocks_(static_cast<unsigned>((shape_.rows * kLanes + threads - 1) / threads)) {}

  /// On the stream that it is given, and without waiting for anything.
  void launch(const msda::Tensors& all, msda::Stream stream) override {
    const msda::forward::View tensors(all);
    const Operands operands{static_cast<const float*>(tensors.value),
                            all.shapes,
                            all.starts,
                            static_cast<const float*>(tensors.locations),
                            static_cast<const float*>(tensors.weights),
                            static_cast<float*>(tensors.output)};
    forward<<<blocks_, threads_, 0, static_cast<cudaStream_t>(stream)>>>(operands, shape_);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
  }

 private:
  Shape shape_;
  unsigned threads_;
  unsigned blocks_;
};

class WarpPerRow final : public msda::Kernel {
 public:
  WarpPerRow()
      : Kernel(
            {.name = "warp-per-row",
             .summary = "a kernel compiled by nvcc: a warp for each row, a lane for each channel",
             .parameters = {ParameterSpec::one_of<std::int64_t>("threads", "threads of a block",
                                                                256, {64, 128, 256, 512, 1024})}},
            msda::DeviceKind::kCuda) {}

  std::optional<std::string> unsupported(const Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters&) const override {
    if (problem.types != msda::Types::all(msda::DType::kFloat32)) return "fp32 only";
    if (problem.layout != msda::ValueLayout::kPlain) return "plain layout only";
    const std::int64_t rows = problem.batch * problem.queries * problem.heads;
    if (rows > std::numeric_limits<std::int32_t>::max()) return "it counts rows in 31 bits";
    return std::nullopt;
  }

  std::unique_ptr<msda::Executable> prepare(const Problem& problem, const msda::DeviceInfo&,
                                            const msda::Parameters& parameters) const override {
    return std::make_unique<Forward>(problem, parameters.get<std::int64_t>("threads"));
  }
};

}  // namespace

MSDA_PLUGIN(WarpPerRow)
