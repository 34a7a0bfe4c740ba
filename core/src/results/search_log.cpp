#include "results/search_log.hpp"

#include "files/line_file.hpp"
#include "files/write.hpp"
#include "json_fields.hpp"
#include "json_text.hpp"
#include "results/json_lines.hpp"

namespace msda {
using nlohmann::json;

template <>
struct JsonFields<SearchedCandidate> {
  using C = SearchedCandidate;
  static auto without_time() {
    return std::tuple(json_field("number", &C::number), json_field("name", &C::name),
                      json_field("failure", &C::failure).unless_empty());
  }
  static auto list() {
    return std::tuple_cat(without_time(),
                          std::tuple(json_field("relative_l2", &C::relative_l2).optional(),
                                     json_field("seconds", &C::seconds).optional(),
                                     json_field("logs", &C::logs).optional()));
  }
};

template <>
json write_json<SearchedCandidate>(const SearchedCandidate& candidate) {
  using Fields = JsonFields<SearchedCandidate>;
  return candidate.failure.empty() ? write_json_fields(candidate, Fields::list())
                                   : write_json_fields(candidate, Fields::without_time());
}

template <>
struct JsonFields<SearchTrial> {
  using T = SearchTrial;
  static auto list() {
    return std::tuple(json_field("problem", &T::problem), json_field("mode", &T::mode),
                      json_field("trial", &T::number), json_field("stage", &T::stage),
                      json_field("seconds", &T::seconds),
                      json_field("baseline_seconds", &T::baseline_seconds),
                      json_field("candidates", &T::candidates));
  }
};

json to_json(const SearchTrial& trial) { return write_json(trial); }

SearchTrial search_trial_from_json(const json& value) {
  return from_json_document<SearchTrial>(value, "trial of a search");
}

std::vector<SearchTrial> read_search(const std::filesystem::path& file) {
  return read_json_lines(file, search_trial_from_json);
}

void append_search(const std::filesystem::path& file, const SearchTrial& trial) {
  open_lines(file);
  append_line(file, json_line(to_json(trial)));
}

void write_search(const std::filesystem::path& file, const std::vector<SearchTrial>& trials) {
  std::string text;
  for (const SearchTrial& trial : trials) text += json_line(to_json(trial)) + "\n";
  write_atomically(file, text);
}

}  // namespace msda
