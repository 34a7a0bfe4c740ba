// Every lane copies the values that it will blend to its own words of shared memory with cp.async
// (to which memcpy_async compiles), `stages` - 1 batches ahead, so that no registers wait for
// memory and no lane waits for another. Neighbouring lanes have neighbouring words: no bank
// conflicts.
#pragma once

#include <msda/ptx/async_copy.cuh>
#include <msda/slots/fetch.cuh>
#include <msda/vector.cuh>

namespace msda::memcpy_async {

template <class K, class Parameters>
class Fetch {
  using Mapping = typename K::Mapping;
  using Value = Vector<typename K::Arithmetic::Stored, Mapping::kVector>;
  /// cp.async copies no words of less than 4 bytes: these pass through registers.
  using Word = typename Value::Word;
  static constexpr int kWordsPerStage =
      Mapping::kRowsPerLane * kBatch<K> * kTaps<K> * Value::kWords;

 public:
  static constexpr const char* idle() {
    return sizeof(Word) < 4
               ? "a lane's values of a tap are fewer than the 4 bytes that cp.async copies"
               : all_levels_on_chip<K>();
  }
  static constexpr bool kStaged = true;
  static constexpr bool kByProducers = false;
  static constexpr int kStages = static_cast<int>(Parameters::stages);
  static constexpr int kAhead = kStages - 1;
  struct Storage {
    Word word[kStages][kWordsPerStage][Mapping::kThreads];
  };

  static constexpr BoxShape boxes(int) { return {}; }

  __device__ Fetch(const Arguments&, Storage& storage) : storage_(storage) {}

  template <int level, int points, class Source>
  __device__ void begin(const Source& source, const typename Source::Base& base, const WorkItem&,
                        int /*head*/, int stage, int r, const Taps<K> (&taps)[kBatch<K>]) {
#pragma unroll
    for (int p = 0; p < points; ++p) {
      const auto anchor = source.template anchor<level>(base, taps[p].offset);
#pragma unroll
      for (int t = 0; t < kTaps<K>; ++t) {
        const int delta = source.delta(level, Mapping::tap_column(t), Mapping::tap_row(t));
        const auto* from = reinterpret_cast<const Word*>(
            K::Reader::further(anchor, Source::template pixels<level>(delta)));
#pragma unroll
        for (int w = 0; w < Value::kWords; ++w) copy(word(stage, r, p, t, w), from + w);
      }
    }
  }
  __device__ void commit(int) { ptx::cp_async_commit_group(); }
  template <int pending>
  __device__ void wait(int) {
    ptx::cp_async_wait_group<pending>();
  }
  template <int points>
  __device__ void read(int stage, int r, Value (&value)[kBatch<K>][kTaps<K>]) const {
#pragma unroll
    for (int p = 0; p < points; ++p) {
#pragma unroll
      for (int t = 0; t < kTaps<K>; ++t) {
#pragma unroll
        for (int w = 0; w < Value::kWords; ++w) {
          reinterpret_cast<Word*>(value[p][t].element)[w] = *word(stage, r, p, t, w);
        }
      }
    }
  }
  __device__ void release(int) {}

 private:
  __device__ Word* word(int stage, int r, int p, int t, int w) const {
    const int tap = (r * kBatch<K> + p) * kTaps<K> + t;
    return &storage_.word[stage][tap * Value::kWords + w][simt::thread()];
  }
  __device__ static void copy(Word* to, const Word* from) {
    if constexpr (sizeof(Word) >= 4) {
      ptx::cp_async_ca<sizeof(Word)>(to, from);
    } else {
      *to = ptx::ldg(from);
    }
  }

  Storage& storage_;
};

}  // namespace msda::memcpy_async
