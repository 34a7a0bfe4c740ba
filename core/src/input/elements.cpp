#include "input/elements.hpp"

#include <Eigen/Core>

#include <cstring>

namespace msda {
namespace {

/// Calls body with a value-initialised element of the type: a type argument for a generic lambda.
template <class Body>
void with_element_type(DType type, const Body& body) {
  switch (type) {
    case DType::kFloat32: body(float{}); return;
    case DType::kFloat16: body(Eigen::half{}); return;
    case DType::kBFloat16: body(Eigen::bfloat16{}); return;
  }
}

template <class Element>
Element read_as(const std::byte* data, std::int64_t i) {
  Element element;
  std::memcpy(&element, data + i * static_cast<std::int64_t>(sizeof(Element)), sizeof(Element));
  return element;
}

template <class Element>
void write_as(float x, std::byte* data, std::int64_t i) {
  const auto element = static_cast<Element>(x);
  std::memcpy(data + i * static_cast<std::int64_t>(sizeof(Element)), &element, sizeof(Element));
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
  with_element_type(type, [&](auto element) {
    for (float& x : out) x = static_cast<float>(read_as<decltype(element)>(data, first++));
  });
}

void store_floats(DType type, std::span<const float> in, std::byte* data, std::int64_t first) {
  with_element_type(type, [&](auto element) {
    for (const float x : in) write_as<decltype(element)>(x, data, first++);
  });
}

bool converts_exactly(DType from, DType to) { return from == to || to == DType::kFloat32; }

}  // namespace msda
