#include "render/search_json.hpp"

#include "render/json_number.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

Json finalist_json(const FinalistResult& finalist) {
  Json object = {{"name", finalist.name},
                 {"description", finalist.description},
                 {"searched_gain", finalist.searched_gain},
                 {"confirmed_gain", Json()},
                 {"confirmed_gain_95", Json()},
                 {"verdict", "not run"}};
  if (!finalist.confirmation) return object;
  const Confirmation& confirmation = *finalist.confirmation;
  object["confirmed_gain"] = json_number(confirmation.gain);
  if (confirmation.gain_95) {
    object["confirmed_gain_95"] = {confirmation.gain_95->low, confirmation.gain_95->high};
  }
  object["p"] = confirmation.p;
  object["verdict"] = confirmation.verdict;
  return object;
}

Json factor_json(const FactorWorth& factor) {
  Json levels = Json::array();
  for (const LevelWorth& level : factor.levels) {
    levels.push_back({{"level", level.level},
                      {"tried", level.tried},
                      {"best_with_it", json_number(level.best_with_it)},
                      {"at_the_winner", json_number(level.at_the_winner)},
                      {"measured", level.measured},
                      {"of_the_winner", level.of_the_winner}});
  }
  return {{"factor", factor.factor},
          {"own_share", factor.shares.own},
          {"total_share", factor.shares.total},
          {"total_share_of_all", factor.shares.total_of_all},
          {"levels", std::move(levels)}};
}

}  // namespace

Json to_json(const std::vector<SearchReport>& searches) {
  Json list = Json::array();
  for (const SearchReport& search : searches) {
    Json finalists = Json::array();
    for (const FinalistResult& one : search.finalists) finalists.push_back(finalist_json(one));
    Json factors = Json::array();
    for (const FactorWorth& one : search.factors) factors.push_back(factor_json(one));
    const Json winner = search.winner ? Json(search.finalists[*search.winner].name) : Json();
    list.push_back({{"problem", search.problem},
                    {"mode", name_of(search.mode)},
                    {"baseline", search.baseline},
                    {"failure", search.failure},
                    {"points", search.points},
                    {"left", search.left},
                    {"tried", search.tried.size()},
                    {"seconds", search.seconds},
                    {"winner", winner},
                    {"finalists", std::move(finalists)},
                    {"factors", std::move(factors)}});
  }
  return list;
}

}  // namespace msda
