#include <cstdint>

#include "hash.hpp"
#include "input/input.hpp"

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
}

}  // namespace

std::string content_hash(const Input& input) {
  Hash hash;
  add_problem(hash, input.problem);
  for (const Bytes* tensor : {&input.value, &input.locations, &input.weights}) {
    hash.add(tensor->data(), tensor->size());
  }
  return hash.hex();
}

}  // namespace msda
