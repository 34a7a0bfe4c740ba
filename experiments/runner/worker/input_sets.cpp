#include "runner/worker/input_sets.hpp"

#include <future>

#include <fmt/format.h>

#include "json_text.hpp"
#include "results/entries_json.hpp"

namespace msda {
namespace {

/// More input sets than any experiment may ask for, so that no two processes share a seed.
constexpr std::uint64_t kSaltsPerProcess = 1000;

InputSet make_set(const ProblemSpec& spec, std::uint64_t salt) {
  auto input = std::make_shared<const Input>(make_input(spec, salt));
  const Operator& op = find_operator(spec.op);
  // One thread hashes as long as all others need for the rest.
  std::future<std::string> hash =
      std::async(std::launch::async, [&own = *input] { return content_hash(own); });
  auto truths = std::make_shared<const std::vector<Truth>>(make_truths(op, *input));
  return {std::move(input), hash.get(), &op, std::move(truths)};
}

}  // namespace

const std::vector<InputSet>& InputSets::get(const ProblemSpec& spec, int count, int process) {
  std::string key = fmt::format("{} {} {}", json_text(write_json(spec)), count, process);
  if (key == key_) return sets_;
  key_.clear();
  sets_.clear();  // before the new ones are made: two problems at once may not fit
  for (int set = 0; set < count; ++set) {
    const bool same = spec.directory.has_value() && set > 0;
    const auto salt =
        static_cast<std::uint64_t>(process) * kSaltsPerProcess + static_cast<std::uint64_t>(set);
    sets_.push_back(same ? sets_.front() : make_set(spec, salt));
  }
  key_ = std::move(key);
  return sets_;
}

}  // namespace msda
