// Every lane copies what it will blend to its own words of shared memory with cp.async (which is
// what memcpy_async becomes), `stages` - 1 batches ahead, so that no registers wait for memory and
// nobody waits for other lanes. Neighbouring lanes' words lie side by side: no bank conflicts.
#pragma once

#include <msda/ptx/async_copy.cuh>
#include <msda/slots/fetch.cuh>
#include <msda/slots/metadata_threads.cuh>
#include <msda/vector.cuh>

namespace msda::memcpy_async {

template <class Problem, class Parameters>
struct Fetch : LoadFetch<Problem, Parameters> {
  static constexpr bool kStaged = true;
  static constexpr int kStages = static_cast<int>(Parameters::stages);
  template <class K>
  static constexpr int kAhead = kStages - 1;

  template <class K>
  static constexpr int kVectorBytes =
      K::Mapping::kVector* static_cast<int>(sizeof(typename K::Arithmetic::Stored));
  /// Words of one tap. cp.async has none of less than 4 bytes: such are stored as they come.
  template <class K>
  static constexpr int kWordBytes = kVectorBytes<K> < 16 ? kVectorBytes<K> : 16;
  template <class K>
  static constexpr int kWordsPerTap = kVectorBytes<K> / kWordBytes<K>;
  template <class K>
  static constexpr int kWordsPerStage =
      K::Mapping::kRowsPerLane* Tile<K>::kBatch* kTaps<K>* kWordsPerTap<K>;
  template <class K>
  static constexpr unsigned kSharedBytes =
      kStages* kWordsPerStage<K>* kWordBytes<K>* K::Mapping::kThreads;

  template <class K>
  class Reader {
    using Mapping = typename K::Mapping;
    using Word = ptx::Word<kWordBytes<K>>;

   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared)
        : words_(reinterpret_cast<Word*>(shared) + simt::thread()) {
      static_cast<void>(arguments);
    }
    template <int level, class Source, int points>
    __device__ void begin(const Source& source, const typename Source::Base& base,
                          const WorkItem& item, int head, int place, int r,
                          const Taps<K> (&taps)[points]) {
      static_cast<void>(item);
      static_cast<void>(head);
#pragma unroll
      for (int p = 0; p < points; ++p) {
        const auto anchor = source.template anchor<level>(base, taps[p].place);
#pragma unroll
        for (int t = 0; t < kTaps<K>; ++t) {
          const int delta =
              K::Source::template delta<K>(level, Mapping::tap_column(t), Mapping::tap_row(t));
          const auto* from =
              reinterpret_cast<const Word*>(source.template address<level>(anchor, delta));
#pragma unroll
          for (int w = 0; w < kWordsPerTap<K>; ++w) copy(word(place, r, p, t, w), from + w);
        }
      }
    }
    __device__ void commit(int place) {
      static_cast<void>(place);
      ptx::commit_copies();
    }
    template <int pending>
    __device__ void wait(int place) {
      static_cast<void>(place);
      ptx::wait_for_copies<pending>();
    }
    template <int points, class Values>
    __device__ void read(int place, int r, Values (&value)[points][kTaps<K>]) const {
#pragma unroll
      for (int p = 0; p < points; ++p) {
#pragma unroll
        for (int t = 0; t < kTaps<K>; ++t) {
#pragma unroll
          for (int w = 0; w < kWordsPerTap<K>; ++w) {
            reinterpret_cast<Word*>(value[p][t].element)[w] = *word(place, r, p, t, w);
          }
        }
      }
    }
    __device__ void release(int place) { static_cast<void>(place); }

   private:
    __device__ Word* word(int place, int r, int p, int t, int w) const {
      const int tap = (r * Tile<K>::kBatch + p) * kTaps<K> + t;
      return words_ + (place * kWordsPerStage<K> + tap * kWordsPerTap<K> + w) * Mapping::kThreads;
    }
    __device__ static void copy(Word* to, const Word* from) {
      if constexpr (sizeof(Word) >= 4) {
        ptx::copy_async_through_l1<sizeof(Word)>(to, from);
      } else {
        *to = ptx::load_readonly(from);
      }
    }

    Word* words_;  ///< this thread's; a thread's next word is Mapping::kThreads words on
  };
};

}  // namespace msda::memcpy_async
