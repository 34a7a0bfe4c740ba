// The dictionary in the header of an .npy file: {'descr': '<f4', 'fortran_order': False, 'shape':
// (2,), }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace msda {

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Throws UsageError that says what was expected at which byte. The three keys come in any order,
/// each exactly once.
NpyHeader parse_npy_header(std::string_view text);

}  // namespace msda
