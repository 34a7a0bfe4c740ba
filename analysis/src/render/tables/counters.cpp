#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

struct CounterColumn {
  const char* title;
  const char* metric;
  double scale;
  const char* format;
};

constexpr CounterColumn kColumns[] = {
    {"us", "gpu__time_duration.sum", 1e6, "{:.1f}"},
    {"DRAM [MB]", "dram__bytes.sum", 1e-6, "{:.1f}"},
    {"L2 [MB]", "lts__t_bytes.sum", 1e-6, "{:.0f}"},
    {"L2 hit [%]", "lts__t_sector_hit_rate.pct", 1, "{:.0f}"},
    {"L2 to L1 [MB]", "l1tex__m_xbar2l1tex_read_bytes.sum", 1e-6, "{:.0f}"},
    {"L1 hit [%]", "l1tex__t_sector_hit_rate.pct", 1, "{:.0f}"},
    {"LSU [M]", "l1tex__data_pipe_lsu_wavefronts.sum", 1e-6, "{:.1f}"},
    {"LSU [%]", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 1, "{:.0f}"},
    {"shared [M]", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1e-6, "{:.1f}"},
    {"conflicts [M]", "l1tex__data_bank_conflicts_pipe_lsu.sum", 1e-6, "{:.2f}"},
    {"instr. [M]", "smsp__inst_executed.sum", 1e-6, "{:.1f}"},
    {"issue [%]", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed", 1, "{:.0f}"},
    {"warps [%]", "sm__warps_active.avg.pct_of_peak_sustained_active", 1, "{:.0f}"},
    {"regs", "launch__registers_per_thread", 1, "{:.0f}"},
};

constexpr const char* kMissing = "missing";

std::string counter_cell(const KernelCounters& kernel, const CounterColumn& column) {
  const auto value = kernel.find(column.metric);
  if (value) return fmt::format(fmt::runtime(column.format), *value * column.scale);
  const bool missing = std::ranges::find(kernel.missing, column.metric) != kernel.missing.end();
  return missing ? kMissing : kAbsent;
}

std::string bound_of(const CountedLaunch& launch) {
  const auto loads = loads_of(launch);
  return loads ? bound_in_words(*loads) : "not counted";
}

/// A kernel of an arm's launch; the main one has the arm's name.
struct CountedKernel {
  const KernelCounters& kernel;
  std::string name;
  std::string bound;
};

ColumnsOf<CountedKernel> counted_columns() {
  using One = CountedKernel;
  ColumnsOf<One> columns = {
      {"arm", Side::kWords, [](const One& of) { return printable_line(of.name); }}};
  for (const CounterColumn& column : kColumns) {
    columns.push_back({column.title, Side::kNumbers,
                       [&column](const One& of) { return counter_cell(of.kernel, column); }});
  }
  columns.push_back({"bound by", Side::kWords, &One::bound});
  return columns;
}

bool has_missing(const Section& section) {
  return std::ranges::any_of(
      section.rows, [](const auto& row) { return std::ranges::find(row, kMissing) != row.end(); });
}

Section counted(const CounterTable& table) {
  Section section = section_named("Counters: ", place_of(table));
  section.subject = &table;
  section.headline = fmt::format("What {} counted in one launch of each arm on {}.",
                                 printable_line(table.tool), printable_line(table.device));
  section.gist = fmt::format("{} arms", table.launches.size());
  std::vector<CountedKernel> kernels;
  for (const CountedLaunch& launch : table.launches) {
    kernels.push_back({launch.kernel, launch.arm(), bound_of(launch)});
    for (const KernelCounters& prepass : launch.prepasses) {
      kernels.push_back({prepass, fmt::format("{}, {}", launch.arm(), prepass.part), ""});
    }
  }
  set_rows(section, counted_columns(), kernels);
  section.remarks = {
      "us: of the profiled launch, which is slowed down; it is in no time or ratio of the run. "
      "LSU and shared: wavefronts of the data pipe, in all and of shared memory. bound by: what "
      "was busy 60% of the time and more, else what warps waited for."};
  if (has_missing(section)) {
    section.remarks.emplace_back("missing: the tool does not count it on this chip.");
  }
  drop_empty_columns(section);
  return section;
}

std::string causes_in_short(const Why& why) {
  if (!why.differs()) return "no difference to explain";
  std::vector<std::string> parts;
  for (const Cause& cause : main_causes(why)) parts.push_back(in_short(cause));
  return parts.empty() ? "nothing that was counted" : fmt::format("{}", fmt::join(parts, "; "));
}

/// Verdicts have colours; this one is on the profiled launch.
std::string verdict_of(const Why& why) {
  if (!why.differs()) return "equal";
  return why.time_after < why.time_before ? "faster" : "slower";
}

ColumnsOf<Explained> why_columns(const std::vector<Explained>& all, bool of_factors) {
  using One = Explained;
  const auto microseconds = [](double Why::*seconds) {
    return [seconds](const One& one) { return fmt::format("{:.1f}", one.why.*seconds * 1e6); };
  };
  const std::string before = of_factors ? "without" : printable_line(all.front().why.over);
  ColumnsOf<One> columns = {
      {of_factors ? "factor" : "arm", Side::kWords,
       [](const One& one) { return printable_line(one.why.arm); }},
      {"ratio", kPeople, Look("ratio", ColumnUnit::kRatio),
       [](const One& one) { return Estimate(one.ratio, one.ratio_95); }},
      {before + " [us]", Side::kNumbers, microseconds(&Why::time_before)},
      {of_factors ? "with [us]" : "arm [us]", Side::kNumbers, microseconds(&Why::time_after)},
      {"profiled", Side::kNumbers, [](const One& one) { return ratio_text(one.why.ratio()); }},
      {"because", Side::kWords, [](const One& one) { return causes_in_short(one.why); }},
      {"verdict", kNowhere, [](const One& one) { return verdict_of(one.why); }}};
  if (of_factors) {
    columns.insert(columns.begin() + 1, {"pairs", Side::kNumbers, [](const One& one) {
                                           return fmt::format("{}", one.pairs);
                                         }});
  }
  return columns;
}

const Explained* most_telling(const std::vector<Explained>& all) {
  return &*std::ranges::max_element(
      all, [](const Explained& a, const Explained& b) { return a.why.ratio() < b.why.ratio(); });
}

constexpr const char* kHowToRead =
    "Of the difference in time each cause's own change makes up so much. The order is by that "
    "part, "
    "weighted with how near the cause was to bounding the slower of the two. Issue slots, waits, "
    "idle SMs and pre-passes add up to the time; the LSU, L2 and DRAM are busy alongside, so that "
    "parts can add up to more than 100%. Of the run's samples is only the first ratio.";

/// Why one thing is faster than another, for arms or for factors.
Section why_section(const CounterTable& table, const std::vector<Explained>& all, bool of_factors) {
  Section section = section_named(of_factors ? "Why the factors pay: " : "Why the arms differ: ",
                                  place_of(table));
  const Explained& most = *most_telling(all);
  section.headline = in_words(most.why);
  const std::vector<Cause> causes = main_causes(most.why);
  if (!causes.empty()) {
    section.gist = fmt::format("{}: {}", printable_line(most.why.arm), causes.front().name);
  }
  set_rows(section, why_columns(all, of_factors), all);
  if (of_factors) {
    section.subject = &all;
    section.remarks.emplace_back(
        "Each factor is the mean over all pairs of arms that differ in it alone; the samples' "
        "ratio is that of the effects' table.");
    for (const Explained& explained : all) section.remarks.push_back(in_words(explained.why));
  }
  section.remarks.emplace_back(kHowToRead);
  drop_empty_columns(section);
  return section;
}

std::string megabytes(double bytes) { return fmt::format("{:.1f}", bytes * 1e-6); }

/// One number, or the two ends of a range.
std::string declared(const ByteClaim& claim) {
  if (claim.low == claim.high) return megabytes(claim.high);
  return fmt::format("{} to {}", megabytes(claim.low), megabytes(claim.high));
}

constexpr std::array kSteps = {MemoryStep::kDram, MemoryStep::kL2ToL1, MemoryStep::kShared};

/// What an arm declares to move, against what was counted.
struct DeclaredBytes {
  std::string arm;
  const std::vector<ByteClaim>& claims;

  const ByteClaim* at(MemoryStep step) const {
    const auto claim =
        std::ranges::find_if(claims, [&](const ByteClaim& one) { return one.step == step; });
    return claim == claims.end() ? nullptr : &*claim;
  }
  bool all_confirmed() const {
    return std::ranges::all_of(kSteps, [this](MemoryStep step) {
      const ByteClaim* claim = at(step);
      return claim == nullptr || claim->verdict == ByteVerdict::kConfirmed;
    });
  }
};

ColumnsOf<DeclaredBytes> byte_columns() {
  using One = DeclaredBytes;
  ColumnsOf<One> columns = {
      {"arm", Side::kWords, [](const One& one) { return printable_line(one.arm); }}};
  for (const MemoryStep step : kSteps) {
    columns.push_back(
        {fmt::format("{} declared [MB]", name_of(step)), Side::kNumbers, [step](const One& one) {
           const ByteClaim* claim = one.at(step);
           return claim == nullptr ? kAbsent : declared(*claim);
         }});
    columns.push_back({"counted", Side::kNumbers, [step](const One& one) {
                         const ByteClaim* claim = one.at(step);
                         return claim == nullptr ? kAbsent : megabytes(claim->counted);
                       }});
  }
  columns.push_back({"verdict", kPeople, Look("verdict"),
                     [](const One& one) { return one.all_confirmed() ? "confirmed" : "undecided"; },
                     [](const One& one, Footnotes&) { return in_words(one.claims); }});
  return columns;
}

std::optional<Section> bytes_section(const CounterTable& table) {
  std::vector<DeclaredBytes> rows;
  for (std::size_t i = 0; i < table.bytes.size(); ++i) {
    if (!table.bytes[i].empty()) rows.push_back({table.launches[i].arm(), table.bytes[i]});
  }
  if (rows.empty()) return std::nullopt;
  Section section = section_named("Bytes: ", place_of(table));
  set_rows(section, byte_columns(), rows);
  const auto confirmed = std::ranges::count(section.verdicts, "confirmed");
  section.headline =
      fmt::format("{} of {} arms move at every level what they declare, within {:.0f}%.", confirmed,
                  rows.size(), kByteTolerance * 100);
  section.gist = fmt::format("{} of {} as declared", confirmed, rows.size());
  section.remarks = {
      "DRAM: each input once and the output once. L2 to L1: the corners of all points and the "
      "inputs, less those of levels in shared memory, which are at most the smallest that fit it. "
      "shared memory: its accesses without bank conflicts, 128 bytes each. absorbed: less came "
      "from there, because a cache nearer to the SM had it. inflated: more, by reading again, by "
      "sectors of which a part is used, or by bank conflicts."};
  drop_empty_columns(section);
  return section;
}

}  // namespace

std::vector<Section> counter_sections(const std::vector<CounterTable>& tables) {
  std::vector<Section> sections;
  for (const CounterTable& table : tables) {
    if (!table.factors.empty()) sections.push_back(why_section(table, table.factors, true));
    if (!table.arms.empty()) sections.push_back(why_section(table, table.arms, false));
    sections.push_back(counted(table));
    if (auto bytes = bytes_section(table)) sections.push_back(*std::move(bytes));
  }
  return sections;
}

std::string counters_sentence(const std::vector<CounterTable>& tables) {
  if (tables.empty()) return "";
  const CounterTable& table = tables.front();
  const Why* most = table.arms.empty() ? nullptr : &most_telling(table.arms)->why;
  const CountedLaunch* base = most == nullptr ? nullptr : table.find(most->over);
  const CountedLaunch& first = base == nullptr ? table.launches.front() : *base;
  const std::string other =
      most == nullptr ? "" : fmt::format("; {} by {}", printable_line(most->arm), most->bound);
  return fmt::format("Counters at {}: {} is bound by {}{}.", place_of(table),
                     printable_line(first.arm()), bound_of(first), other);
}

}  // namespace msda
