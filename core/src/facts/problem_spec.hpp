// A problem and where its tensors come from.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <msda/problem.hpp>

#include "names.hpp"

namespace msda {

/// Where the sampling points of a generated input lie; design in docs/problems.md.
enum class Distribution { kUniform, kLocal, kDirectional, kClustered, kOutside, kBorder, kSame };

/// Which reference point a query of a generated input has.
enum class QueryOrder {
  kRaster,    ///< neighbours in the image are neighbours in memory, as in an encoder
  kShuffled,  ///< any, the same in all images
};

/// What the attention weights of a generated input are.
enum class WeightKind {
  kSoftmax,  ///< of normal logits: those of a query and head sum to 1
  kUniform,  ///< each from 0 to 1, as published benchmarks have them: sums are anything
};

struct Generation {
  Distribution distribution = Distribution::kUniform;
  double low = 0;  ///< uniform: where locations begin and end, in images
  double high = 1;
  WeightKind weights = WeightKind::kSoftmax;
  QueryOrder query_order = QueryOrder::kRaster;
  double sigma = 2.0;           ///< local, clustered: standard deviation of the offsets in pixels
  double outside_share = 0.25;  ///< outside: share of the points beyond the image, 0..1
  std::int64_t objects = 8;     ///< clustered: how many objects the queries gather around
  std::uint64_t seed = 1;
  friend bool operator==(const Generation&, const Generation&) = default;
};

std::string_view name_of(Distribution distribution);

template <>
struct Named<Distribution> {
  using D = Distribution;
  static constexpr const char* kWhat = "distribution";
  static constexpr std::array kValues = {D::kUniform, D::kLocal,  D::kDirectional, D::kClustered,
                                         D::kOutside, D::kBorder, D::kSame};
};

constexpr std::string_view name_of(QueryOrder order) {
  return order == QueryOrder::kRaster ? "raster" : "shuffled";
}

template <>
struct Named<QueryOrder> {
  static constexpr const char* kWhat = "order of queries";
  static constexpr std::array kValues = {QueryOrder::kRaster, QueryOrder::kShuffled};
};

constexpr std::string_view name_of(WeightKind kind) {
  return kind == WeightKind::kSoftmax ? "softmax" : "uniform";
}

template <>
struct Named<WeightKind> {
  static constexpr const char* kWhat = "kind of weights";
  static constexpr std::array kValues = {WeightKind::kSoftmax, WeightKind::kUniform};
};

/// Throws UsageError with the list of names and the nearest one.
Distribution parse_distribution(std::string_view name);

/// The tensors come from a directory, or from a generator.
struct ProblemSpec {
  Problem problem;             ///< name is the label; types are those the tensors are converted to
  std::string op = "forward";  ///< the operator that its arms compute
  std::optional<std::filesystem::path> directory;
  Generation generation;  ///< without a directory

  const std::string& name() const { return problem.name; }
};

/// Whether a kernel's times on both say something of the kernel: one operator, shape, types and way
/// to draw points. Seeds may differ, and what the files of a directory hold.
bool is_like(const ProblemSpec& a, const ProblemSpec& b);

}  // namespace msda
