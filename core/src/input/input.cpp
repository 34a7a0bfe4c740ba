#include "input/input.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include <msda/error.hpp>

#include "hash.hpp"

namespace msda {
namespace {

void add_number(Hash& hash, std::int64_t number) { hash.add(&number, sizeof(number)); }

void add_problem(Hash& hash, const Problem& p) {
  for (const std::int64_t number : {p.batch, p.queries, p.heads, p.channels, p.points,
                                    p.level_count(), static_cast<std::int64_t>(p.layout)}) {
    add_number(hash, number);
  }
  for (const Level& level : p.levels) {
    add_number(hash, level.height);
    add_number(hash, level.width);
  }
  for (const DType type : {p.types.value, p.types.location, p.types.weight, p.types.output}) {
    add_number(hash, static_cast<std::int64_t>(type));
  }
  for (const std::int64_t points : p.level_points) add_number(hash, points);
  // Inputs without reference points keep the hashes that they had before there were any.
  if (p.references == References() && p.types.reference == Types().reference) return;
  for (const std::int64_t number : {p.references.coordinates, p.references.anchors,
                                    static_cast<std::int64_t>(p.types.reference)}) {
    add_number(hash, number);
  }
  if (p.references.scale != References().scale) {
    hash.add(&p.references.scale, sizeof(p.references.scale));
  }
  for (const double scale : p.references.point_scales) hash.add(&scale, sizeof scale);
}

}  // namespace

Bytes& Input::at(std::string_view name) {
  return const_cast<Bytes&>(std::as_const(*this).at(name));
}

const Bytes& Input::at(std::string_view name) const {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == name) return tensors[i];
  }
  throw Error(fmt::format("the operator has no tensor '{}'", name));
}

std::string content_hash(const Input& input) {
  Hash hash;
  add_problem(hash, input.problem);
  for (const Bytes& tensor : input.tensors) hash.add(tensor.data(), tensor.size());
  return hash.hex();
}

}  // namespace msda
