#include "input/elements.hpp"

#include <cstring>

#include <msda/elements.hpp>

namespace msda {
namespace {

template <class T>
float read_as(const std::byte* data, std::int64_t i) {
  T element;
  std::memcpy(&element, data + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return to_float(element);
}

template <class T>
void write_as(float x, std::byte* data, std::int64_t i) {
  T element;
  from_float(x, element);
  std::memcpy(data + i * static_cast<std::int64_t>(sizeof(T)), &element, sizeof(T));
}

}  // namespace

double load_element(DType type, const std::byte* data, std::int64_t i) {
  float x = 0;
  load_floats(type, data, i, {&x, 1});
  return x;
}

void store_element(DType type, std::byte* data, std::int64_t i, float x) {
  store_floats(type, {&x, 1}, data, i);
}

void load_floats(DType type, const std::byte* data, std::int64_t first, std::span<float> out) {
  with_type(type, [&]<DType kType>() {
    for (float& x : out) x = read_as<Element<kType>>(data, first++);
  });
}

void store_floats(DType type, std::span<const float> in, std::byte* data, std::int64_t first) {
  with_type(type, [&]<DType kType>() {
    for (const float x : in) write_as<Element<kType>>(x, data, first++);
  });
}

bool converts_exactly(DType from, DType to) { return from == to || to == kWidest; }

}  // namespace msda
