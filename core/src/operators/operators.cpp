#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <msda/error.hpp>

#include "nearest.hpp"
#include "operators/built_in.hpp"
#include "operators/one_pass.hpp"
#include "operators/operator.hpp"
#include "reference/cached_reference.hpp"

namespace msda {
namespace {

std::vector<std::unique_ptr<Operator>>& added_operators() {
  static std::vector<std::unique_ptr<Operator>> added;
  return added;
}

}  // namespace

OperatorRegistration::OperatorRegistration(std::unique_ptr<Operator> added) {
  added_operators().push_back(std::move(added));
}

std::vector<const Operator*> operators() {
  std::vector<const Operator*> all = built_in_operators();
  for (const auto& added : added_operators()) all.push_back(added.get());
  std::ranges::sort(all, {}, &Operator::name);
  return all;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operator* one : operators()) names.emplace_back(one->name());
  return names;
}

const Operator& find_operator(std::string_view name) {
  for (const Operator* one : operators()) {
    if (one->name() == name) return *one;
  }
  throw_no_such_name("operator", name, operator_names());
}

Bytes Operator::derive(const Input&, std::size_t tensor) const {
  throw Unsupported(fmt::format("{}: nothing derives '{}'", name(), tensors()[tensor].name));
}

Traffic Operator::least_traffic(const Input& input) const {
  Traffic least = traffic(input.problem);
  least.read = least.least_read;
  least.gathered = least.scattered = 0;
  return least;
}

std::vector<std::size_t> Operator::outputs() const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < tensors().size(); ++i) {
    if (tensors()[i].role == TensorSpec::Role::kOutput) numbers.push_back(i);
  }
  return numbers;
}

std::vector<std::size_t> Operator::outputs(const Problem& problem) const {
  std::vector<std::size_t> numbers = outputs();
  std::erase_if(numbers, [&](std::size_t number) { return !is_asked(problem, number); });
  return numbers;
}

bool Operator::has_tensors_of(const Operator& other) const {
  return tensors().data() == other.tensors().data();
}

std::vector<Truth> make_truths(const Operator& op, const Input& input, unsigned threads) {
  // What hardly costs anything would be slower from the cache.
  if (const auto* const one_pass = dynamic_cast<const OnePass*>(&op)) {
    return one_pass->judge(input, threads);
  }
  std::vector<std::vector<double>> computed;  // all outputs at once, when one is not in the cache
  std::vector<std::vector<double>> outputs;
  const bool keeps_some = std::ranges::any_of(op.outputs(input.problem), [&](std::size_t number) {
    return keeps_reference(elements(input.problem, op.tensors()[number]));
  });
  const std::string hash = keeps_some ? content_hash(input) : "";
  for (std::size_t i = 0; const std::size_t number : op.outputs(input.problem)) {
    const TensorSpec& spec = op.tensors()[number];
    outputs.push_back(cached_reference(fmt::format("{}-{}-{}", hash, op.name(), spec.name),
                                       elements(input.problem, spec), [&] {
                                         if (computed.empty())
                                           computed = op.reference(input, threads);
                                         return std::move(computed[i]);
                                       }));
    ++i;
  }
  return op.judge_by(input, std::move(outputs), threads);
}

}  // namespace msda
