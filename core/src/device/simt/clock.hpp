// Vector clocks: each thread knows up to which of every other thread's moments it has been told.
// Threads that met know the same, and share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace msda::simt {

using Moments = std::vector<std::uint32_t>;  ///< by thread of the cluster
using Known = std::shared_ptr<const Moments>;

/// A moment of a thread, and what it knows then.
struct Clock {
  std::uint32_t thread = 0;
  std::uint32_t moment = 0;
  Known known;
  bool in_order = true;  ///< behind all of its thread's moments before; an agent's are not

  std::uint32_t operator[](std::size_t other) const {
    return other == thread && in_order ? moment : (*known)[other];
  }
};

}  // namespace msda::simt
