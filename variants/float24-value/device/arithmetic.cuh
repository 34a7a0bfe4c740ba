// Values in fp32 are stored in 24 bits: the sign, 8 bits of exponent and 15 bits of the fraction,
// with the upper 16 and the lower 8 bits in separate planes. Three quarters of the bytes are
// gathered, and one instruction restores a float. Products and sums are float32.
#pragma once

#include <msda/ptx/arithmetic.cuh>
#include <msda/slots/arithmetic.cuh>
#include <msda/split.cuh>

namespace msda::float24_value {

/// The upper 16 bits of a float32, and a byte that stands for both of its lower bytes. So the 256
/// possible lower halves range from 0 to all bits set in equal steps, and rounding to the nearest
/// of them never carries.
struct Float24 {
  unsigned short upper;
  unsigned char lower;
};

template <class K, class Parameters>
struct Arithmetic : FloatArithmetic<K, Parameters> {
  using Floats = FloatArithmetic<K, Parameters>;
  using Stored = Float24;
  static constexpr bool kEncoded = true;

  __device__ static Stored encode(const Arguments&, const float (&value)[1], long long, int, int) {
    const unsigned bits = __float_as_uint(value[0]);
    constexpr unsigned kStep = 257;  // a byte and the same byte above it
    return {static_cast<unsigned short>(bits >> 16U),
            static_cast<unsigned char>(((bits & 0xffffU) + kStep / 2) / kStep)};
  }

  template <int points, int batch, int taps, int vector>
  __device__ static void add(FloatSums<vector>& sums, const Taps<K> (&tap)[batch],
                             const Vector<Stored, vector> (&value)[batch][taps]) {
    Vector<float, vector> decoded[batch][taps];
#pragma unroll
    for (int p = 0; p < points; ++p) {
#pragma unroll
      for (int t = 0; t < taps; ++t) {
        static_for<vector>([&]<int v>() { decoded[p][t].set(v, decode<v>(value[p][t])); });
      }
    }
    Floats::template add<points>(sums, tap, decoded);
  }

 private:
  template <int v, int vector>
  __device__ static float decode(const Vector<Stored, vector>& value) {
    const auto* upper = value.upper.element;
    const auto* lower = value.lower.element;
    if constexpr (vector % 4 == 0) {
      // The four bytes from the lowest on: the lower part's byte twice, the upper part's two.
      constexpr unsigned kByte = 4 + v % 4;
      constexpr unsigned kDigits = (v % 2 == 0 ? 0x1000U : 0x3200U) | kByte << 4U | kByte;
      return __uint_as_float(ptx::prmt<kDigits>(reinterpret_cast<const unsigned*>(upper)[v / 2],
                                                reinterpret_cast<const unsigned*>(lower)[v / 4]));
    }
    return __uint_as_float(static_cast<unsigned>(upper[v]) << 16U | lower[v] * 257U);
  }
};

}  // namespace msda::float24_value
