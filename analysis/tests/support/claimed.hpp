// Claims made for tests, and a run that they speak of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "render/formats.hpp"
#include "support/synthetic.hpp"

namespace msda::claimed {

/// Short, since tables of cases repeat them.
inline constexpr auto kS = Claim::Quantity::kSpeedup;
inline constexpr auto kT = Claim::Quantity::kTime;
inline constexpr auto kL = Claim::Quantity::kSpeedOfLight;
inline constexpr auto kE = Claim::Quantity::kError;

inline Claim claim(const std::string& arm, Claim::Quantity quantity, const std::string& value,
                   ClaimedRange range = {}) {
  Claim claim;
  claim.text = "it is so";
  claim.source = "a paper";
  claim.arms = {arm};
  claim.quantity = quantity;
  claim.value = value;
  claim.range = range;
  return claim;
}

/// A run of base in 1 ms, of half and quarter in that share of it, and of broken, which is wrong.
inline Report report_of(const std::vector<Claim>& claims) {
  nlohmann::json list = nlohmann::json::array();
  for (const Claim& one : claims) list.push_back(to_json(one));
  const auto blocks = synthetic::steady(1e-3, 1, 8);
  nlohmann::json manifest = {
      {"claims", list},
      {"ceilings", {{"dram_bytes_per_second", 8e9}, {"gather_bytes_per_second", 1e15}}}};
  return make_report(std::move(manifest),
                     {synthetic::baseline("base", blocks),
                      synthetic::record("half", synthetic::scaled(blocks, 0.5, 0.001)),
                      synthetic::record("quarter", synthetic::scaled(blocks, 0.25, 0.001)),
                      synthetic::without_time("broken", CellStatus::kWrong, "NaN in row 3")});
}

/// A claim that half takes 671 us on a GPU where base takes 1342.
inline Claim from_elsewhere() {
  Claim claim = claimed::claim("half", kT, "671 us", {670.5e-6, 671.5e-6});
  claim.measured_on = "h100";
  claim.against = Claim::Reference{"base", "1342 us", {1341.5e-6, 1342.5e-6}};
  return claim;
}

}  // namespace msda::claimed
