#include "render/counters_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "counters/why.hpp"

namespace msda {
namespace {

struct CounterColumn {
  const char* title;
  const char* metric;
  double scale;
  const char* format;
};

/// Of the main kernel.
constexpr CounterColumn kColumns[] = {
    {"us", "gpu__time_duration.sum", 1e6, "{:.1f}"},
    {"DRAM MB", "dram__bytes.sum", 1e-6, "{:.1f}"},
    {"L2 MB", "lts__t_bytes.sum", 1e-6, "{:.0f}"},
    {"L1 hit %", "l1tex__t_sector_hit_rate.pct", 1, "{:.0f}"},
    {"LSU M", "l1tex__data_pipe_lsu_wavefronts.sum", 1e-6, "{:.1f}"},
    {"LSU %", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 1, "{:.0f}"},
    {"conflicts M", "l1tex__data_bank_conflicts_pipe_lsu.sum", 1e-6, "{:.2f}"},
    {"instr. M", "smsp__inst_executed.sum", 1e-6, "{:.1f}"},
    {"issue %", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed", 1, "{:.0f}"},
    {"regs", "launch__registers_per_thread", 1, "{:.0f}"},
};

std::string counter_cell(const KernelCounters& kernel, const CounterColumn& column) {
  const auto value = kernel.find(column.metric);
  if (value) return fmt::format(fmt::runtime(column.format), *value * column.scale);
  const bool missing = std::find(kernel.missing.begin(), kernel.missing.end(), column.metric) !=
                       kernel.missing.end();
  return missing ? "missing" : "";
}

using Lines = std::vector<std::vector<std::string>>;

std::string aligned(const Lines& rows) {
  std::vector<std::size_t> width(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool left = i == 0 || i + 1 == row.size();
      line += left ? fmt::format("  {:<{}}", row[i], width[i])
                   : fmt::format("  {:>{}}", row[i], width[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string words_of(const std::vector<const KernelCounters*>& kernels,
                     const std::string& baseline) {
  const auto base = std::find_if(kernels.begin(), kernels.end(), [&](const KernelCounters* kernel) {
    return kernel->arm == baseline;
  });
  std::string text;
  if (base == kernels.end()) return text;
  for (const KernelCounters* kernel : kernels) {
    if (kernel == *base) continue;
    if (const auto why = explain(**base, *kernel)) text += "  " + in_words(*why) + ".\n";
  }
  return text;
}

}  // namespace

std::string counters_text(const std::vector<KernelCounters>& kernels, const std::string& baseline) {
  std::vector<std::pair<std::string, std::vector<const KernelCounters*>>> groups;
  for (const KernelCounters& kernel : kernels) {
    if (kernel.part != "kernel") continue;
    const std::string title = fmt::format("{}, {}", kernel.problem, kernel.mode);
    if (groups.empty() || groups.back().first != title) groups.push_back({title, {}});
    groups.back().second.push_back(&kernel);
  }
  std::string text;
  for (const auto& [title, members] : groups) {
    Lines rows = {{"arm"}};
    for (const CounterColumn& column : kColumns) rows.front().emplace_back(column.title);
    rows.front().emplace_back("bound by");
    for (const KernelCounters* kernel : members) {
      std::vector<std::string>& row = rows.emplace_back();
      row.push_back(kernel->arm);
      for (const CounterColumn& column : kColumns) row.push_back(counter_cell(*kernel, column));
      row.push_back(bound_in_words(*kernel));
    }
    text += fmt::format("{}\n{}\n{}\n", title, aligned(rows), words_of(members, baseline));
  }
  return text;
}

}  // namespace msda
