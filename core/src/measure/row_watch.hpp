// Launches are looked at while they are timed. Before a launch two queries exchange their inputs,
// in place, and one of their rows of the outputs, drawn, is overwritten; after it both rows are
// copied. They have to be right for the inputs that lie there now. Where the operator is a
// WeightedSum, one weight of a query becomes zero, or comes back, before about half of the launches
// instead: which queries are others, no sample of the inputs tells. And before each launch a weight
// of yet another query does, of whose rows none is overwritten: nothing but the weight tells.
//
// A launch that does nothing leaves the overwritten row. One that hands out what it knows from
// before leaves two rows in each other's place, and one that only writes rows anew which somebody
// else has written to leaves the other one. Of gradients one of the queries is turned as well, as
// drawn (query_turns.hpp), so that sums over queries are others too.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "measure/group_inputs.hpp"
#include "measure/query_turns.hpp"
#include "reference/bounds.hpp"

namespace msda {

/// An arm whose launches are watched.
struct WatchedArm {
  const Composition& composition;
  Prepared& prepared;
  /// The bounds of its output on an input set.
  std::function<const Bounds&(std::size_t set, std::size_t output)> bounds;
  /// What it does outside of its launches is a part of what is watched.
  bool all_parts = false;
};

/// Device memory of one watch after the other.
struct WatchMemory {
  std::unique_ptr<DeviceMemory> staged;  ///< both states of the inputs of each pair, and noise
  std::unique_ptr<DeviceMemory> log;     ///< rows of outputs
};

/// Watches one series of launches. When it goes, however the series ended, all inputs are as they
/// were before. What it can see of an operator:
///
/// - Outputs with rows of queries: whether a launch wrote them, and whether from these inputs.
/// - The sum over queries of a LinearOperator: the same, of a row that a turned query has a share
/// in.
/// - Other outputs: whether a launch wrote them. An exchange of queries leaves sums as they are.
/// - Where Operator::queries_are_alike() is false, or there is one query, inputs are not exchanged.
class RowWatch final : public LaunchWatch {
 public:
  /// A series of about `launches` launches.
  RowWatch(Device& device, GroupInputs& inputs, WatchMemory& memory, WatchedArm arm,
           const std::mt19937_64& generator, int launches);
  RowWatch(const RowWatch&) = delete;
  RowWatch& operator=(const RowWatch&) = delete;
  ~RowWatch() override;

  /// Before the series. On a GPU, arms that make something of an input set before its launches
  /// (LaunchPart::outside) make it again: their inputs are exchanged once, here. Elsewhere they
  /// make it again before each launch that is watched.
  void begin();
  void before(int launch) override;
  void after(int launch) override;
  int draw(int count) override;
  int sets() const override { return static_cast<int>(inputs_.size()); }
  const void* arm() const override { return &arm_.prepared; }

  /// What is wrong with the rows that were looked at, or "".
  std::string fault();
  /// Whether some queries of a set are exchanged or turned now.
  bool has_moved(std::size_t set) const;
  /// Whether the output has rows of queries, which an exchange moves.
  bool has_queries(std::size_t output) const;
  /// Puts back those of `part`, which was read from byte `first` of an output on. Rows of a sum
  /// that turned queries have a share in become what they should be otherwise.
  void undo(std::size_t set, std::size_t output, std::size_t first, Bytes& part) const;
  /// Takes those of all pairs of the series from `other`, the same part of another launch.
  void replace(std::size_t set, std::size_t output, std::size_t first, Bytes& part,
               const Bytes& other) const;
  /// Leaves all inputs as they were.
  void end();

 private:
  /// A tensor, the bytes of one piece of it (all rows of a query, or one row), and where two of
  /// these lie in a slot.
  struct Pieces {
    std::size_t tensor;
    std::size_t number;  ///< of an output, among the outputs
    std::size_t bytes;
    std::size_t offset;
    std::size_t count;  ///< pieces that may be watched: of the first image alone where others lie
                        ///< on other devices
    bool of_queries;
  };
  using Two = std::array<std::size_t, 2>;
  /// Two queries of an image, counted over all images, in rising order.
  struct Pair {
    Two queries;
    std::size_t weight = 0;  ///< of the first one, left out when that is turned
    bool exchanged = false;
    bool turned = false;  ///< the first one, wherever its inputs lie

    bool moved() const { return exchanged || turned; }
    /// Among the states that are staged.
    std::size_t state() const { return (exchanged ? 1U : 0U) + (turned ? 2U : 0U); }
  };
  static constexpr std::size_t kStates = 4;
  /// What was there after a launch: a slot of the log.
  struct Look {
    std::size_t set;
    Two queries;
    Two owners;                       ///< whose inputs lay at these queries
    std::vector<std::size_t> turned;  ///< all queries of the set that were
    std::vector<Two> pieces;          ///< by output
    std::optional<std::size_t> kept;  ///< which of the two queries keeps its rows
    bool overwritten = true;          ///< false: both keep them, and so does all else
  };
  /// The bytes [begin, begin + size) of a part are those of a pair's query. What was made of its
  /// inputs begins at byte `from` of the output, `turned` or not.
  using VisitRow =
      std::function<void(std::size_t begin, std::size_t size, std::size_t from, bool turned)>;

  bool find_inputs();
  void find_outputs();
  std::size_t below(std::size_t count);
  Pair draw_pair(std::size_t set);
  bool overlaps(std::size_t set, const Pair& pair) const;
  /// Whose inputs lie at a query now.
  std::size_t owner_of(std::size_t set, std::size_t query) const;
  std::vector<std::size_t> turned_queries(std::size_t set) const;
  bool differ(std::size_t set, const Pair& pair) const;
  std::size_t draw_weight(std::size_t set, std::size_t query);
  /// Puts all weights back, before the set's last launch: then all bits are as they were.
  void turn_back(std::size_t set);
  void stage_pair(std::size_t set, std::size_t number, Bytes& staged) const;
  void stage();
  /// Exchanges the pair, and turns its first query or not, as drawn.
  void move(std::size_t set, std::size_t number);
  /// Turns a weight of another pair than `number`, where there are such, and says which.
  std::optional<std::size_t> turn_another(std::size_t set, std::size_t number);
  /// Leaves the set's inputs as the launch is to find them, and makes the looks at it.
  void arrange(int launch);
  /// On a CPU, when nothing is measured: what has to be done before caches are flushed.
  void make_ready(int launch);
  Look look_at(std::size_t set, std::size_t number);
  void place(std::size_t set, const Pair& pair, std::size_t number);
  Two draw_pieces(const Pieces& output, std::size_t set, const Pair& pair);
  void overwrite(const Look& look);
  void touch(std::size_t set);
  void require_written(std::size_t set) const;
  void prepare_again(std::size_t set);
  std::string fault_of(const Look& look, const Pieces& output, const std::byte* slot) const;
  bool is_right_for(const Look& look, const Pieces& output, Bytes bytes, std::size_t query) const;
  std::string fault_of_sum(const Look& look, const Pieces& output, std::size_t piece,
                           const Bytes& bytes) const;
  void undo_sum(std::size_t set, std::size_t output, std::size_t first, Bytes& part) const;
  const Pieces* rows_of(std::size_t output) const;
  void for_each_row(std::size_t set, std::size_t output, std::size_t first, std::size_t size,
                    bool moved, const VisitRow& visit) const;

  Device& device_;
  GroupInputs& inputs_;
  WatchMemory& memory_;
  WatchedArm arm_;
  const Operator& op_;
  QueryTurns turns_;
  std::mt19937_64 generator_;
  bool on_cpu_;
  bool prepares_;                  ///< the arm has a part outside of what is watched
  bool moves_;                     ///< inputs are exchanged before each launch
  std::size_t queries_;            ///< that may be watched, over all images
  std::vector<Pieces> exchanged_;  ///< inputs
  std::vector<Pieces> watched_;    ///< outputs
  std::size_t input_slot_ = 0;     ///< bytes of the inputs of a pair
  std::size_t output_slot_ = 0;
  std::size_t noise_ = 0;                   ///< where it begins in `staged`
  std::vector<std::vector<Pair>> pairs_;    ///< by set
  std::vector<std::vector<Look>> pending_;  ///< of the launch at work, by set
  std::vector<Look> looks_;
  std::size_t most_looks_;
  int launches_;
};

}  // namespace msda
