// Who accessed shared memory last, as races see it: kept for each word, and for each byte of a word
// whose bytes were accessed apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "device/simt/clock.hpp"

namespace msda::simt {

/// What an access meets that nothing orders before it.
struct Conflict {
  std::size_t byte = 0;    ///< the first that the two share
  std::size_t thread = 0;  ///< of the cluster, or an agent's number
  bool wrote = false;
  const void* pc = nullptr;  ///< null for an asynchronous copy
};

class History {
 public:
  explicit History(std::size_t bytes);

  /// Nothing was accessed.
  void clear();
  /// An access of bytes [first, first + bytes) at the moment that `clock` says.
  std::optional<Conflict> access(const Clock& clock, std::size_t first, std::size_t bytes,
                                 bool writes, bool atomic, const void* pc);
  /// A read or write of one of these bytes by a thread outside [from, to) that those who know
  /// `known` have not been told of.
  std::optional<Conflict> untold(const Moments& known, std::size_t first, std::size_t bytes,
                                 std::size_t from, std::size_t to) const;

 private:
  static constexpr std::size_t kWord = 4;  ///< bytes

  struct Access {
    std::uint32_t thread;
    std::uint32_t moment : 31;  ///< 0: there was none
    std::uint32_t atomic : 1;
    const void* pc;
  };
  /// Of bytes that were accessed together; all zeros when they were not.
  struct Cell {
    Access write;
    Access read;          ///< since the write, where it stands for all of them
    std::uint32_t reads;  ///< number of the list of all reads since the write; 0: `read` is all
  };
  struct Word {
    Cell cell;
    std::uint32_t bytes;  ///< number of the cells of its bytes, where they differ; 0: `cell` is all
    std::uint32_t run;    ///< what it says is of this run; of an earlier one it says nothing
  };
  using Bytes = std::array<Cell, kWord>;
  struct Free {
    void operator()(Word* words) const { std::free(words); }
  };

  /// Things with numbers from 1 on that are used again.
  template <class T>
  class Pool {
   public:
    std::uint32_t take() {
      if (!free_.empty()) {
        const std::uint32_t number = free_.back();
        free_.pop_back();
        return number;
      }
      if (used_ == things_.size()) things_.emplace_back();
      return static_cast<std::uint32_t>(++used_);
    }
    void give_back(std::uint32_t number) { free_.push_back(number); }
    void give_back_all() {
      free_.clear();
      used_ = 0;
    }
    T& operator[](std::uint32_t number) { return things_[number - 1]; }
    const T& operator[](std::uint32_t number) const { return things_[number - 1]; }

   private:
    std::vector<T> things_;
    std::vector<std::uint32_t> free_;
    std::size_t used_ = 0;
  };

  /// The cell's access that nothing orders before `mine`; otherwise nullptr, and `mine` is noted.
  const Access* note(Cell& cell, const Clock& clock, const Access& mine, bool writes);
  const Access* note_write(Cell& cell, const Clock& clock, const Access& mine);
  void note_read(Cell& cell, const Clock& clock, const Access& mine);
  /// The same for bytes [begin, end) of a word whose bytes differ, or do from now on.
  std::optional<Conflict> note_bytes(Word& word, std::size_t begin, std::size_t end,
                                     const Clock& clock, const Access& mine, bool writes);
  void split(Word& word);
  void join(Word& word);
  /// Leaves out the reads that a read by the thread of `clock` stands for: what is ordered behind
  /// that one is behind them too. Of each thread's others the last is left.
  static void forget(std::vector<Access>& reads, const Clock& clock, bool atomic);
  const Access* untold_of(const Cell& cell, const Moments& known, std::size_t from,
                          std::size_t to) const;

  std::size_t count_;                    ///< of words
  std::unique_ptr<Word[], Free> words_;  ///< memory is taken when it is touched
  Pool<std::vector<Access>> reads_;
  Pool<Bytes> bytes_;
  std::uint32_t run_ = 1;
};

}  // namespace msda::simt
