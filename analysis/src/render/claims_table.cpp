#include "render/claims_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <msda/error.hpp>

#include "render/text.hpp"

namespace msda {
namespace {

/// "671.3 us [670.1, 672.5]", with the bracket where there is an interval.
template <class Number>
std::string with_interval(const CheckedClaim& checked, const std::string& unit,
                          const Number& number) {
  std::string text = number(*checked.measured) + unit;
  if (!checked.interval_95) return text;
  return fmt::format("{} [{}, {}]", text, number(checked.interval_95->low),
                     number(checked.interval_95->high));
}

std::string with_scale(const CheckedClaim& checked, const Scale& scale) {
  return with_interval(checked, " " + scale.unit,
                       [&](double value) { return scale.number(value); });
}

/// Numbers that have no interval are the same in every run.
std::string exact_text(double value, Claim::Quantity quantity) {
  return quantity == Claim::Quantity::kError ? fmt::format("{:.1e}", value)
                                             : fmt::format("{:.3g} FLOP/B", value);
}

/// In the form in which the claim was written, so that the two compare at a glance.
std::string measured_text(const CheckedClaim& checked) {
  if (!checked.measured) return "-";
  const double value = *checked.measured;
  const double claimed = checked.claim.range.high;
  if (checked.as_ratio) return ratio_text(value, checked.interval_95);
  switch (checked.claim.quantity) {
    case Claim::Quantity::kTime: return with_scale(checked, time_scale(std::min(value, claimed)));
    case Claim::Quantity::kThroughput: return with_scale(checked, flops_scale(value));
    case Claim::Quantity::kBandwidth: return with_scale(checked, bytes_scale(value));
    case Claim::Quantity::kIntensity:
    case Claim::Quantity::kError: return exact_text(value, checked.claim.quantity);
    case Claim::Quantity::kSpeedOfLight:
      return with_interval(checked, "%",
                           [](double share) { return fmt::format("{:.1f}", share * 100); });
    case Claim::Quantity::kCounter:
      return fmt::format("{:.4g}{}", value, checked.claim.value.ends_with('%') ? "%" : "");
    case Claim::Quantity::kSpeedup:
    case Claim::Quantity::kOutcome:
    case Claim::Quantity::kNotTestable: break;
  }
  if (!checked.claim.value.ends_with('%')) {
    return ratio_text(*checked.measured, checked.interval_95);
  }
  return with_interval(checked, "%",
                       [](double ratio) { return fmt::format("{:+.1f}", (ratio - 1) * 100); });
}

std::string claimed_text(const CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  if (claim.quantity == Claim::Quantity::kNotTestable) return "-";
  const std::string value = printable_line(claim.value);
  if (claim.quantity == Claim::Quantity::kSpeedOfLight) return value + " SOL";
  if (claim.quantity == Claim::Quantity::kError) return "error " + value;
  if (claim.against) {
    return fmt::format("{} of {} for {}", value, printable_line(claim.against->value),
                       printable_line(claim.against->arm));
  }
  if (claim.over.size() < 2) {
    const std::string over = printable_line(claim.over_text());
    return over.empty() ? value : fmt::format("{} over {}", value, over);
  }
  return fmt::format("{} over {}the fastest of {}", value,
                     checked.over.empty() ? "" : printable_line(checked.over) + ", ",
                     claim.over.size());
}

std::string where_text(const CheckedClaim& checked) {
  if (checked.problem.empty()) return "-";
  return fmt::format("{}, {}", printable_line(checked.problem), name_of(checked.mode));
}

/// "12 of 20 claims are confirmed, 3 smaller, ..."
std::string summary_of(const std::vector<CheckedClaim>& claims) {
  constexpr std::array kOrder = {
      ClaimVerdict::kConfirmed, ClaimVerdict::kSmaller,     ClaimVerdict::kLarger,
      ClaimVerdict::kFaster,    ClaimVerdict::kSlower,      ClaimVerdict::kNotMet,
      ClaimVerdict::kNoEffect,  ClaimVerdict::kOpposite,    ClaimVerdict::kNotReproduced,
      ClaimVerdict::kUndecided, ClaimVerdict::kNotProfiled, ClaimVerdict::kNotTestable};
  std::vector<std::string> parts;
  for (const ClaimVerdict verdict : kOrder) {
    const auto count = std::count_if(claims.begin(), claims.end(), [&](const auto& checked) {
      return checked.verdict == verdict;
    });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  }
  return fmt::format("Of {} checks: {}.", claims.size(), fmt::join(parts, ", "));
}

/// Footnotes come after the verdict.
void add_claim(const Report& report, const CheckedClaim& checked, bool several, Layout& layout) {
  const Claim& claim = checked.claim;
  std::string verdict(name_of(checked.verdict));
  for (const std::string& footnote : {checked.reason, checked.remark, claim.note}) {
    if (footnote.empty()) continue;
    verdict += fmt::format(" [{}]", footnote_number(layout.reasons, printable(footnote)));
  }
  std::vector<std::string> cells{printable_line(claim.source),
                                 printable_line(claim.text),
                                 printable_line(claim.arm_text()),
                                 claimed_text(checked),
                                 where_text(checked),
                                 measured_text(checked),
                                 verdict};
  if (several) cells.insert(cells.begin(), name_of(report));
  layout.rows.push_back(std::move(cells));
  layout.verdicts.emplace_back(name_of(checked.verdict));
}

/// What the intervals of a run's claims are over, for a table that is apart from the run's own: ""
/// where there are none.
std::string replication_of(const Report& report) {
  int processes = 0;
  bool has_interval = false;
  for (const CheckedClaim& checked : report.claims) {
    has_interval = has_interval || checked.interval_95.has_value();
    if (checked.replication == Replication::kProcesses) {
      processes = std::max(processes, checked.replicates);
    }
  }
  if (processes > 0) return fmt::format(", {} processes", processes);
  if (!has_interval) return "";
  return ", one process, so that differences between processes are not in the intervals";
}

}  // namespace

std::optional<Layout> lay_out_claims(std::span<const Report> reports) {
  const bool several = reports.size() > 1;
  Layout layout;
  layout.of_all_problems = true;
  layout.title = "Claims";
  layout.columns = {{"source", false},  {"claim", false},   {"arm", false},    {"claimed", false},
                    {"problem", false}, {"measured [95%]"}, {"verdict", false}};
  if (several) layout.columns.insert(layout.columns.begin(), {"run", false});
  std::vector<CheckedClaim> all;
  for (const Report& report : reports) {
    for (const CheckedClaim& checked : report.claims) add_claim(report, checked, several, layout);
    all.insert(all.end(), report.claims.begin(), report.claims.end());
  }
  if (all.empty()) return std::nullopt;
  layout.headline = summary_of(all);
  layout.remarks = {fmt::format(
      "A claim is confirmed when the 95% interval meets the claimed range, widened by {:.0f}%; a "
      "single number stands for all that round to it. Smaller and larger speak of the size of an "
      "effect in the claimed direction. Not met: less than is claimed, and the interval leaves "
      "open "
      "whether there is an effect. Undecided: it allows the claim and something else.",
      kEquivalence * 100)};
  return layout;
}

Document claims_document(std::span<const Report> reports) {
  auto layout = lay_out_claims(reports);
  if (!layout) throw UsageError("none of these runs has a claim in its experiment that ran");
  Document document;
  document.title = "Claims";
  for (const Report& report : reports) {
    document.notes.push_back(
        fmt::format("{}: {}{}", name_of(report), context_of(report), replication_of(report)));
  }
  document.layouts.push_back(*std::move(layout));
  return document;
}

}  // namespace msda
