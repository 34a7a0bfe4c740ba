#include "device/simt/rows.hpp"

#include <algorithm>

namespace msda::simt {
namespace {

constexpr const char* kRows = "rows";
constexpr const char* kPrefetched = "rows.prefetched";
constexpr const char* kSplit = "rows.split";
constexpr const char* kRowsOfAThread = "rows.of-a-thread";
constexpr const char* kTiles = "tiles";
constexpr const char* kReordered = "tiles.reordered";
constexpr const char* kMoved = "tiles.moved";
constexpr const char* kHeads = "tiles.heads";

}  // namespace

void Rows::read_samples(std::uint64_t row, unsigned tile) { read_in_.try_emplace(row, tile); }

void Rows::write_output(std::uint64_t row, unsigned block, std::size_t thread, unsigned tile) {
  const auto [found, is_new] = written_.try_emplace(row, Written{block, tile});
  if (!is_new && (found->second.block != block || found->second.tile != tile)) {
    found->second.split = true;
  }
  if (is_new) {
    const auto heads = static_cast<std::uint64_t>(heads_);
    places_.push_back({block, tile, row / heads});
    heads_of_tiles_.push_back({block, tile, row % heads});
    const auto read = read_in_.find(row);
    if (read != read_in_.end() && read->second < tile) ++prefetched_;
  }
  Thread& of = threads_[thread];
  const bool same_tile = of.rows > 0 && of.tile == tile;
  if (same_tile && of.row == row) return;
  of = {row, tile, same_tile ? of.rows + 1 : 1};
  most_rows_ = std::max(most_rows_, of.rows);
}

void Rows::end_cluster() {
  read_in_.clear();
  std::fill(threads_.begin(), threads_.end(), Thread{});
}

template <class Each>
void Rows::for_each_tile(std::vector<Place> places, const Each& each) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (auto first = places.cbegin(); first != places.cend();) {
    const auto end = std::find_if(first, places.cend(), [&](const Place& other) {
      return other.block != first->block || other.tile != first->tile;
    });
    each(first, end);
    first = end;
  }
}

bool Rows::moved(std::vector<Place>::const_iterator first,
                 std::vector<Place>::const_iterator end) const {
  return std::any_of(first, end, [&](const Place& place) {
    const auto found = positions_.find(place.which);
    const std::uint64_t position = found == positions_.end() ? place.which : found->second;
    return !std::ranges::binary_search(std::ranges::subrange(first, end), position, {},
                                       &Place::which);
  });
}

void Rows::add_to(std::map<std::string, double>& numbers) const {
  std::uint64_t tiles = 0;
  std::uint64_t reordered = 0;
  std::uint64_t elsewhere = 0;
  for_each_tile(places_, [&](auto first, auto end) {
    const auto queries = static_cast<std::uint64_t>(end - first);
    ++tiles;
    if (std::prev(end)->which - first->which + 1 > queries) ++reordered;
    if (moved(first, end)) ++elsewhere;
  });
  std::ptrdiff_t heads = 0;
  for_each_tile(heads_of_tiles_,
                [&](auto first, auto end) { heads = std::max(heads, end - first); });
  const auto split = std::count_if(written_.begin(), written_.end(),
                                   [](const auto& row) { return row.second.split; });
  const auto put = [&](const char* name, auto value) {
    if (value > 0) numbers[name] = static_cast<double>(value);
  };
  put(kRows, written_.size());
  put(kPrefetched, prefetched_);
  put(kSplit, split);
  put(kRowsOfAThread, most_rows_);
  put(kTiles, tiles);
  put(kReordered, reordered);
  put(kMoved, elsewhere);
  put(kHeads, heads);
}

std::vector<std::string> Rows::names() {
  return {kRows, kPrefetched, kSplit, kRowsOfAThread, kTiles, kReordered, kMoved, kHeads};
}

}  // namespace msda::simt
