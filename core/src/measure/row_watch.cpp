#include "measure/row_watch.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "measure/read_only.hpp"

namespace msda {
namespace {

constexpr std::size_t kPairs = 4;  ///< of each set, in a series
/// Draws for each of them. Rows that are all alike, of a padded image say, tell less.
constexpr int kTries = 8;

bool has_query_rows(const TensorSpec& spec) {
  return spec.rank >= 2 && spec.axes[0] == Axis::kBatch && spec.axes[1] == Axis::kQuery;
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
      turns_(op_, inputs),
      generator_(generator),
      on_cpu_(device.info().kind == DeviceKind::kCpu),
      prepares_(!arm_.all_parts && std::ranges::any_of(arm_.prepared.parts, &LaunchPart::outside)),
      moves_(!prepares_ || device.info().kind != DeviceKind::kCuda),
      pairs_(inputs.size()),
      pending_(inputs.size()),
      most_looks_(2 * (static_cast<std::size_t>(4 * launches) + 2 * inputs.size() + 16)),
      launches_(launches) {
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
  if (on_cpu_) make_ready(0);
  if (moves_ || watched_.empty()) return;
  for (std::size_t set = 0; set < inputs_.size(); ++set) {
    move(set, 0);
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
    if (a == b || overlaps(set, pair) || !differ(set, pair)) continue;
    if (turns_.of_weights()) pair.weight = draw_weight(set, pair.queries[0]);
    return pair;
  }
  // Rows that cannot be told apart stay where they are.
  pair.queries = {pair.queries[0], pair.queries[0]};
  return pair;
}

/// One that adds something, where such is found soon.
std::size_t RowWatch::draw_weight(std::size_t set, std::size_t query) {
  std::size_t weight = 0;
  for (int i = 0; i < kTries; ++i) {
    weight = below(turns_.weights());
    const std::vector<double> share = turns_.share(set, query, weight);
    if (std::ranges::any_of(share, [](double number) { return number != 0; })) break;
  }
  return weight;
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

std::vector<std::size_t> RowWatch::turned_queries(std::size_t set) const {
  std::vector<std::size_t> queries;
  for (const Pair& pair : pairs_[set]) {
    if (pair.turned) queries.push_back(pair.queries[0]);
  }
  return queries;
}

/// Of all states of a pair the inputs of both queries, as they lie then.
void RowWatch::stage_pair(std::size_t set, std::size_t number, Bytes& staged) const {
  const Pair& pair = pairs_[set][number];
  for (const Pieces& input : exchanged_) {
    const Bytes& content = inputs_.content(set, input.tensor);
    for (std::size_t copy = 0; copy < 2 * kStates; ++copy) {
      const std::size_t state = copy / 2;
      const std::size_t whose = (copy + state) % 2;  // in odd states the other way round
      const std::size_t slot = ((set * kPairs + number) * kStates + state) * input_slot_;
      std::byte* const to = staged.data() + slot + input.offset + copy % 2 * input.bytes;
      std::copy_n(content.data() + pair.queries[whose] * input.bytes, input.bytes, to);
      if (state >= 2 && whose == 0) turns_.turn(input.tensor, {to, input.bytes}, pair.weight);
    }
  }
}

/// The inputs of each pair in each state, so that one copy puts them in place; then finite noise
/// for two pieces of any output.
void RowWatch::stage() {
  constexpr std::uint64_t kFinite = 0x3F3F3F3F3F3F3F3F;  // no exponent of all ones in any type
  noise_ = inputs_.size() * kPairs * kStates * input_slot_;
  Bytes bytes(noise_ + output_slot_ + sizeof kFinite);
  for (std::size_t set = 0; set < pairs_.size(); ++set) {
    for (std::size_t i = 0; i < kPairs; ++i) stage_pair(set, i, bytes);
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
  const std::size_t slot = ((set * kPairs + number) * kStates + pair.state()) * input_slot_;
  const auto* const staged = static_cast<const std::byte*>(memory_.staged->data()) + slot;
  for (const Pieces& input : exchanged_) {
    auto* const data = static_cast<std::byte*>(inputs_.on_device(set).tensors()[input.tensor]);
    device_.enqueue_copy(data + pair.queries[0] * input.bytes, staged + input.offset,
                         between_slot_and_tensor(input.bytes, pair.queries));
  }
}

void RowWatch::move(std::size_t set, std::size_t number) {
  Pair& pair = pairs_[set][number];
  if (exchanged_.empty() || pair.queries[0] == pair.queries[1]) return;
  if (turns_.of_weights()) {
    bool& either = below(2) == 0 ? pair.turned : pair.exchanged;
    either = !either;
  } else {
    pair.exchanged = !pair.exchanged;
    pair.turned = turns_.exist() && below(2) == 0;
  }
  place(set, pair, number);
}

void RowWatch::turn_back(std::size_t set) {
  for (std::size_t i = 0; i < pairs_[set].size(); ++i) {
    if (std::exchange(pairs_[set][i].turned, false)) place(set, pairs_[set][i], i);
  }
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
    if (!output.of_queries || !look.kept) {
      device_.enqueue_copy(data + pieces[0] * output.bytes, staged + output.offset,
                           between_slot_and_tensor(output.bytes, pieces));
      continue;
    }
    device_.enqueue_copy(data + pieces[1 - *look.kept] * output.bytes, staged + output.offset,
                         {output.bytes, 1, output.bytes, output.bytes});
  }
}

/// Of a sum one row that the pair's first query has a share in, where there is one.
RowWatch::Two RowWatch::draw_pieces(const Pieces& output, std::size_t set, const Pair& pair) {
  Two pieces = {below(output.count), below(output.count)};
  if (turns_.is_sum(output.tensor) && !exchanged_.empty()) {
    const std::vector<QueryShare>& shares = turns_.shares(set, pair.queries[0]);
    if (!shares.empty()) pieces[0] = shares[below(shares.size())].row;
  }
  std::ranges::sort(pieces);
  return pieces;
}

void RowWatch::touch(std::size_t set) {
  const Tensors& tensors = inputs_.on_device(set).tensors();
  for (const auto* all : {&exchanged_, &watched_}) {
    for (const Pieces& one : *all) touch_pages(tensors[one.tensor], one.bytes * one.count);
  }
}

RowWatch::Look RowWatch::look_at(std::size_t set, std::size_t number) {
  const Pair& pair = pairs_[set][number];
  const Two owners = {owner_of(set, pair.queries[0]), owner_of(set, pair.queries[1])};
  Look look{set, pair.queries, owners, turned_queries(set), {}, {}};
  for (const Pieces& output : watched_) {
    look.pieces.push_back(output.of_queries ? pair.queries : draw_pieces(output, set, pair));
  }
  return look;
}

std::optional<std::size_t> RowWatch::turn_another(std::size_t set, std::size_t number) {
  if (!moves_ || !turns_.of_weights() || exchanged_.empty()) return std::nullopt;
  const std::size_t other = (number + 1 + below(kPairs - 1)) % kPairs;
  Pair& pair = pairs_[set][other];
  if (pair.queries[0] == pair.queries[1]) return std::nullopt;
  pair.turned = !pair.turned;
  place(set, pair, other);
  return other;
}

void RowWatch::arrange(int launch) {
  const std::size_t set = inputs_.set_of_launch(launch);
  pending_[set].clear();
  if (watched_.empty() || looks_.size() + 2 > most_looks_) return;
  const std::size_t number = moves_ ? below(kPairs) : 0;
  const bool was_turned = pairs_[set][number].turned;
  if (moves_) move(set, number);
  const std::optional<std::size_t> other = turn_another(set, number);
  const bool is_last = launch + static_cast<int>(inputs_.size()) >= launches_;
  if (moves_ && is_last && turns_.of_weights()) turn_back(set);
  if (moves_ && prepares_) prepare_again(set);
  const Pair& pair = pairs_[set][number];
  Look look = look_at(set, number);
  if (moves_ && !exchanged_.empty() && pair.queries[0] != pair.queries[1]) {
    // Of a weight alone, nothing but the row that it belongs to tells.
    const bool is_weight = turns_.of_weights() && pair.turned != was_turned;
    look.kept = !is_weight ? below(2) : pair.exchanged ? 1 : 0;
  }
  pending_[set].push_back(std::move(look));
  if (!other) return;
  Look quiet = look_at(set, *other);
  quiet.overwritten = false;
  pending_[set].push_back(std::move(quiet));
}

/// Arms that prepare do it before the caches are flushed. All else that is new is written behind
/// that, when threads of an arm have no time to look at it; but for pages, which take time.
void RowWatch::make_ready(int launch) {
  if (launch >= launches_) return;
  const std::size_t set = inputs_.set_of_launch(launch);
  if (prepares_) arrange(launch);
  touch(set);
}

void RowWatch::before(int launch) {
  if (!on_cpu_ || !prepares_) arrange(launch);
  for (const Look& look : pending_[inputs_.set_of_launch(launch)]) {
    if (look.overwritten) overwrite(look);
  }
}

/// Who serves pages when they are read, be it in another process, has not written them.
void RowWatch::require_written(std::size_t set) const {
  for (const Look& look : pending_[set]) {
    for (const Pieces& output : watched_) {
      const auto* const data =
          static_cast<const std::byte*>(inputs_.on_device(set).tensors()[output.tensor]);
      for (const std::size_t piece : look.pieces[output.number]) {
        if (are_in_memory(data + piece * output.bytes, output.bytes)) continue;
        throw Error(fmt::format("pages of its output `{}` are not there after a launch",
                                op_.tensors()[output.tensor].name));
      }
    }
  }
}

void RowWatch::after(int launch) {
  const std::size_t set = inputs_.set_of_launch(launch);
  if (on_cpu_) require_written(set);
  for (Look& look : pending_[set]) {
    auto* const slot = static_cast<std::byte*>(memory_.log->data()) + looks_.size() * output_slot_;
    for (const Pieces& output : watched_) {
      const Two& pieces = look.pieces[output.number];
      const auto* const data =
          static_cast<const std::byte*>(inputs_.on_device(set).tensors()[output.tensor]);
      device_.enqueue_copy(slot + output.offset, data + pieces[0] * output.bytes,
                           reversed(between_slot_and_tensor(output.bytes, pieces)));
    }
    looks_.push_back(std::move(look));
  }
  pending_[set].clear();
  if (on_cpu_) make_ready(launch + 1);
}

bool RowWatch::has_moved(std::size_t set) const {
  return std::ranges::any_of(pairs_[set], &Pair::moved);
}

/// First all inputs, whatever the arm does when it prepares again.
void RowWatch::end() {
  std::vector<std::size_t> moved;
  for (std::size_t set = 0; set < pairs_.size(); ++set) {
    if (has_moved(set)) moved.push_back(set);
    for (std::size_t i = 0; i < pairs_[set].size(); ++i) {
      Pair& pair = pairs_[set][i];
      if (!pair.moved()) continue;
      pair.exchanged = pair.turned = false;
      place(set, pair, i);
    }
  }
  device_.wait();
  for (const std::size_t set : moved) prepare_again(set);
  device_.wait();
}

}  // namespace msda
