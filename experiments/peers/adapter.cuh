// What an adapter of a kernel for CUDA needs: error codes are CUDA's, and what a kernel cannot take
// is refused in words.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

#include <msda/external.h>

#define PEER_EXPORT extern "C" __attribute__((visibility("default")))

/// The text of error codes, under the name that goes with the entry `msda_forward`.
#define PEER_ERROR_TEXTS                                       \
  PEER_EXPORT const char* msda_forward_error(int code) {       \
    return cudaGetErrorString(static_cast<cudaError_t>(code)); \
  }

namespace peer {

inline bool all_of_type(const msda_problem& problem, int type) {
  return problem.value_type == type && problem.location_type == type &&
         problem.weight_type == type && problem.output_type == type;
}

inline const char* name_of_type(int type) {
  return type == MSDA_FP32 ? "fp32" : type == MSDA_FP16 ? "fp16" : "bf16";
}

/// Whether the arm's options have the word.
inline bool has_option(const msda_problem& problem, std::string_view word) {
  std::istringstream options(problem.options);
  for (std::string option; options >> option;) {
    if (option == word) return true;
  }
  return false;
}

/// Whether every index into a tensor, `per_point` numbers for each point, fits 31 bits.
inline bool fits_31_bits(const msda_problem& p, std::int64_t per_point) {
  const std::int64_t rows = p.batch * p.queries * p.heads;
  const std::int64_t largest =
      std::max({p.batch * p.spatial_size * p.heads * p.channels, rows * p.channels,
                rows * p.levels * p.points * per_point});
  return largest <= std::numeric_limits<std::int32_t>::max();
}

/// Why a kernel for CUDA that counts in 31 bits, and takes one of `types` for all tensors and
/// values in `layout`, cannot take the problem; "" when it can. An arm's options may name one type:
/// each has a tolerance of its own.
inline std::string refusal(const msda_problem& p, std::initializer_list<int> types, int layout,
                           std::int64_t per_point) {
  if (p.device != MSDA_CUDA) return "it runs on cuda";
  const bool known =
      std::any_of(types.begin(), types.end(), [&](int type) { return all_of_type(p, type); });
  if (!known) {
    std::string names;
    for (const int type : types)
      names += (names.empty() ? "" : " or ") + std::string(name_of_type(type));
    return "it takes " + names + " in all tensors";
  }
  for (const int type : {MSDA_FP32, MSDA_FP16, MSDA_BF16}) {
    if (has_option(p, name_of_type(type)) && !all_of_type(p, type)) {
      return std::string("this arm is for ") + name_of_type(type);
    }
  }
  if (p.layout != layout) {
    return layout == MSDA_PLAIN ? "it takes values without a border" : "it takes bordered values";
  }
  if (!fits_31_bits(p, per_point)) return "it counts elements in 31 bits";
  return "";
}

/// Fills the answer; the text stays until the next call.
inline int answer_with(const std::string& refusal, msda_answer* answer) {
  static std::string text;
  text = refusal;
  answer->abi = MSDA_EXTERNAL_ABI;
  answer->refusal = text.empty() ? nullptr : text.c_str();
  return 0;
}

}  // namespace peer
