// What is wrong with rows that were looked at, and how outputs look with all queries in their
// places.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "input/elements.hpp"
#include "measure/row_watch.hpp"
#include "reference/compare.hpp"

namespace msda {
namespace {

bool is_right(const Comparison& comparison, double most = 1) {
  return comparison.not_written == 0 && comparison.infinite == 0 && comparison.row_excess <= most &&
         comparison.element_excess <= most;
}

double squares(std::span<const double> numbers) {
  return std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0);
}

/// How much larger than what is known a row is, which is rounded as much more; 1 at least.
double growth(std::span<const double> wanted, std::span<const double> known) {
  const double norms = std::sqrt(squares(wanted) / squares(known));
  return std::isfinite(norms) ? std::max(1.0, norms) : 1.0;
}

/// Piece `piece` of an output as `bytes`, held against its truth.
Comparison compare_piece(const Truth& truth, const Bounds& bounds, const Bytes& bytes,
                         std::size_t piece) {
  const std::size_t elements = bytes.size() / size_of(truth.shape.type);
  const auto first_row = static_cast<std::int64_t>(piece * elements) / truth.shape.elements;
  return compare(truth.shape, bytes, std::span(truth.output).subspan(piece * elements, elements),
                 &bounds, 1, first_row);
}

}  // namespace

bool RowWatch::differ(std::size_t set, const Pair& pair) const {
  if (std::ranges::none_of(watched_, &Pieces::of_queries)) {  // a turned query shows in sums alone
    return turns_.exist() && !turns_.shares(set, pair.queries[0]).empty();
  }
  const std::vector<Truth>& truths = inputs_.truths(op_, set);
  return std::ranges::any_of(watched_, [&](const Pieces& output) {
    if (!output.of_queries) return false;
    const Truth& truth = truths[output.number];
    Bytes bytes(output.bytes);
    const std::size_t elements = output.bytes / size_of(truth.shape.type);
    for (std::size_t i = 0; i < elements; ++i) {
      store_element(truth.shape.type, bytes.data(), static_cast<std::int64_t>(i),
                    static_cast<float>(truth.output[pair.queries[0] * elements + i]));
    }
    return !is_right(compare_piece(truth, arm_.bounds(set, output.number), bytes, pair.queries[1]));
  });
}

std::string RowWatch::fault_of(const Look& look, const Pieces& output,
                               const std::byte* slot) const {
  const Truth& truth = inputs_.truths(op_, look.set)[output.number];
  const Bounds& bounds = arm_.bounds(look.set, output.number);
  const std::string_view name = op_.tensors()[output.tensor].name;
  const Two& pieces = look.pieces[output.number];
  for (const std::size_t which : {1 - look.kept.value_or(1), look.kept.value_or(1)}) {
    const std::byte* const begin = slot + output.offset + which * output.bytes;
    Bytes bytes(begin, begin + output.bytes);
    if (!output.of_queries) {
      std::string fault = fault_of_sum(look, output, pieces[which], bytes);
      if (!fault.empty()) return fault;
      continue;
    }
    const std::size_t own = look.owners[which];
    if (is_right_for(look, output, bytes, own)) continue;
    const bool is_other = own != pieces[which] || std::ranges::count(look.turned, own) > 0;
    const bool is_old = is_other && is_right(compare_piece(truth, bounds, bytes, pieces[which]));
    const auto queries = static_cast<std::size_t>(inputs_.problem().queries);
    return fmt::format(
        "after a launch the {} of query {} of image {} {}", name, pieces[which] % queries,
        pieces[which] / queries,
        is_old ? "is that of the inputs which lay there before" : "is not that of its inputs");
  }
  return "";
}

/// Whether a query's rows, as `bytes`, are what its inputs lead to as they lay at that launch.
bool RowWatch::is_right_for(const Look& look, const Pieces& output, Bytes bytes,
                            std::size_t query) const {
  const Truth& truth = inputs_.truths(op_, look.set)[output.number];
  const Bounds& bounds = arm_.bounds(look.set, output.number);
  const bool is_turned = std::ranges::count(look.turned, query) > 0;
  if (is_turned && !turns_.of_weights()) QueryTurns::negate(truth.shape.type, bytes);
  if (!is_turned || !turns_.of_weights()) {
    return is_right(compare_piece(truth, bounds, bytes, query));
  }
  const auto is_first = [&](const Pair& one) { return one.queries[0] == query; };
  const std::size_t weight = std::ranges::find_if(pairs_[look.set], is_first)->weight;
  std::vector<double> wanted = turns_.share(look.set, query, weight);
  const std::span<const double> known =
      std::span(truth.output).subspan(query * wanted.size(), wanted.size());
  std::ranges::transform(known, wanted, wanted.begin(), std::minus());
  const auto elements = static_cast<std::size_t>(truth.shape.elements);
  const std::size_t row_bytes = elements * size_of(truth.shape.type);
  for (std::size_t row = 0; row * elements < wanted.size(); ++row) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(row * row_bytes);
    const std::span own = std::span(wanted).subspan(row * elements, elements);
    const auto number = static_cast<std::int64_t>(query * wanted.size() / elements + row);
    const Comparison comparison =
        compare(truth.shape, Bytes(begin, begin + static_cast<std::ptrdiff_t>(row_bytes)), own,
                &bounds, 1, number);
    if (!is_right(comparison, growth(own, known.subspan(row * elements, elements)))) return false;
  }
  return true;
}

/// Of a row of an output that has none of queries.
std::string RowWatch::fault_of_sum(const Look& look, const Pieces& output, std::size_t piece,
                                   const Bytes& bytes) const {
  const Truth& truth = inputs_.truths(op_, look.set)[output.number];
  const Bounds& bounds = arm_.bounds(look.set, output.number);
  const std::string_view name = op_.tensors()[output.tensor].name;
  const bool is_known = is_right(compare_piece(truth, bounds, bytes, piece));
  if (!turns_.is_sum(output.tensor) || look.turned.empty()) {
    if (is_known) return "";
    return fmt::format("a launch left row {} of {} wrong that was overwritten before it", piece,
                       name);
  }
  const auto elements = static_cast<std::size_t>(truth.shape.elements);
  const std::span<const double> known = std::span(truth.output).subspan(piece * elements, elements);
  const std::vector<double> wanted = turns_.turned_row(look.set, known, piece, look.turned);
  const Comparison comparison =
      compare(truth.shape, bytes, wanted, &bounds, 1, static_cast<std::int64_t>(piece));
  if (is_right(comparison, growth(wanted, known))) return "";
  return fmt::format(
      "after a launch row {} of {} {}", piece, name,
      is_known ? "is that of the inputs which lay there before" : "is not that of its inputs");
}

/// Those rows that turned queries have a share in were looked at by themselves.
void RowWatch::undo_sum(std::size_t set, std::size_t output, std::size_t first, Bytes& part) const {
  const auto own = std::ranges::find(watched_, output, &Pieces::number);
  if (own == watched_.end() || !turns_.is_sum(own->tensor)) return;
  const Truth& truth = inputs_.truths(op_, set)[output];
  const auto elements = static_cast<std::size_t>(truth.shape.elements);
  for (const std::size_t query : turned_queries(set)) {
    for (const QueryShare& share : turns_.shares(set, query)) {
      const std::size_t at = share.row * own->bytes;
      if (at < first || at + own->bytes > first + part.size()) continue;  // parts are whole rows
      for (std::size_t i = 0; i < elements; ++i) {
        store_element(truth.shape.type, part.data() + (at - first), static_cast<std::int64_t>(i),
                      static_cast<float>(truth.output[share.row * elements + i]));
      }
    }
  }
}

std::string RowWatch::fault() {
  if (looks_.empty()) return "";
  device_.wait();
  Bytes log(looks_.size() * output_slot_);
  memory_.log->download_part(0, log.data(), log.size());
  for (std::size_t i = 0; i < looks_.size(); ++i) {
    for (const Pieces& output : watched_) {
      std::string fault = fault_of(looks_[i], output, log.data() + i * output_slot_);
      if (!fault.empty()) return fault;
    }
  }
  return "";
}

const RowWatch::Pieces* RowWatch::rows_of(std::size_t output) const {
  const auto found = std::ranges::find(watched_, output, &Pieces::number);
  return found == watched_.end() || !found->of_queries ? nullptr : &*found;
}

bool RowWatch::has_queries(std::size_t output) const { return rows_of(output) != nullptr; }

void RowWatch::for_each_row(std::size_t set, std::size_t output, std::size_t first,
                            std::size_t size, bool moved, const VisitRow& visit) const {
  const Pieces* const rows = rows_of(output);
  if (rows == nullptr) return;
  for (const Pair& pair : pairs_[set]) {
    if (moved && !pair.moved()) continue;
    for (std::size_t which = 0; which < 2; ++which) {
      const std::size_t at = pair.queries[which] * rows->bytes;
      const std::size_t begin = std::max(at, first);
      const std::size_t end = std::min(at + rows->bytes, first + size);
      if (begin >= end) continue;
      const std::size_t from = pair.queries[pair.exchanged ? 1 - which : which];
      visit(begin - first, end - begin, from * rows->bytes + (begin - at),
            pair.turned && which == 0);
    }
  }
}

void RowWatch::undo(std::size_t set, std::size_t output, std::size_t first, Bytes& part) const {
  const Truth& truth = inputs_.truths(op_, set)[output];
  const DType type = truth.shape.type;
  const auto undo_row = [&](std::size_t begin, std::size_t size, std::size_t from, bool turned) {
    Bytes own = inputs_.on_device(set).download_output(output, from, size);
    const std::size_t element = (first + begin) / size_of(type);
    if (turned && !turns_.of_weights()) QueryTurns::negate(type, own);
    for (std::size_t i = 0; turned && turns_.of_weights() && i < size / size_of(type); ++i) {
      store_element(type, own.data(), static_cast<std::int64_t>(i),
                    static_cast<float>(truth.output[element + i]));
    }
    std::ranges::copy(own, part.begin() + static_cast<std::ptrdiff_t>(begin));
  };
  for_each_row(set, output, first, part.size(), true, undo_row);
  undo_sum(set, output, first, part);
}

void RowWatch::replace(std::size_t set, std::size_t output, std::size_t first, Bytes& part,
                       const Bytes& other) const {
  for_each_row(set, output, first, part.size(), false,
               [&](std::size_t begin, std::size_t size, std::size_t, bool) {
                 std::copy_n(other.data() + begin, size, part.data() + begin);
               });
}

}  // namespace msda
