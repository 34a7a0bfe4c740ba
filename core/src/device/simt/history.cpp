#include "device/simt/history.hpp"

#include <algorithm>
#include <new>
#include <tuple>
#include <type_traits>

namespace msda::simt {
namespace {

template <class Access>
bool is_unordered(const Access& other, const Clock& clock, const Access& mine) {
  return other.moment > clock[other.thread] && !(other.atomic != 0 && mine.atomic != 0);
}

/// Whether what is ordered behind a read by the thread of `clock` is behind this one too.
template <class Access>
bool is_covered(const Access& read, const Clock& clock, bool atomic) {
  return read.moment <= clock[read.thread] && (read.atomic != 0 || !atomic);
}

template <class Access>
bool is_repetition(const Access& read, const Access& mine) {
  return read.thread == mine.thread && read.moment == mine.moment && read.atomic == mine.atomic;
}

}  // namespace

History::History(std::size_t bytes)
    : count_((bytes + kWord - 1) / kWord),
      words_(static_cast<Word*>(std::calloc(std::max<std::size_t>(count_, 1), sizeof(Word)))) {
  static_assert(std::is_trivial_v<Word>);
  if (words_ == nullptr) throw std::bad_alloc();
}

void History::clear() {
  ++run_;
  reads_.give_back_all();
  bytes_.give_back_all();
}

std::optional<Conflict> History::access(const Clock& clock, std::size_t first, std::size_t bytes,
                                        bool writes, bool atomic, const void* pc) {
  const Access mine = {clock.thread, clock.moment, atomic ? 1U : 0U, pc};
  for (std::size_t byte = first; byte < first + bytes;) {
    const std::size_t begin = byte % kWord;
    const std::size_t end = std::min(kWord, begin + first + bytes - byte);
    Word& word = words_[byte / kWord];
    if (word.run != run_) word = {{}, 0, run_};
    if (end - begin < kWord || word.bytes != 0) {
      if (auto conflict = note_bytes(word, begin, end, clock, mine, writes)) {
        conflict->byte += byte - begin;
        return conflict;
      }
    } else if (const Access* other = note(word.cell, clock, mine, writes)) {
      return Conflict{byte, other->thread, other == &word.cell.write, other->pc};
    }
    byte += end - begin;
  }
  return std::nullopt;
}

const History::Access* History::note(Cell& cell, const Clock& clock, const Access& mine,
                                     bool writes) {
  if (is_unordered(cell.write, clock, mine)) return &cell.write;
  if (writes) return note_write(cell, clock, mine);
  note_read(cell, clock, mine);
  return nullptr;
}

const History::Access* History::note_write(Cell& cell, const Clock& clock, const Access& mine) {
  if (cell.reads == 0) {
    if (is_unordered(cell.read, clock, mine)) return &cell.read;
  } else {
    for (const Access& read : reads_[cell.reads]) {
      if (is_unordered(read, clock, mine)) return &read;
    }
    reads_.give_back(cell.reads);
  }
  cell = {mine, {}, 0};
  return nullptr;
}

void History::note_read(Cell& cell, const Clock& clock, const Access& mine) {
  if (cell.reads == 0) {
    if (is_repetition(cell.read, mine)) return;
    if (cell.read.moment == 0 || is_covered(cell.read, clock, mine.atomic != 0)) {
      cell.read = mine;
      return;
    }
    cell.reads = reads_.take();
    reads_[cell.reads] = {cell.read, mine};
    return;
  }
  std::vector<Access>& reads = reads_[cell.reads];
  if (is_repetition(reads.back(), mine)) return;
  if (reads.size() == reads.capacity()) forget(reads, clock, mine.atomic != 0);
  reads.push_back(mine);
}

void History::forget(std::vector<Access>& reads, const Clock& clock, bool atomic) {
  std::erase_if(reads, [&](const Access& read) { return is_covered(read, clock, atomic); });
  const auto order = [](const Access& read) { return std::tuple(read.thread, +read.atomic); };
  std::ranges::sort(reads, [&](const Access& a, const Access& b) {
    return std::tuple(order(a), +b.moment) < std::tuple(order(b), +a.moment);
  });
  const auto is_again = [&](const Access& a, const Access& b) { return order(a) == order(b); };
  reads.erase(std::unique(reads.begin(), reads.end(), is_again), reads.end());
  reads.reserve(2 * reads.size() + 1);  // otherwise the next one may come here again
}

std::optional<Conflict> History::note_bytes(Word& word, std::size_t begin, std::size_t end,
                                            const Clock& clock, const Access& mine, bool writes) {
  if (word.bytes == 0) split(word);
  Bytes& bytes = bytes_[word.bytes];
  for (std::size_t i = begin; i < end; ++i) {
    if (const Access* other = note(bytes[i], clock, mine, writes))
      return Conflict{i, other->thread, other == &bytes[i].write, other->pc};
  }
  if (writes && end - begin == kWord) join(word);
  return std::nullopt;
}

void History::split(Word& word) {
  word.bytes = bytes_.take();
  for (Cell& byte : bytes_[word.bytes]) {
    byte = word.cell;
    if (word.cell.reads == 0) continue;
    byte.reads = reads_.take();
    reads_[byte.reads] = reads_[word.cell.reads];
  }
  if (word.cell.reads != 0) reads_.give_back(word.cell.reads);
}

/// After a write to all bytes, which leaves no reads.
void History::join(Word& word) {
  word.cell = bytes_[word.bytes].front();
  bytes_.give_back(word.bytes);
  word.bytes = 0;
}

const History::Access* History::untold_of(const Cell& cell, const Moments& known, std::size_t from,
                                          std::size_t to) const {
  const auto is_untold = [&](const Access& access) {
    return (access.thread < from || access.thread >= to) && access.moment > known[access.thread];
  };
  if (is_untold(cell.write)) return &cell.write;
  if (cell.reads == 0) return is_untold(cell.read) ? &cell.read : nullptr;
  const std::vector<Access>& reads = reads_[cell.reads];
  const auto found = std::ranges::find_if(reads, is_untold);
  return found == reads.end() ? nullptr : &*found;
}

std::optional<Conflict> History::untold(const Moments& known, std::size_t first, std::size_t bytes,
                                        std::size_t from, std::size_t to) const {
  for (std::size_t byte = first; byte < first + bytes;) {
    const Word& word = words_[byte / kWord];
    const bool whole = word.bytes == 0 || word.run != run_;
    const Cell& cell = whole ? word.cell : bytes_[word.bytes][byte % kWord];
    if (word.run == run_) {
      if (const Access* other = untold_of(cell, known, from, to))
        return Conflict{byte, other->thread, other == &cell.write, other->pc};
    }
    byte += whole ? kWord - byte % kWord : 1;
  }
  return std::nullopt;
}

}  // namespace msda::simt
