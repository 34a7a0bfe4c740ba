#include "device/simt/last_image.hpp"

#include <algorithm>
#include <boost/iterator/counting_iterator.hpp>

#include <msda/error.hpp>

namespace msda::simt {

Blocks blocks_of_last_image(const LaunchShape& shape, const Problem& problem, unsigned blocks,
                            const std::function<bool(unsigned block)>& works) {
  if (shape.rows_per_item == 0 && shape.chunks == 0) {
    using Number = boost::counting_iterator<unsigned>;
    const unsigned last = *std::partition_point(Number(0), Number(blocks), works);
    // One more: the first block of an image may begin with the end of the image before.
    const auto per_image = static_cast<unsigned>((last + problem.batch - 1) / problem.batch) + 1;
    return {last - std::min(last, per_image), last};
  }
  const unsigned cluster = std::max(1U, shape.cluster);
  const std::int64_t items = item_count(shape, problem.batch, problem.queries);
  if (items * cluster != blocks) {
    throw Unsupported(
        "the grid has fewer workers than items: none is known to be the last image's");
  }
  return {blocks - static_cast<unsigned>(items / problem.batch) * cluster, blocks};
}

}  // namespace msda::simt
