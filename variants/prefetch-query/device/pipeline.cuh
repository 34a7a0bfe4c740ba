// The loads of the next tile's locations and weights are under way while this tile is computed;
// they land in registers and go to shared memory when the tile begins.
#pragma once

#include <msda/slots/staged.cuh>

namespace msda::prefetch_query {

template <class Problem, class Parameters>
struct Pipeline {
  static constexpr Slot kSlot = kPipeline;
  template <class K>
  static constexpr unsigned kSharedBytes = StagedRows<K>::kTileBytes;

  template <class K>
  class Reader {
    using Rows = StagedRows<K>;
    using Word = ptx::Word<Rows::kWordBytes>;

   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared)
        : arguments_(arguments), tile_(shared) {}

    template <class FlatRow>
    __device__ void enter(const FlatRow& flat_row, bool first, long long rows_left) {
      if (first) load(flat_row, 0);
      Rows::sync();  // the tile before is read to its end
      Rows::for_each_word(arguments_, flat_row, 0, [this](const unsigned char*, int at, int n) {
        *reinterpret_cast<Word*>(tile_ + at) = next_[n];
      });
      Rows::sync();
      if (rows_left > Rows::kTileRows) load(flat_row, 1);
    }
    __device__ Sample sample(long long flat_row, int row_in_tile, int level, int point) const {
      static_cast<void>(flat_row);
      return Rows::sample(tile_, row_in_tile, level, point);
    }

   private:
    template <class FlatRow>
    __device__ void load(const FlatRow& flat_row, int ahead) {
      Rows::for_each_word(arguments_, flat_row, ahead,
                          [this](const unsigned char* from, int, int n) {
                            next_[n] = K::Cache::load_stream(reinterpret_cast<const Word*>(from));
                          });
    }

    const Arguments& arguments_;
    unsigned char* tile_;
    Word next_[Rows::kWordsPerWorker];
  };
};

}  // namespace msda::prefetch_query
