// The tables of counters: what was counted of each arm, and why arms and factors differ.
#pragma once

#include <string>
#include <vector>

#include "counters/counter_tables.hpp"
#include "render/document.hpp"

namespace msda {

/// For each table of counters why the factors pay (of an ablation), why the arms differ from the
/// baseline, what was counted, and the bytes that the arms declare; they point into `tables`.
std::vector<Layout> counter_layouts(const std::vector<CounterTable>& tables);

/// What the counters of a run say in one line: what bounds the baseline and the arm that was the
/// fastest under the profiler; "" without counters.
std::string counters_sentence(const std::vector<CounterTable>& tables);

/// Counters alone, for a profile that has no run beside it.
Document counters_document(const std::vector<CounterTable>& tables);

}  // namespace msda
