#include "render/counters_layout.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/text.hpp"

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
  const bool missing = std::find(kernel.missing.begin(), kernel.missing.end(), column.metric) !=
                       kernel.missing.end();
  return missing ? kMissing : kAbsent;
}

std::string place_of(const CounterTable& table) {
  return fmt::format("{}, {}", printable_line(table.problem), printable_line(table.mode));
}

void add_kernel(const KernelCounters& kernel, const std::string& name, const std::string& bound,
                Layout& layout) {
  std::vector<std::string>& row = layout.rows.emplace_back();
  row.push_back(printable_line(name));
  for (const CounterColumn& column : kColumns) row.push_back(counter_cell(kernel, column));
  row.push_back(bound);
  layout.verdicts.emplace_back("");
}

std::string bound_of(const CountedLaunch& launch) {
  const auto loads = loads_of(launch);
  return loads ? bound_in_words(*loads) : "not counted";
}

bool has_missing(const Layout& layout) {
  return std::any_of(layout.rows.begin(), layout.rows.end(), [](const auto& row) {
    return std::find(row.begin(), row.end(), kMissing) != row.end();
  });
}

Layout lay_out_counters(const CounterTable& table) {
  Layout layout;
  layout.counters = &table;
  layout.title = "Counters: " + place_of(table);
  layout.headline = fmt::format("What {} counted in one launch of each arm on {}.",
                                printable_line(table.tool), printable_line(table.device));
  layout.gist = fmt::format("{} arms", table.launches.size());
  layout.columns = {{"arm", false}};
  for (const CounterColumn& column : kColumns) layout.columns.push_back({column.title});
  layout.columns.push_back({"bound by", false});
  for (const CountedLaunch& launch : table.launches) {
    add_kernel(launch.kernel, launch.arm(), bound_of(launch), layout);
    for (const KernelCounters& prepass : launch.prepasses) {
      add_kernel(prepass, fmt::format("{}, {}", launch.arm(), prepass.part), "", layout);
    }
  }
  layout.remarks = {
      "us: of the profiled launch, which is slowed down; it is in no time or ratio of the run. "
      "LSU and shared: wavefronts of the data pipe, in all and of shared memory. bound by: what "
      "was "
      "busy 60% of the time and more, else what warps waited for."};
  if (has_missing(layout)) {
    layout.remarks.emplace_back("missing: the tool does not count it on this chip.");
  }
  drop_empty_columns(layout);
  return layout;
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

void add_explained(const Explained& explained, bool of_factors, Layout& layout) {
  const Why& why = explained.why;
  std::vector<std::string>& row = layout.rows.emplace_back();
  row.push_back(printable_line(why.arm));
  if (of_factors) row.push_back(fmt::format("{}", explained.pairs));
  row.push_back(explained.ratio ? ratio_text(*explained.ratio, explained.ratio_95) : kAbsent);
  row.push_back(fmt::format("{:.1f}", why.time_before * 1e6));
  row.push_back(fmt::format("{:.1f}", why.time_after * 1e6));
  row.push_back(ratio_text(why.ratio()));
  row.push_back(causes_in_short(why));
  layout.verdicts.push_back(verdict_of(why));
}

const Explained* most_telling(const std::vector<Explained>& all) {
  return &*std::max_element(all.begin(), all.end(), [](const Explained& a, const Explained& b) {
    return a.why.ratio() < b.why.ratio();
  });
}

constexpr const char* kHowToRead =
    "Of the difference in time each cause's own change makes up so much. The order is by that "
    "part, "
    "weighted with how near the cause was to bounding the slower of the two. Issue slots, waits, "
    "idle SMs and pre-passes add up to the time; the LSU, L2 and DRAM are busy alongside, so that "
    "parts can add up to more than 100%. Of the run's samples is only the first ratio.";

/// Why one thing is faster than another, for arms or for factors.
Layout lay_out_why(const CounterTable& table, const std::vector<Explained>& all, bool of_factors) {
  Layout layout;
  layout.title = fmt::format("{}: {}", of_factors ? "Why the factors pay" : "Why the arms differ",
                             place_of(table));
  const Explained& most = *most_telling(all);
  layout.headline = in_words(most.why);
  const std::vector<Cause> causes = main_causes(most.why);
  layout.gist = causes.empty()
                    ? ""
                    : fmt::format("{}: {}", printable_line(most.why.arm), causes.front().name);
  layout.columns = {{of_factors ? "factor" : "arm", false}};
  if (of_factors) layout.columns.push_back({"pairs"});
  const std::string before = of_factors ? "without" : printable_line(all.front().why.over);
  for (const std::string& title : {std::string("ratio [95%]"), before + " [us]",
                                   std::string("with [us]"), std::string("profiled")}) {
    layout.columns.push_back({title});
  }
  if (!of_factors) layout.columns[3].title = "arm [us]";
  layout.columns.push_back({"because", false});
  for (const Explained& explained : all) add_explained(explained, of_factors, layout);
  if (of_factors) {
    layout.explained = &all;
    layout.remarks.emplace_back(
        "Each factor is the mean over all pairs of arms that differ in it alone; the samples' "
        "ratio is that of the effects' table.");
    for (const Explained& explained : all) layout.remarks.push_back(in_words(explained.why));
  }
  layout.remarks.emplace_back(kHowToRead);
  drop_empty_columns(layout);
  return layout;
}

std::string megabytes(double bytes) { return fmt::format("{:.1f}", bytes * 1e-6); }

/// One number, or the two ends of a range.
std::string declared(const ByteClaim& claim) {
  if (claim.low == claim.high) return megabytes(claim.high);
  return fmt::format("{} to {}", megabytes(claim.low), megabytes(claim.high));
}

constexpr std::array kSteps = {MemoryStep::kDram, MemoryStep::kL2ToL1, MemoryStep::kShared};

void add_bytes(const std::string& arm, const std::vector<ByteClaim>& claims, Layout& layout) {
  std::vector<std::string>& row = layout.rows.emplace_back();
  row.push_back(printable_line(arm));
  bool all = true;
  for (const MemoryStep step : kSteps) {
    const auto claim = std::find_if(claims.begin(), claims.end(),
                                    [&](const ByteClaim& one) { return one.step == step; });
    const bool is_there = claim != claims.end();
    row.push_back(is_there ? declared(*claim) : kAbsent);
    row.push_back(is_there ? megabytes(claim->counted) : kAbsent);
    all = all && (!is_there || claim->verdict == ByteVerdict::kConfirmed);
  }
  row.push_back(in_words(claims));
  layout.verdicts.emplace_back(all ? "confirmed" : "undecided");
}

std::optional<Layout> lay_out_bytes(const CounterTable& table) {
  Layout layout;
  layout.title = "Bytes: " + place_of(table);
  layout.columns = {{"arm", false}};
  for (const MemoryStep step : kSteps) {
    layout.columns.push_back({fmt::format("{} declared [MB]", name_of(step))});
    layout.columns.push_back({"counted"});
  }
  layout.columns.push_back({"verdict", false});
  for (std::size_t i = 0; i < table.bytes.size(); ++i) {
    if (table.bytes[i].empty()) continue;
    add_bytes(table.launches[i].arm(), table.bytes[i], layout);
  }
  if (layout.rows.empty()) return std::nullopt;
  const auto confirmed = std::count(layout.verdicts.begin(), layout.verdicts.end(), "confirmed");
  layout.headline =
      fmt::format("{} of {} arms move at every level what they declare, within {:.0f}%.", confirmed,
                  layout.rows.size(), kByteTolerance * 100);
  layout.gist = fmt::format("{} of {} as declared", confirmed, layout.rows.size());
  layout.remarks = {
      "DRAM: each input once and the output once. L2 to L1: the corners of all points and the "
      "inputs, less those of levels in shared memory, which are at most the smallest that fit it. "
      "shared memory: its accesses without bank conflicts, 128 bytes each. absorbed: less came "
      "from there, because a cache nearer to the SM had it. inflated: more, by reading again, by "
      "sectors of which a part is used, or by bank conflicts."};
  drop_empty_columns(layout);
  return layout;
}

}  // namespace

std::vector<Layout> counter_layouts(const std::vector<CounterTable>& tables) {
  std::vector<Layout> layouts;
  for (const CounterTable& table : tables) {
    if (!table.factors.empty()) layouts.push_back(lay_out_why(table, table.factors, true));
    if (!table.arms.empty()) layouts.push_back(lay_out_why(table, table.arms, false));
    layouts.push_back(lay_out_counters(table));
    if (auto bytes = lay_out_bytes(table)) layouts.push_back(*std::move(bytes));
  }
  return layouts;
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

Document counters_document(const std::vector<CounterTable>& tables) {
  Document document;
  document.title = "Counters";
  document.answer = counters_sentence(tables);
  document.layouts = counter_layouts(tables);
  return document;
}

}  // namespace msda
