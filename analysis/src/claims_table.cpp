#include "claims_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "text.hpp"

namespace msda {
namespace {

/// A ratio the way the claim writes it: "+5.3%" or "1.053x".
std::string ratio_like(const Claim& claim, double ratio) {
  if (!claim.value.ends_with('%')) return ratio_text(ratio);
  return fmt::format("{:+.1f}%", (ratio - 1) * 100);
}

std::string measured_text(const CheckedClaim& checked) {
  if (!checked.measured) return "-";
  switch (checked.claim.quantity) {
    case Claim::Quantity::kTime: return time_scale(*checked.measured).text(*checked.measured);
    case Claim::Quantity::kSpeedOfLight: return fmt::format("{:.1f}%", *checked.measured * 100);
    case Claim::Quantity::kSpeedup:
    case Claim::Quantity::kNotTestable: break;
  }
  const std::string ratio = ratio_like(checked.claim, *checked.measured);
  if (!checked.interval_95) return ratio;
  return fmt::format("{} [{}, {}]", ratio, ratio_like(checked.claim, checked.interval_95->low),
                     ratio_like(checked.claim, checked.interval_95->high));
}

std::string claimed_text(const Claim& claim) {
  if (claim.quantity == Claim::Quantity::kNotTestable) return "-";
  const std::string value = printable_line(claim.value);
  if (claim.quantity == Claim::Quantity::kSpeedOfLight) return value + " of light";
  return claim.over.empty() ? value : fmt::format("{} over {}", value, printable_line(claim.over));
}

std::string where_text(const CheckedClaim& checked) {
  if (checked.problem.empty()) return "-";
  return fmt::format("{}, {}", printable_line(checked.problem), name_of(checked.mode));
}

/// "12 of 20 claims are confirmed, 3 smaller, ..."
std::string summary_of(const std::vector<CheckedClaim>& claims) {
  constexpr std::array kOrder = {
      ClaimVerdict::kConfirmed, ClaimVerdict::kSmaller,   ClaimVerdict::kLarger,
      ClaimVerdict::kFaster,    ClaimVerdict::kSlower,    ClaimVerdict::kNoEffect,
      ClaimVerdict::kOpposite,  ClaimVerdict::kUndecided, ClaimVerdict::kNotTestable};
  std::vector<std::string> parts;
  for (const ClaimVerdict verdict : kOrder) {
    const auto count = std::count_if(claims.begin(), claims.end(), [&](const auto& checked) {
      return checked.verdict == verdict;
    });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  }
  return fmt::format("Of {} checks: {}.", claims.size(), fmt::join(parts, ", "));
}

}  // namespace

std::optional<Layout> lay_out_claims(const Report& report) {
  const std::vector<CheckedClaim>& claims = report.claims;
  if (claims.empty()) return std::nullopt;
  Layout layout;
  layout.title = "Claims";
  layout.headline = summary_of(claims);
  layout.columns = {{"source", false},  {"claim", false},   {"arm", false},    {"claimed", false},
                    {"problem", false}, {"measured [95%]"}, {"verdict", false}};
  for (const CheckedClaim& checked : claims) {
    const Claim& claim = checked.claim;
    std::string verdict(name_of(checked.verdict));
    const std::string& footnote = checked.reason.empty() ? claim.note : checked.reason;
    if (!footnote.empty()) {
      verdict += fmt::format(" [{}]", footnote_number(layout.reasons, printable(footnote)));
    }
    layout.rows.push_back({printable_line(claim.source), printable_line(claim.text),
                           printable_line(claim.arm), claimed_text(claim), where_text(checked),
                           measured_text(checked), verdict});
    layout.verdicts.emplace_back(name_of(checked.verdict));
  }
  layout.remarks = {fmt::format(
      "A claim is confirmed when the measured value lies in the claimed range, widened by {:.0f}%; "
      "a single number stands for all that round to it. Smaller and larger speak of the size of an "
      "effect in the claimed direction.",
      kEquivalence * 100)};
  return layout;
}

}  // namespace msda
