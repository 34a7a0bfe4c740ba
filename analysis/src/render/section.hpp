// A part of a report as cells of text, ready to be set: what every form of a report shows alike.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/report.hpp"

namespace msda {

/// A column as people see it.
struct Column {
  std::string title;
  bool number = true;   ///< set flush right
  std::string about{};  ///< "ratio: baseline time / arm time, ...", for the legend; or ""
  bool spare = false;   ///< left out where a line is short: another column says the same
};

/// What the rows of a section are of, inside the report; figures are drawn of it.
using SectionSubject = std::variant<std::monostate, const Table*, const AblationTable*,
                                    const PooledFamily*, const SearchReport*, const CounterTable*,
                                    const std::vector<Explained>*, const Timeline*, const Report*>;

/// A headline, a table and what there is to say of it. Each row has one cell for each column, and
/// the last column is the verdict.
struct Section {
  std::string title{};     ///< "Counters: captured-decoder, warm"
  std::string place{};     ///< what it is of: "captured-decoder, warm"
  std::string headline{};  ///< in words
  std::string gist{};      ///< the same in a few words: "wide-loads 1.68x"
  std::vector<Column> columns{};
  std::vector<std::vector<std::string>> rows{};
  std::vector<std::string> verdicts{};  ///< of each row, without its footnote mark
  std::vector<std::string> reasons{};   ///< footnote i + 1; may have several lines
  std::vector<std::string> remarks{};   ///< sentences: what the intervals are over, ...
  bool of_all_problems = false;         ///< has its place where a report is short, too
  bool spare = false;                   ///< goes first where a page is too short
  SectionSubject subject{};

  /// The subject where it is a T; else nullptr.
  template <class T>
  const T* of() const {
    const auto* subject_of = std::get_if<const T*>(&subject);
    return subject_of == nullptr ? nullptr : *subject_of;
  }
};

/// The section "Counters: captured-decoder, warm", of what is at that place.
inline Section section_named(const std::string& what, const std::string& place) {
  return {.title = what + place, .place = place};
}

/// Leaves out columns of numbers that no row has: a device that measures nothing has no times.
void drop_empty_columns(Section& section);

/// " [2]": the number of the footnote with this text, which is added to `reasons` when it is new:
/// rows with one reason share it. "" for "".
std::string footnote(std::vector<std::string>& reasons, const std::string& reason);

/// The first lines of a reason; a compiler's log can be long, and the whole of it is in
/// records.jsonl.
std::string shortened(const std::string& reason);

}  // namespace msda
