// Host body of ptx/matrix.cuh. Products and their sums are exact in a double up to its 53 bits, and
// rounded to float32 once; the tensor cores cut bits off inside the sum.
#pragma once

#include <msda/simt/host/executor.cuh>

namespace msda::ptx {

namespace host {

template <class T>
struct Fragments {
  float (*sums)[4];
  const unsigned (*a)[4];
  const unsigned (*b)[2];

  MSDA_UNCHECKED static double element(unsigned both, int upper) {
    return static_cast<float>(__builtin_bit_cast(
        T, static_cast<unsigned short>(upper != 0 ? both >> 16U : both & 0xffffU)));
  }
  /// Of a: row 0 .. 15, column 0 .. 15; of b: row 0 .. 15, column 0 .. 7. The lanes hold them as
  /// mma_m16n8k16() says.
  MSDA_UNCHECKED static double a_at(void* const* lanes, int row, int column) {
    const auto& lane = *static_cast<const Fragments*>(lanes[row % 8 * 4 + column % 8 / 2]);
    return element((*lane.a)[row / 8 + column / 8 * 2], column % 2);
  }
  MSDA_UNCHECKED static double b_at(void* const* lanes, int row, int column) {
    const auto& lane = *static_cast<const Fragments*>(lanes[column * 4 + row % 8 / 2]);
    return element((*lane.b)[row / 8], row % 2);
  }

  MSDA_UNCHECKED static void multiply(void* const* lanes, unsigned) {
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        auto& lane = *static_cast<Fragments*>(lanes[row % 8 * 4 + column / 2]);
        float& sum = (*lane.sums)[row / 8 * 2 + column % 2];
        double exact = sum;
        for (int k = 0; k < 16; ++k) exact += a_at(lanes, row, k) * b_at(lanes, k, column);
        sum = static_cast<float>(exact);
      }
    }
  }
};

}  // namespace host

template <class T>
MSDA_UNCHECKED void mma_m16n8k16(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                                 simt::host::Where where = simt::host::here()) {
  host::Fragments<T> mine = {&sums, &a, &b};
  const simt::host::Meeting meeting = {where, "matrix product", 0xffffffffU, &mine,
                                       host::Fragments<T>::multiply};
  if (simt::host::me().thread % 32 == 0) simt::host::count(simt::host::kMatrixProduct);
  simt::host::executor->meet(&meeting);
}

}  // namespace msda::ptx
