#include "runner/supervise/run_records.hpp"

#include <algorithm>

namespace msda {

RunRecords::RunRecords(const std::filesystem::path& file)
    : writer_(file), ranges_file_(file.parent_path() / kRangesFile) {
  for (Record& record : read_records(file)) {
    if (record.status == CellStatus::kInterrupted) {
      // What earlier processes left of it stays.
      if (record.processes.empty()) continue;
      record.status = CellStatus::kOk;
      record.reason = record.phase = "";
    }
    join(std::move(record));
  }
}

void RunRecords::join(Record record) {
  std::vector<Record>& group = groups_[{record.problem, record.mode}];
  const auto same = std::find_if(group.begin(), group.end(),
                                 [&](const Record& r) { return r.cell == record.cell; });
  if (same == group.end()) {
    group.push_back(std::move(record));
  } else {
    *same = joined(std::move(*same), std::move(record));
  }
}

void RunRecords::add(const Record& record) {
  const std::lock_guard lock(mutex_);
  writer_.write(record);
  join(record);
}

void RunRecords::add(const std::vector<RunRange>& ranges) {
  const std::lock_guard lock(mutex_);
  append_ranges(ranges_file_, ranges);
}

std::vector<Record> RunRecords::of(const std::string& problem, TimingMode mode) const {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find({problem, mode});
  return found == groups_.end() ? std::vector<Record>() : found->second;
}

template <class Condition>
int RunRecords::count(const Condition& holds) const {
  const std::lock_guard lock(mutex_);
  int sum = 0;
  for (const auto& [key, group] : groups_) {
    sum += static_cast<int>(std::count_if(group.begin(), group.end(), holds));
  }
  return sum;
}

int RunRecords::failures() const {
  return count([](const Record& record) {
    return record.status != CellStatus::kOk && record.status != CellStatus::kSkipped;
  });
}

int RunRecords::interrupted() const {
  return count([](const Record& record) { return record.status == CellStatus::kInterrupted; });
}

}  // namespace msda
