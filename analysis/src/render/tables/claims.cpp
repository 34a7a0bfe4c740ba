#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/document.hpp"
#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

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

/// In the form in which the claim was written, so that the two compare at a glance.
std::string measured_text(const CheckedClaim& checked) {
  if (!checked.measured) return "-";
  const double value = *checked.measured;
  const double claimed = checked.claim.range.high;
  if (checked.as_ratio) return ratio_text(value, checked.interval_95);
  switch (describe(checked.claim.quantity).kind) {
    case ClaimedKind::kSeconds: return with_scale(checked, time_scale(std::min(value, claimed)));
    case ClaimedKind::kOperationRate: return with_scale(checked, flops_scale(value));
    case ClaimedKind::kByteRate: return with_scale(checked, bytes_scale(value));
    case ClaimedKind::kIntensity: return fmt::format("{:.3g} FLOP/B", value);
    case ClaimedKind::kError: return fmt::format("{:.1e}", value);
    case ClaimedKind::kShare:
      return with_interval(checked, "%",
                           [](double share) { return fmt::format("{:.1f}", share * 100); });
    case ClaimedKind::kCount:
      return fmt::format("{:.4g}{}", value, checked.claim.value.ends_with('%') ? "%" : "");
    case ClaimedKind::kRatio:
    case ClaimedKind::kNoNumber: break;
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
  const ClaimedKind kind = describe(claim.quantity).kind;
  if (kind == ClaimedKind::kShare) return value + " SOL";
  if (kind == ClaimedKind::kError) return "error " + value;
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

/// "12 of 20 claims are confirmed, 3 smaller, ..."
std::string summary_of(const std::vector<CheckedClaim>& claims) {
  using V = ClaimVerdict;
  constexpr std::array kOrder = {V::kConfirmed,   V::kSmaller,       V::kLarger,     V::kFaster,
                                 V::kSlower,      V::kNotMet,        V::kNoEffect,   V::kNoGain,
                                 V::kOpposite,    V::kNotReproduced, V::kUndecided,  V::kEstimate,
                                 V::kNotProfiled, V::kNotComparable, V::kNotTestable};
  std::vector<std::string> parts;
  for (const ClaimVerdict verdict : kOrder) {
    const auto count = std::ranges::count_if(
        claims, [&](const auto& checked) { return checked.verdict == verdict; });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  }
  return fmt::format("Of {} checks: {}.", claims.size(), fmt::join(parts, ", "));
}

std::string claim_verdict(const CheckedClaim& checked, Footnotes& reasons) {
  std::string text(name_of(checked.verdict));
  for (const std::string& note : {checked.reason, checked.remark, checked.claim.note}) {
    text += footnote(reasons, note);
  }
  return text;
}

/// "2.1e-04 / 6.3e-04": of the arm, and of what it is held against; with its bound where the arm
/// has the larger error.
std::string errors_text(const CheckedClaim& checked) {
  if (!checked.error || !checked.over_error) return std::string(kAbsent);
  const bool is_larger = *checked.error > *checked.over_error;
  return fmt::format("{:.1e}{} / {:.1e}", *checked.error,
                     is_larger ? fmt::format(" (bound {:.1e})", checked.error_bound) : "",
                     *checked.over_error);
}

/// The claimed number is one; a kind without has none.
bool is_testable(const CheckedClaim& c) {
  return c.claim.quantity != Claim::Quantity::kNotTestable;
}
bool has_range(const CheckedClaim& c) {
  return is_testable(c) && c.claim.quantity != Claim::Quantity::kOutcome;
}

}  // namespace

const ColumnsOf<CheckedClaim>& claim_columns() {
  using One = CheckedClaim;
  static const ColumnsOf<One> kColumns = {
      {"source", kPeople, Look("source"), [](const One& c) { return c.claim.source; }},
      {"claim", kPeople | kCsv, Look("claim"), [](const One& c) { return c.claim.text; }},
      {"source", kCsv, [](const One& c) { return c.claim.source; }},  // in files the text is first
      {"claim", kJson, [](const One& c) { return to_json(c.claim); }},
      {"arm", kPeople | kCsv, Look("arm"), [](const One& c) { return c.claim.arm_text(); }},
      {"over", kCsv, [](const One& c) { return c.claim.over_text(); }},
      {"over", kJsonIfAny, [](const One& c) { return when(!c.over.empty(), c.over); }},
      {"quantity", kCsv, [](const One& c) { return c.claim.quantity; }},
      {"metric", kCsv, [](const One& c) { return c.claim.metric; }},
      {"claimed", kPeople | kCsv, Look("claimed"),
       [](const One& c) { return when(is_testable(c), c.claim.value); },
       [](const One& c, Footnotes&) { return claimed_text(c); }},
      {"claimed_low", kCsv, [](const One& c) { return when(has_range(c), c.claim.range.low); }},
      {"claimed_high", kCsv, [](const One& c) { return when(has_range(c), c.claim.range.high); }},
      {"measured_on", kCsv, [](const One& c) { return c.claim.measured_on; }},
      {"against", kCsv,
       [](const One& c) { return of_member(c.claim.against, &Claim::Reference::arm); }},
      {"ratio_low", kCsv, [](const One& c) { return of_member(c.as_ratio, &ClaimedRange::low); }},
      {"ratio_high", kCsv, [](const One& c) { return of_member(c.as_ratio, &ClaimedRange::high); }},
      {"as_ratio", kJsonIfAny,
       [](const One& c) {
         return c.as_ratio ? to_value(Interval{c.as_ratio->low, c.as_ratio->high})
                           : nlohmann::json();
       }},
      {"problem", kPeople | kFiles, Look("problem"), [](const One& c) { return c.problem; },
       [](const One& c, Footnotes&) { return c.problem.empty() ? kAbsent : place_of(c); }},
      {"mode", kFiles, [](const One& c) { return c.mode; }},
      {"measured", kPeople | kCsv | kJsonIfAny, Look("measured"),
       [](const One& c) {
         return Estimate(c.measured, c.interval_95, c.replication, c.replicates);
       },
       [](const One& c, Footnotes&) { return measured_text(c); }},
      {"rel. L2", Side::kNumbers, errors_text},
      {"error", kCsv | kJsonIfAny, [](const One& c) { return c.error; }},
      {"over_error", kCsv | kJsonIfAny, [](const One& c) { return c.over_error; }},
      {"replication", kCsv, [](const One& c) { return c.replication; }},
      {"replicates", kCsv, [](const One& c) { return when(c.measured.has_value(), c.replicates); }},
      {"verdict", kEverywhere, Look("verdict"), [](const One& c) { return c.verdict; },
       claim_verdict},
      {"reason", kFiles, [](const One& c) { return c.reason; }},
      {"remark", kCsv | kJsonIfAny, [](const One& c) { return when(!c.remark.empty(), c.remark); }},
      {"note", kCsv, [](const One& c) { return c.claim.note; }},
  };
  return kColumns;
}

std::optional<Section> claims_section(std::span<const Report> reports) {
  std::vector<CheckedClaim> all;
  std::vector<std::string> runs;  // of each claim
  for (const Report& report : reports) {
    all.insert(all.end(), report.claims.begin(), report.claims.end());
    runs.resize(all.size(), name_of(report));
  }
  if (all.empty()) return std::nullopt;
  Section section{.title = "Claims"};
  section.of_all_problems = true;
  ColumnsOf<CheckedClaim> columns = claim_columns();
  if (reports.size() > 1) {
    columns.insert(columns.begin(), {"run", Side::kWords, [&](const CheckedClaim& checked) {
                                       return runs[static_cast<std::size_t>(&checked - &all[0])];
                                     }});
  }
  set_rows(section, columns, all);
  drop_empty_columns(section);
  section.headline = summary_of(all);
  section.remarks = {fmt::format(
      "A claim is confirmed when the interval lies inside the claimed range, widened by {:.0f}% or "
      "by a fifth of the claimed effect where that is less; a single number stands for all that "
      "round to it, and the end of at most and at least is not widened. Smaller and larger speak "
      "of "
      "the size of an effect in the claimed direction. Not met: less than is claimed, and the "
      "interval leaves open whether there is an effect. Undecided: some of it lies inside. "
      "Estimate: the source expects the figure, and has not measured it. Not comparable: the claim "
      "is of a program that computes something else. rel. L2: the error of the arm / of what it is "
      "held against; an arm with the larger error is right within its bound.",
      kEquivalence * 100)};
  return section;
}

}  // namespace msda
