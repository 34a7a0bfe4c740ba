// Launches are looked at while they are timed. Before a launch two queries exchange their inputs,
// in place, and their rows of the outputs are overwritten; after it both rows are copied. They have
// to be right for the inputs that lie there now.
//
// A launch that does nothing leaves the overwritten rows, and one that hands out what it knows from
// before leaves two rows in each other's place.
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
#include "reference/bounds.hpp"

namespace msda {

/// An arm whose launches are watched.
struct WatchedArm {
  const Composition& composition;
  Prepared& prepared;
  /// The bounds of its output on an input set.
  std::function<const Bounds&(std::size_t set, std::size_t output)> bounds;
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
/// - Other outputs, which are sums over queries or follow from one: whether a launch wrote them. An
///   exchange of queries leaves such sums as they are.
/// - Where Operator::queries_are_alike() is false, or there is one query, inputs are not exchanged.
class RowWatch final : public LaunchWatch {
 public:
  /// A series of about `launches` launches.
  RowWatch(Device& device, GroupInputs& inputs, WatchMemory& memory, WatchedArm arm,
           const std::mt19937_64& generator, int launches);
  RowWatch(const RowWatch&) = delete;
  RowWatch& operator=(const RowWatch&) = delete;
  ~RowWatch() override;

  /// Before the series. Arms that make something of an input set before its launches
  /// (LaunchPart::outside) make it again: their inputs are exchanged once, here.
  void begin();
  void before(int launch) override;
  void after(int launch) override;
  int draw(int count) override;
  int sets() const override { return static_cast<int>(inputs_.size()); }

  /// What is wrong with the rows that were looked at, or "".
  std::string fault();
  /// Whether some rows of a set are exchanged now.
  bool has_exchanged(std::size_t set) const;
  /// Whether the output has rows of queries, which an exchange moves.
  bool has_queries(std::size_t output) const;
  /// Puts back those of `part`, which was read from byte `first` of an output on.
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
    bool exchanged = false;
  };
  /// What was there after a launch: a slot of the log.
  struct Look {
    std::size_t set;
    Two queries;
    Two owners;               ///< whose inputs lay at these queries
    std::vector<Two> pieces;  ///< by output
  };
  /// The bytes [begin, begin + size) of a part are those of a pair's query; those of the pair's
  /// other query begin at byte `partner` of the output.
  using VisitRow = std::function<void(std::size_t begin, std::size_t size, std::size_t partner)>;

  bool find_inputs();
  void find_outputs();
  std::size_t below(std::size_t count);
  Pair draw_pair(std::size_t set);
  bool overlaps(std::size_t set, const Pair& pair) const;
  /// Whose inputs lie at a query now.
  std::size_t owner_of(std::size_t set, std::size_t query) const;
  bool differ(std::size_t set, const Pair& pair) const;
  void stage();
  void toggle(std::size_t set, std::size_t number);
  void place(std::size_t set, const Pair& pair, std::size_t number);
  void overwrite(const Look& look);
  void prepare_again(std::size_t set);
  std::string fault_of(const Look& look, const Pieces& output, const std::byte* slot) const;
  const Pieces* rows_of(std::size_t output) const;
  void for_each_row(std::size_t set, std::size_t output, std::size_t first, std::size_t size,
                    bool exchanged, const VisitRow& visit) const;

  Device& device_;
  GroupInputs& inputs_;
  WatchMemory& memory_;
  WatchedArm arm_;
  const Operator& op_;
  std::mt19937_64 generator_;
  bool prepares_;                  ///< the arm has a part outside of its launches
  std::size_t queries_;            ///< that may be watched, over all images
  std::vector<Pieces> exchanged_;  ///< inputs
  std::vector<Pieces> watched_;    ///< outputs
  std::size_t input_slot_ = 0;     ///< bytes of the inputs of a pair
  std::size_t output_slot_ = 0;
  std::size_t noise_ = 0;                     ///< where it begins in `staged`
  std::vector<std::vector<Pair>> pairs_;      ///< by set
  std::vector<std::optional<Look>> pending_;  ///< of the launch at work, by set
  std::vector<Look> looks_;
  std::size_t most_looks_;
};

}  // namespace msda
