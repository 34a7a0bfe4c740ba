// What an operator's tensors are. Every list of tensors in the program is made of the TensorSpecs
// of one operator: sizes, files, hashes, uploads, guards, splits of a batch, places in messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <msda/problem.hpp>

namespace msda {

/// What an index of a tensor counts.
enum class Axis {
  kBatch,       ///< B, images
  kPixel,       ///< S, stored pixels of all levels
  kQuery,       ///< Q, of one image
  kHead,        ///< H
  kChannel,     ///< C, of one head
  kLevel,       ///< L
  kPoint,       ///< P, of one head and level
  kXY,          ///< 2: x, then y
  kReference,   ///< references of a query: one for each level, or its anchors
  kCoordinate,  ///< of a reference: 2 or 4
};

/// One tensor of an operator, dense and row-major: the last axis varies fastest.
struct TensorSpec {
  enum class Role {
    kInput,
    kDerived,  ///< an input that follows from the others (logits of weights): made for who wants it
    kOutput,
  };

  std::string_view name;  ///< of messages, records and arguments: "locations"
  std::string_view file;  ///< stem of its file: "sampling_locations"
  Role role = Role::kInput;
  std::array<Axis, 6> axes{};
  std::size_t rank = 0;
  /// The leading axes that number its rows; a row is one vector of the others. Errors of an output
  /// are judged by rows.
  std::size_t row_axes = 0;
  /// The problem's type that it is stored in; null: flags of one byte each, 0 or 1.
  DType Types::*type = nullptr;
  /// What of a problem says whether it has the tensor; null: each has.
  bool Problem::*present = nullptr;
  /// Of an output: the sum of many contributions. It arrives with any content, so clearing it is a
  /// part of each launch.
  bool accumulated = false;
  /// How many of the last axes its file holds as one: 2 for [B, Q, H*C].
  std::size_t file_joins = 1;
  /// Whether elements of a file may be NaN or infinite, as locations may.
  bool any_number = false;

  constexpr std::span<const Axis> dimensions() const { return std::span(axes).first(rank); }
  constexpr bool has(Axis axis) const {
    for (const Axis own : dimensions()) {
      if (own == axis) return true;
    }
    return false;
  }
};

/// "b", "s", "q", "h", "c", "l", "p", "xy", "r" or "k": an index in messages.
constexpr std::string_view name_of(Axis axis) {
  constexpr std::array<std::string_view, 10> kNames = {"b", "s", "q",  "h", "c",
                                                       "l", "p", "xy", "r", "k"};
  return kNames[static_cast<std::size_t>(axis)];
}

/// "B", "S", "Q", "H", "C", "L", "P", "2", "R" or "K": an extent in shapes.
constexpr std::string_view symbol_of(Axis axis) {
  constexpr std::array<std::string_view, 10> kSymbols = {"B", "S", "Q", "H", "C",
                                                         "L", "P", "2", "R", "K"};
  return kSymbols[static_cast<std::size_t>(axis)];
}

/// The most tensors that an operator may have.
inline constexpr std::size_t kMostTensors = 16;

/// False for an output that nobody asks for: it is null in Tensors.
inline bool is_asked(const Problem& problem, std::size_t tensor) {
  return (problem.unasked >> tensor & 1U) == 0;
}

/// False for a tensor that the problem does without: it has no elements and is null in Tensors.
inline bool is_there(const Problem& problem, const TensorSpec& spec) {
  return spec.present == nullptr || problem.*(spec.present);
}

/// Tensors of one input set on a device, by their number in the operator's list.
struct Tensors {
  std::array<void*, kMostTensors> data{};  ///< inputs must not be written to
  /// The problem's levels as operators of other frameworks get them, on the device too.
  const std::int64_t* shapes = nullptr;  ///< [L, 2]: height and width, without a border
  const std::int64_t* starts = nullptr;  ///< [L]: Problem::level_starts()

  void* operator[](std::size_t tensor) const { return data[tensor]; }
};

/// The number of elements along an axis. Where levels differ in their points, a row's points are
/// counted through all of them, as if they were those of one level.
inline std::int64_t extent(const Problem& problem, Axis axis) {
  switch (axis) {
    case Axis::kBatch: return problem.batch;
    case Axis::kPixel: return problem.spatial_size();
    case Axis::kQuery: return problem.queries;
    case Axis::kHead: return problem.heads;
    case Axis::kChannel: return problem.channels;
    case Axis::kLevel: return problem.level_points.empty() ? problem.level_count() : 1;
    case Axis::kPoint: return problem.level_points.empty() ? problem.points : problem.row_points();
    case Axis::kXY: return 2;
    case Axis::kReference: return problem.reference_count();
    case Axis::kCoordinate: return problem.references.coordinates;
  }
  return 0;
}

/// Not of flags.
inline DType type_of(const Problem& problem, const TensorSpec& spec) {
  return problem.types.*(spec.type);
}

inline std::size_t element_bytes(const Problem& problem, const TensorSpec& spec) {
  return spec.type == nullptr ? 1 : size_of(type_of(problem, spec));
}

/// What messages call the extent of an axis.
constexpr std::string_view words_of(Axis axis) {
  constexpr std::array<std::string_view, 10> kWords = {
      "batch",  "spatial_size", "queries",     "heads",      "channels",
      "levels", "points",       "coordinates", "references", "coordinates"};
  return kWords[static_cast<std::size_t>(axis)];
}

/// Throws UsageError that names the tensor when the count leaves 63 bits; never after validate().
inline std::int64_t elements(const Problem& problem, const TensorSpec& spec) {
  if (!is_there(problem, spec)) return 0;
  std::array<NamedSize, 6> sizes{};
  for (std::size_t d = 0; d < spec.rank; ++d) {
    sizes[d] = {words_of(spec.axes[d]), extent(problem, spec.axes[d])};
  }
  return checked_product(spec.name, std::span(sizes).first(spec.rank));
}

/// The same in bytes.
inline std::int64_t bytes_of(const Problem& problem, const TensorSpec& spec) {
  return checked_product(spec.name,
                         {{"elements", elements(problem, spec)},
                          {"bytes", static_cast<std::int64_t>(element_bytes(problem, spec))}});
}

/// Elements of one row.
inline std::int64_t row_elements(const Problem& problem, const TensorSpec& spec) {
  std::int64_t count = 1;
  for (const Axis axis : spec.dimensions().subspan(spec.row_axes)) count *= extent(problem, axis);
  return count;
}

/// What one call must move and compute. Bandwidths, bounds and % SOL come of this. Bytes; each
/// element counts once unless said otherwise.
struct Traffic {
  std::int64_t read = 0;         ///< inputs
  std::int64_t written = 0;      ///< outputs that are written once
  std::int64_t accumulated = 0;  ///< outputs that are sums of many contributions
  std::int64_t gathered = 0;     ///< read through the loop over points, as often as it reads
  std::int64_t scattered = 0;    ///< added to outputs through that loop, as often as it adds
  std::int64_t flops = 0;        ///< operations, as Operator::flops_text() counts them
  /// What every right implementation reads and writes, whatever it reuses or skips.
  std::int64_t least_read = 0;
  std::int64_t least_written = 0;

  /// Everything once: what crosses DRAM at least when nothing is cached.
  std::int64_t once() const { return read + written + accumulated; }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

}  // namespace msda
