// What a run has left so far: every record on the disk and, joined by cell, in memory.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "results/record.hpp"
#include "results/run_ranges.hpp"

namespace msda {

/// Callable from several threads.
class RunRecords {
 public:
  /// Takes over what the file holds, without cells that something outside the run interrupted:
  /// these run again. It is created when it is not there. Throws UsageError for one that is broken.
  explicit RunRecords(const std::filesystem::path& file);

  /// On the disk when it returns. Throws EnvironmentError when it cannot be written.
  void add(const Record& record);
  /// The same for what a worker did when, in a file beside the records.
  void add(const std::vector<RunRange>& ranges);
  /// Those of one problem in one mode, each cell once.
  std::vector<Record> of(const std::string& problem, TimingMode mode) const;
  /// Cells that did not end ok or skipped.
  int failures() const;
  /// Those of them that were interrupted.
  int interrupted() const;

 private:
  template <class Condition>
  int count(const Condition& holds) const;
  void join(Record record);

  mutable std::mutex mutex_;
  RecordWriter writer_;
  std::filesystem::path ranges_file_;
  std::map<std::pair<std::string, TimingMode>, std::vector<Record>> groups_;
};

}  // namespace msda
