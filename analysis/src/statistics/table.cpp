#include "statistics/table.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace msda {
namespace {

std::string verdict_of(const Record& record, bool is_baseline,
                       const std::optional<RatioEstimate>& speedup) {
  if (record.status != CellStatus::kOk) return std::string(name_of(record.status));
  if (record.samples.empty()) return "right";
  if (is_baseline) return "baseline";
  return std::string(name_of(speedup ? classify(*speedup) : Difference::kUndecided));
}

/// All but the record itself. `baseline` is null when the table's baseline has no time.
Row make_row(const Record& record, const Record* baseline, const TableContext& context) {
  Row row;
  const bool is_baseline = &record == baseline;
  std::optional<RatioEstimate> speedup;
  if (record.status == CellStatus::kOk) {
    const auto time = estimate_time(record.samples, context.planned);
    row.median_seconds = time ? time->seconds : 0;
    if (baseline != nullptr && !is_baseline) {
      speedup = estimate_ratio(baseline->samples, record.samples, context.planned);
    }
  }
  row.repeats_baseline =
      baseline != nullptr && !is_baseline && record.composition == baseline->composition;
  row.verdict = verdict_of(record, is_baseline, speedup);
  if (!row.timed()) return row;
  if (speedup) {
    row.speedup = speedup->ratio;
    row.speedup_95 = speedup->interval_95;
    row.replication = speedup->replication;
    row.replicates = speedup->replicates;
  } else if (is_baseline) {
    row.speedup = 1.0;
  }
  row.dram_bytes_per_second = static_cast<double>(record.traffic.once()) / row.median_seconds;
  row.flops_per_second = static_cast<double>(record.traffic.flops) / row.median_seconds;
  const bool computes = record.traffic.flops > 0;  // a copy is no kernel that has this bound
  if (const auto bound = speed_of_light(record, context.memory); bound && computes) {
    row.speed_of_light = bound->seconds / row.median_seconds;
    row.bound = bound->level;
  }
  row.prepasses = split_prepasses(record, baseline, context.planned);
  return row;
}

/// Which arms came to the same code, or are the same composition where no code is known.
void find_same_code(std::vector<Row>& rows) {
  std::unordered_map<std::string, const Record*> first;
  for (Row& row : rows) {
    const std::string& hash = row.record.resources.code_hash;
    const std::string& code = hash.empty() ? row.record.composition : hash;
    if (code.empty() || row.repeats_baseline) continue;  // an A/A pair is meant to be the same
    const auto [found, is_new] = first.try_emplace(code, &row.record);
    if (!is_new) row.same_code_as = found->second->arm;
  }
}

/// Who misses something: of "corner-pair: value.run-bytes > 80, ..." the name.
std::string_view owner_of(std::string_view missing) { return missing.substr(0, missing.find(':')); }

bool has_owner(const std::vector<std::string>& missing, std::string_view owner) {
  return std::ranges::any_of(missing, [&](const auto& one) { return owner_of(one) == owner; });
}

/// What the baseline misses and every other arm that could be checked does as well, where these are
/// not all the same composition.
std::vector<std::string> find_idle(const std::vector<Row>& rows) {
  const Record& baseline = rows.front().record;
  if (!baseline.baseline || !baseline.evidence) return {};
  bool has_other = false;
  std::vector<std::string> idle = baseline.evidence->missing;
  for (const Row& row : rows) {
    if (!row.record.evidence || row.record.evidence->status == Evidence::Status::kUnchecked)
      continue;
    has_other = has_other || row.record.composition != baseline.composition;
    std::erase_if(idle, [&](const std::string& one) {
      return !has_owner(row.record.evidence->missing, owner_of(one));
    });
  }
  return has_other ? idle : std::vector<std::string>();
}

/// Of each row what it alone, or some rows, did not show.
void find_missing(Table& table) {
  table.idle = find_idle(table.rows);
  for (Row& row : table.rows) {
    if (!row.record.evidence) continue;
    row.missing = row.record.evidence->missing;
    std::erase_if(row.missing,
                  [&](const std::string& one) { return has_owner(table.idle, owner_of(one)); });
  }
}

using Places = std::unordered_map<std::string, std::size_t>;

/// Records come in the order in which cells ended, and an arm that fails ends before those that are
/// measured.
Places places_of(const std::vector<std::string>& arms) {
  Places places;
  for (const std::string& arm : arms) places.emplace(arm, places.size());
  return places;
}

/// Takes the records' contents.
Table make_table(std::vector<Record*> records, const Places& places, const TableContext& context) {
  // The baseline first, arms that the experiment does not name last.
  const auto place = [&places](const Record* record) {
    if (record->baseline) return std::size_t{0};
    const auto found = places.find(record->arm);
    return 1 + (found == places.end() ? places.size() : found->second);
  };
  std::ranges::stable_sort(records,
                           [&](const Record* a, const Record* b) { return place(a) < place(b); });
  const Record* first = records.front();
  const bool has_baseline = first->baseline && first->status == CellStatus::kOk;
  Table table{first->problem, first->mode, {}, {}, context.memory, context.planned, {}, {}};
  for (const Record* record : records) {
    table.rows.push_back(make_row(*record, has_baseline ? first : nullptr, context));
  }
  for (std::size_t i = 0; i < records.size(); ++i)
    table.rows[i].record = std::move(*records[i]);  // only now: the rows above look at the first
  find_same_code(table.rows);
  find_missing(table);
  table.leader = find_leader(table);
  table.noise = noise_floor(table);
  return table;
}

}  // namespace

std::vector<Table> make_tables(std::vector<Record> records, const TableContext& context) {
  const Places places = places_of(context.arms);
  std::vector<std::vector<Record*>> groups;
  std::map<std::pair<std::string_view, TimingMode>, std::size_t> index;
  for (Record& record : records) {
    const auto [found, is_new] = index.try_emplace({record.problem, record.mode}, groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(&record);
  }
  std::vector<Table> tables;
  tables.reserve(groups.size());
  for (auto& group : groups) {
    tables.push_back(make_table(std::move(group), places, context));
  }
  return tables;
}

const Row* find_row(const Table& table, const std::string& arm) {
  const auto found =
      std::ranges::find_if(table.rows, [&](const Row& row) { return row.record.arm == arm; });
  return found == table.rows.end() ? nullptr : &*found;
}

const Row* baseline_row(const Table& table) {
  const auto found =
      std::ranges::find_if(table.rows, [](const Row& row) { return row.record.baseline; });
  return found == table.rows.end() ? nullptr : &*found;
}

}  // namespace msda
