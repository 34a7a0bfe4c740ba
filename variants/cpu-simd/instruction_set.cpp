#include "instruction_set.hpp"

#include <array>

#ifdef MSDA_ROWS_X86
#include <cpuid.h>
#endif

namespace msda::cpu_rows {

// One for each instruction set that CMakeLists.txt compiles row_kernel.cpp for.
void rows_portable(const RowPlan&, const RowTensors&, const RowRange&, const RowScratch&);
#ifdef MSDA_ROWS_X86
void rows_sse4(const RowPlan&, const RowTensors&, const RowRange&, const RowScratch&);
void rows_avx2(const RowPlan&, const RowTensors&, const RowRange&, const RowScratch&);
void rows_avx512(const RowPlan&, const RowTensors&, const RowRange&, const RowScratch&);
#endif

namespace {

struct InstructionSet {
  std::string_view name;
  RowFunction function;
  bool available;  ///< on this machine
};

#ifdef MSDA_ROWS_X86
// The features that CMakeLists.txt lets the compiler use.
bool has_sse4() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("aes");
}

/// Not among the names that __builtin_cpu_supports() knows in every compiler.
bool has_f16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool has_avx2() {
  return has_sse4() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && has_f16c();
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

/// Widest first.
const auto& instruction_sets() {
  static const auto sets = std::to_array<InstructionSet>({
#ifdef MSDA_ROWS_X86
      {"avx512", rows_avx512, has_avx512()},
      {"avx2", rows_avx2, has_avx2()},
      {"sse4", rows_sse4, has_sse4()},
#endif
      {"portable", rows_portable, true},
  });
  return sets;
}

}  // namespace

std::vector<std::string> built_instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet& set : instruction_sets()) names.emplace_back(set.name);
  return names;
}

RowFunction function_for(std::string_view name) {
  for (const InstructionSet& set : instruction_sets()) {
    if (set.available && (name == "auto" || name == set.name)) return set.function;
  }
  return nullptr;
}

}  // namespace msda::cpu_rows
