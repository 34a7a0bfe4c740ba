// A microbenchmark: values pass through shared memory to the output, row (b, q, h) from pixel
// q mod S. A chunk is a run of rows and some channels; each block of a cluster reads its part of
// the channels, and writes that of its neighbour, which it takes from the neighbour's memory.
#pragma once

#include <msda/launch.cuh>
#include <msda/ptx/async_copy.cuh>
#include <msda/ptx/bulk_copy.cuh>
#include <msda/ptx/cluster.cuh>
#include <msda/ptx/memory.cuh>
#include <msda/simt/thread.cuh>
#include <msda/vector.cuh>

namespace msda::staging_copy {

/// Numbers of the choices of parameter "method".
enum Method : int { kCooperative, kAsync, kBulk };

template <class K, class Parameters>
struct Kernel {
  using Problem = typename K::Problem;
  using Value = typename Problem::Value;
  using Output = typename Problem::Output;
  static constexpr int kSize = static_cast<int>(sizeof(Value));
  static constexpr int kCluster = static_cast<int>(Parameters::cluster);
  static constexpr int kThreads = static_cast<int>(Parameters::threads);
  /// Channels that a block reads: at most what is asked for, and so that chunks divide the row.
  static constexpr int kChannels = [] {
    int channels = static_cast<int>(Parameters::channels);
    while (Problem::kChannels % (channels * kCluster) != 0) channels /= 2;
    return channels;
  }();
  static constexpr int kGroups = Problem::kChannels / (kChannels * kCluster);  ///< chunks of a row
  static constexpr int kRowBytes = kChannels * kSize;
  static constexpr int kWordBytes = widest_word(kRowBytes);
  static constexpr int kWords = kRowBytes / kWordBytes;
  using Word = ptx::Word<kWordBytes>;
  static constexpr int kRows = static_cast<int>(Parameters::budget) * 1024 / kRowBytes;
  static constexpr bool kIsBulk =
      Parameters::method == kBulk && ptx::kHasTma && kRowBytes % 16 == 0;
  static constexpr bool kIsAsync =
      Parameters::method != kCooperative && !kIsBulk && kWordBytes >= 4;

  /// Without resident blocks a worker for each chunk, up to as many as are asked for.
  static constexpr LaunchShape kShape = {.threads = kThreads,
                                         .resident_blocks = Parameters::blocks,
                                         .planes = Problem::kHeads * kGroups,
                                         .rows_per_query = 1,
                                         .rows_per_item = Parameters::blocks == 0 ? kRows : 0,
                                         .cluster = kCluster,
                                         .most_workers = Parameters::clusters};

  struct Storage {
    alignas(16) unsigned char row[kRows][kRowBytes];
    ptx::Barrier barrier;
  };

  /// Rows [first, last) of image `image` and head `head`, channels from `channel` on of the
  /// cluster.
  struct Chunk {
    long long image;
    long long first;
    long long last;
    int head;
    int channel;
  };

  __device__ static void run(const ForwardArguments& arguments, Storage& storage) {
    if (kIsBulk && simt::thread() == 0) {
      ptx::mbarrier_init(&storage.barrier, 1);
      ptx::fence_mbarrier_init();
    }
    simt::syncthreads();
    const long long runs = (arguments.queries + kRows - 1) / kRows;
    const long long chunks = arguments.batch * Problem::kHeads * kGroups * runs;
    unsigned phase = 0;
    for (long long i = simt::block() / kCluster; i < chunks; i += simt::blocks() / kCluster) {
      const long long plane = i / runs;
      const long long first = i % runs * kRows;
      const Chunk chunk{plane / kGroups / Problem::kHeads, first,
                        min(first + kRows, arguments.queries),
                        static_cast<int>(plane / kGroups % Problem::kHeads),
                        static_cast<int>(plane % kGroups) * kChannels * kCluster};
      load(arguments, chunk, storage, phase);
      for (int n = 0; n < Parameters::barriers; ++n) sync();
      write(arguments, chunk, storage);
      sync();  // the neighbour has read
    }
  }

 private:
  __device__ static int rank() { return static_cast<int>(simt::block() % kCluster); }
  __device__ static void sync() {
    if constexpr (kCluster > 1) {
      ptx::cluster_sync();
    } else {
      simt::syncthreads();
    }
  }

  __device__ static void load(const Arguments& arguments, const Chunk& chunk, Storage& storage,
                              unsigned& phase) {
    const int rows = static_cast<int>(chunk.last - chunk.first);
    const int channel = chunk.channel + rank() * kChannels;
    const auto* values = static_cast<const Value*>(arguments.value);
    const long long pixels = typename K::Sizes(arguments).pixels();
    const auto from = [&](int row) {
      const long long pixel = chunk.image * pixels + (chunk.first + row) % pixels;
      return values + (pixel * Problem::kHeads + chunk.head) * Problem::kChannels + channel;
    };
    if constexpr (kIsBulk) {
      ptx::fence_proxy_async();
      if (simt::thread() == 0) ptx::mbarrier_arrive_expect_tx(&storage.barrier, rows * kRowBytes);
      for (int row = static_cast<int>(simt::thread()); row < rows; row += kThreads) {
        ptx::cp_async_bulk(storage.row[row], from(row), kRowBytes, &storage.barrier);
      }
      ptx::mbarrier_wait(&storage.barrier, phase);
      phase ^= 1U;
    } else {
      for (int i = static_cast<int>(simt::thread()); i < rows * kWords; i += kThreads) {
        const auto* word = reinterpret_cast<const Word*>(from(i / kWords)) + i % kWords;
        auto* to = reinterpret_cast<Word*>(storage.row) + i;
        if constexpr (kIsAsync) {
          ptx::cp_async<kWordBytes>(to, word);
        } else {
          *to = ptx::ldg(word);
        }
      }
      if constexpr (kIsAsync) {
        ptx::cp_async_commit_group();
        ptx::cp_async_wait_group<0>();
      }
    }
  }

  __device__ static void write(const ForwardArguments& arguments, const Chunk& chunk,
                               const Storage& storage) {
    const int owner = (rank() + 1) % kCluster;
    const int channel = chunk.channel + owner * kChannels;
    const int rows = static_cast<int>(chunk.last - chunk.first);
    auto* output = static_cast<Output*>(arguments.output);
    const auto* words = reinterpret_cast<const Word*>(storage.row);
    if constexpr (kCluster > 1) words = ptx::mapa(words, owner);
    for (int i = static_cast<int>(simt::thread()); i < rows * kWords; i += kThreads) {
      const long long query = chunk.image * arguments.queries + chunk.first + i / kWords;
      Output* to = output + (query * Problem::kHeads + chunk.head) * Problem::kChannels + channel +
                   i % kWords * (kWordBytes / kSize);
      *reinterpret_cast<Word*>(to) = words[i];
    }
  }
};

}  // namespace msda::staging_copy
