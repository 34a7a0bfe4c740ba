// Which thread reads the samples of which row and writes its output, and when.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace msda::simt {

/// A row is an output vector (b, q, h). A thread counts the tiles that it has begun.
class Rows {
 public:
  Rows(std::int64_t heads, std::size_t threads_of_cluster)
      : heads_(heads), threads_(threads_of_cluster) {}

  void read_samples(std::uint64_t row, unsigned tile);
  void write_output(std::uint64_t row, unsigned block, std::size_t thread, unsigned tile);
  /// A query of all images and its position in the order; without, queries are as they are stored.
  void order(std::uint64_t query, std::uint64_t position) { positions_[query] = position; }
  void end_cluster();
  void add_to(std::map<std::string, double>& numbers) const;
  static std::vector<std::string> names();

 private:
  struct Written {
    unsigned block;
    unsigned tile;
    bool split = false;  ///< by another block, or in another tile, too
  };
  struct Place {
    unsigned block;
    unsigned tile;
    std::uint64_t which;  ///< query or head
    // clang-tidy 14 takes the zero that this compares with for a pointer.
    friend auto operator<=>(const Place&, const Place&) = default;  // NOLINT(modernize-use-nullptr)
  };
  /// Calls each(first, end) for the places of each tile, in order, without repetitions.
  template <class Each>
  static void for_each_tile(std::vector<Place> places, const Each& each);
  /// Whether the stored order would have other queries at the positions of these.
  bool moved(std::vector<Place>::const_iterator first,
             std::vector<Place>::const_iterator end) const;
  struct Thread {
    std::uint64_t row = 0;
    unsigned tile = 0;
    unsigned rows = 0;  ///< of the tile
  };

  std::int64_t heads_;
  std::unordered_map<std::uint64_t, unsigned> read_in_;  ///< tile; of this cluster
  std::unordered_map<std::uint64_t, Written> written_;
  std::unordered_map<std::uint64_t, std::uint64_t> positions_;  ///< by query
  std::vector<Place> places_;                                   ///< of queries
  std::vector<Place> heads_of_tiles_;                           ///< of heads
  std::vector<Thread> threads_;                                 ///< of this cluster
  std::uint64_t prefetched_ = 0;
  unsigned most_rows_ = 0;  ///< of a thread in a tile
};

}  // namespace msda::simt
