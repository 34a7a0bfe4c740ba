#include "measure/row_watch.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "input/elements.hpp"
#include "reference/compare.hpp"

namespace msda {
namespace {

constexpr std::size_t kPairs = 4;  ///< of each set, in a series
/// Draws for each of them. Rows that are all alike, of a padded image say, tell less.
constexpr int kTries = 8;

bool has_query_rows(const TensorSpec& spec) {
  return spec.rank >= 2 && spec.axes[0] == Axis::kBatch && spec.axes[1] == Axis::kQuery;
}

bool is_right(const Comparison& comparison) {
  return comparison.not_written == 0 && comparison.infinite == 0 && comparison.row_excess <= 1 &&
         comparison.element_excess <= 1;
}

/// Piece `piece` of an output as `bytes`, held against its truth.
Comparison compare_piece(const Truth& truth, const Bounds& bounds, const Bytes& bytes,
                         std::size_t piece) {
  const std::size_t elements = bytes.size() / size_of(truth.shape.type);
  const auto first_row = static_cast<std::int64_t>(piece * elements) / truth.shape.elements;
  return compare(truth.shape, bytes, std::span(truth.output).subspan(piece * elements, elements),
                 &bounds, 1, first_row);
}

/// Both pieces of `two`, `bytes` long each, and their places in a slot, where one follows the
/// other.
Device::Pieces between_slot_and_tensor(std::size_t bytes, std::array<std::size_t, 2> two) {
  return {bytes, 2, (two[1] - two[0]) * bytes, bytes};
}

Device::Pieces reversed(const Device::Pieces& pieces) {
  return {pieces.bytes, pieces.count, pieces.from_pitch, pieces.to_pitch};
}

}  // namespace

RowWatch::RowWatch(Device& device, GroupInputs& inputs, WatchMemory& memory, WatchedArm arm,
                   const std::mt19937_64& generator, int launches)
    : device_(device),
      inputs_(inputs),
      memory_(memory),
      arm_(std::move(arm)),
      op_(arm_.composition.op()),
      generator_(generator),
      prepares_(std::ranges::any_of(arm_.prepared.parts, &LaunchPart::outside)),
      pairs_(inputs.size()),
      pending_(inputs.size()),
      most_looks_(static_cast<std::size_t>(4 * launches) + 2 * inputs.size() + 16) {
  const Problem& problem = inputs_.problem();
  const bool first_image = arm_.composition.placement().has_value();
  queries_ = static_cast<std::size_t>(problem.queries * (first_image ? 1 : problem.batch));
  if (queries_ == 0) return;
  if (!op_.queries_are_alike() || problem.queries < 2 || !find_inputs()) exchanged_.clear();
  find_outputs();
  for (std::size_t set = 0; set < inputs_.size(); ++set) {
    for (std::size_t i = 0; i < kPairs; ++i) pairs_[set].push_back(draw_pair(set));
  }
  stage();
  const std::size_t needed = most_looks_ * output_slot_;
  if (!memory_.log || memory_.log->size() < needed) memory_.log = device_.allocate(needed);
}

void RowWatch::begin() {
  if (!prepares_ || watched_.empty()) return;
  for (std::size_t set = 0; set < inputs_.size(); ++set) {
    toggle(set, 0);
    prepare_again(set);
  }
}

RowWatch::~RowWatch() {
  try {
    end();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the device is lost by then
  }
}

/// False where queries are not the second axis of all that have them. A derived tensor that another
/// arm wanted and did not get for all sets is not read by this one.
bool RowWatch::find_inputs() {
  const Problem& problem = inputs_.problem();
  const std::span<const TensorSpec> specs = op_.tensors();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role == TensorSpec::Role::kOutput || !specs[i].has(Axis::kQuery)) continue;
    if (!has_query_rows(specs[i])) return false;
    if (!inputs_.have(i)) continue;
    const auto all = static_cast<std::size_t>(problem.batch * problem.queries);
    const std::size_t bytes = static_cast<std::size_t>(bytes_of(problem, specs[i])) / all;
    exchanged_.push_back({i, 0, bytes, input_slot_, queries_, true});
    input_slot_ += 2 * bytes;
  }
  return !exchanged_.empty();
}

void RowWatch::find_outputs() {
  const Problem& problem = inputs_.problem();
  for (std::size_t number = 0; const std::size_t tensor : op_.outputs(problem)) {
    const TensorSpec& spec = op_.tensors()[tensor];
    const bool of_queries = has_query_rows(spec);
    const auto all = static_cast<std::size_t>(bytes_of(problem, spec));
    const auto images = static_cast<std::size_t>(problem.batch);
    std::size_t bytes =
        static_cast<std::size_t>(row_elements(problem, spec)) * element_bytes(problem, spec);
    if (of_queries) bytes = all / (images * static_cast<std::size_t>(problem.queries));
    std::size_t count = all / bytes;
    if (arm_.composition.placement() && spec.axes[0] == Axis::kBatch) count /= images;
    watched_.push_back({tensor, number++, bytes, output_slot_, count, of_queries});
    output_slot_ += 2 * bytes;
  }
}

std::size_t RowWatch::below(std::size_t count) { return generator_() % count; }

int RowWatch::draw(int count) { return static_cast<int>(below(static_cast<std::size_t>(count))); }

/// Two queries of one image that no other pair has, whose rows differ by more than rounding where
/// such are found soon.
RowWatch::Pair RowWatch::draw_pair(std::size_t set) {
  const auto of_image = static_cast<std::size_t>(inputs_.problem().queries);
  Pair pair{};
  for (int i = 0; i < kTries; ++i) {
    const std::size_t image = below(queries_ / of_image) * of_image;
    const std::size_t a = image + below(of_image);
    const std::size_t b = image + below(of_image);
    pair.queries = {std::min(a, b), std::max(a, b)};
    if (a != b && !overlaps(set, pair) && differ(set, pair)) return pair;
  }
  // Rows that cannot be told apart stay where they are.
  pair.queries = {pair.queries[0], pair.queries[0]};
  return pair;
}

bool RowWatch::overlaps(std::size_t set, const Pair& pair) const {
  return std::ranges::any_of(pairs_[set], [&](const Pair& other) {
    return std::ranges::any_of(pair.queries, [&](std::size_t query) {
      return std::ranges::count(other.queries, query) > 0;
    });
  });
}

std::size_t RowWatch::owner_of(std::size_t set, std::size_t query) const {
  for (const Pair& pair : pairs_[set]) {
    if (!pair.exchanged) continue;
    if (query == pair.queries[0]) return pair.queries[1];
    if (query == pair.queries[1]) return pair.queries[0];
  }
  return query;
}

bool RowWatch::differ(std::size_t set, const Pair& pair) const {
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

/// For each pair its inputs as they are, and exchanged, so that one copy puts them in place; then
/// finite noise for two pieces of any output.
void RowWatch::stage() {
  constexpr std::uint64_t kFinite = 0x3F3F3F3F3F3F3F3F;  // no exponent of all ones in any type
  noise_ = inputs_.size() * kPairs * 2 * input_slot_;
  Bytes bytes(noise_ + output_slot_ + sizeof kFinite);
  for (std::size_t set = 0; set < pairs_.size(); ++set) {
    for (std::size_t i = 0; i < kPairs; ++i) {
      for (const Pieces& input : exchanged_) {
        const Bytes& content = inputs_.content(set, input.tensor);
        for (std::size_t copy = 0; copy < 4; ++copy) {
          // The first two are of the state as it is, the others the other way round.
          const std::size_t query = pairs_[set][i].queries[copy < 2 ? copy : 3 - copy];
          const std::size_t slot = ((set * kPairs + i) * 2 + copy / 2) * input_slot_;
          std::copy_n(content.data() + query * input.bytes, input.bytes,
                      bytes.data() + slot + input.offset + copy % 2 * input.bytes);
        }
      }
    }
  }
  for (std::size_t at = noise_; at + sizeof kFinite <= bytes.size(); at += sizeof kFinite) {
    const std::uint64_t number = generator_() & kFinite;
    std::copy_n(reinterpret_cast<const std::byte*>(&number), sizeof number, bytes.data() + at);
  }
  if (!memory_.staged || memory_.staged->size() < bytes.size()) {
    memory_.staged = device_.allocate(bytes.size());
  }
  memory_.staged->upload_part(0, bytes.data(), bytes.size());
  device_.synchronize();
}

void RowWatch::place(std::size_t set, const Pair& pair, std::size_t number) {
  const std::size_t slot = ((set * kPairs + number) * 2 + (pair.exchanged ? 1 : 0)) * input_slot_;
  const auto* const staged = static_cast<const std::byte*>(memory_.staged->data()) + slot;
  for (const Pieces& input : exchanged_) {
    auto* const data = static_cast<std::byte*>(inputs_.on_device(set).tensors()[input.tensor]);
    device_.enqueue_copy(data + pair.queries[0] * input.bytes, staged + input.offset,
                         between_slot_and_tensor(input.bytes, pair.queries));
  }
}

void RowWatch::toggle(std::size_t set, std::size_t number) {
  Pair& pair = pairs_[set][number];
  if (exchanged_.empty() || pair.queries[0] == pair.queries[1]) return;
  pair.exchanged = !pair.exchanged;
  place(set, pair, number);
}

/// What an arm made of an input set before its launches has to follow.
void RowWatch::prepare_again(std::size_t set) {
  for (const LaunchPart& part : arm_.prepared.parts) {
    if (part.outside) part.launch(inputs_.on_device(set).tensors(), device_.stream());
  }
}

void RowWatch::overwrite(const Look& look) {
  const auto* const staged = static_cast<const std::byte*>(memory_.staged->data()) + noise_;
  for (const Pieces& output : watched_) {
    const Two& pieces = look.pieces[output.number];
    auto* const data =
        static_cast<std::byte*>(inputs_.on_device(look.set).tensors()[output.tensor]);
    device_.enqueue_copy(data + pieces[0] * output.bytes, staged + output.offset,
                         between_slot_and_tensor(output.bytes, pieces));
  }
}

void RowWatch::before(int launch) {
  const std::size_t set = inputs_.set_of_launch(launch);
  pending_[set].reset();
  if (watched_.empty() || looks_.size() == most_looks_) return;
  const std::size_t number = prepares_ ? 0 : below(kPairs);
  if (!prepares_) toggle(set, number);
  const Two queries = pairs_[set][number].queries;
  Look look{set, queries, {owner_of(set, queries[0]), owner_of(set, queries[1])}, {}};
  for (const Pieces& output : watched_) {
    Two pieces = queries;
    if (!output.of_queries) {
      pieces = {below(output.count), below(output.count)};
      std::ranges::sort(pieces);
    }
    look.pieces.push_back(pieces);
  }
  overwrite(look);
  pending_[set] = std::move(look);
}

void RowWatch::after(int launch) {
  const std::size_t set = inputs_.set_of_launch(launch);
  if (!pending_[set]) return;
  auto* const slot = static_cast<std::byte*>(memory_.log->data()) + looks_.size() * output_slot_;
  for (const Pieces& output : watched_) {
    const Two& pieces = pending_[set]->pieces[output.number];
    const auto* const data =
        static_cast<const std::byte*>(inputs_.on_device(set).tensors()[output.tensor]);
    device_.enqueue_copy(slot + output.offset, data + pieces[0] * output.bytes,
                         reversed(between_slot_and_tensor(output.bytes, pieces)));
  }
  looks_.push_back(*std::exchange(pending_[set], std::nullopt));
}

std::string RowWatch::fault_of(const Look& look, const Pieces& output,
                               const std::byte* slot) const {
  const Truth& truth = inputs_.truths(op_, look.set)[output.number];
  const Bounds& bounds = arm_.bounds(look.set, output.number);
  const std::string_view name = op_.tensors()[output.tensor].name;
  const Two& pieces = look.pieces[output.number];
  for (std::size_t which = 0; which < 2; ++which) {
    const std::byte* const begin = slot + output.offset + which * output.bytes;
    const Bytes bytes(begin, begin + output.bytes);
    const std::size_t own = output.of_queries ? look.owners[which] : pieces[which];
    if (is_right(compare_piece(truth, bounds, bytes, own))) continue;
    if (!output.of_queries) {
      return fmt::format("a launch left row {} of {} wrong that was overwritten before it",
                         pieces[which], name);
    }
    const bool is_old =
        own != pieces[which] && is_right(compare_piece(truth, bounds, bytes, pieces[which]));
    const auto queries = static_cast<std::size_t>(inputs_.problem().queries);
    return fmt::format(
        "after a launch the {} of query {} of image {} {}", name, pieces[which] % queries,
        pieces[which] / queries,
        is_old ? "is that of the inputs which lay there before" : "is not that of its inputs");
  }
  return "";
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

bool RowWatch::has_exchanged(std::size_t set) const {
  return std::ranges::any_of(pairs_[set], &Pair::exchanged);
}

const RowWatch::Pieces* RowWatch::rows_of(std::size_t output) const {
  const auto found = std::ranges::find(watched_, output, &Pieces::number);
  return found == watched_.end() || !found->of_queries ? nullptr : &*found;
}

bool RowWatch::has_queries(std::size_t output) const { return rows_of(output) != nullptr; }

void RowWatch::for_each_row(std::size_t set, std::size_t output, std::size_t first,
                            std::size_t size, bool exchanged, const VisitRow& visit) const {
  const Pieces* const rows = rows_of(output);
  if (rows == nullptr) return;
  for (const Pair& pair : pairs_[set]) {
    if (exchanged && !pair.exchanged) continue;
    for (std::size_t which = 0; which < 2; ++which) {
      const std::size_t at = pair.queries[which] * rows->bytes;
      const std::size_t begin = std::max(at, first);
      const std::size_t end = std::min(at + rows->bytes, first + size);
      if (begin >= end) continue;
      visit(begin - first, end - begin, pair.queries[1 - which] * rows->bytes + (begin - at));
    }
  }
}

void RowWatch::undo(std::size_t set, std::size_t output, std::size_t first, Bytes& part) const {
  for_each_row(set, output, first, part.size(), true,
               [&](std::size_t begin, std::size_t size, std::size_t partner) {
                 const Bytes own = inputs_.on_device(set).download_output(output, partner, size);
                 std::ranges::copy(own, part.begin() + static_cast<std::ptrdiff_t>(begin));
               });
}

void RowWatch::replace(std::size_t set, std::size_t output, std::size_t first, Bytes& part,
                       const Bytes& other) const {
  for_each_row(set, output, first, part.size(), false,
               [&](std::size_t begin, std::size_t size, std::size_t) {
                 std::copy_n(other.data() + begin, size, part.data() + begin);
               });
}

/// First all inputs, whatever the arm does when it prepares again.
void RowWatch::end() {
  std::vector<std::size_t> moved;
  for (std::size_t set = 0; set < pairs_.size(); ++set) {
    if (has_exchanged(set)) moved.push_back(set);
    for (std::size_t i = 0; i < pairs_[set].size(); ++i) {
      if (pairs_[set][i].exchanged) toggle(set, i);
    }
  }
  device_.wait();
  for (const std::size_t set : moved) prepare_again(set);
  device_.wait();
}

}  // namespace msda
