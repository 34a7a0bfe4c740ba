// The vector code, compiled once for each instruction set: MSDA_ROW_FUNCTION is the name it gets
// there. See row_plan.hpp for what must not be used here.
#define HWY_COMPILE_ONLY_STATIC
// Vectors whose size is unknown to the compiler cannot be held in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/highway.h>

#include "row_kernel.hpp"

namespace msda::cpu_rows {

void MSDA_ROW_FUNCTION(const RowPlan& plan, const RowTensors& tensors, const RowRange& range,
                       const RowScratch& scratch) {
  namespace target = HWY_NAMESPACE;
  with_type(plan.types.value, [&]<DType kType>() {
    target::compute_rows<target::VectorElement<kType>>(plan, tensors, range, scratch);
  });
}

}  // namespace msda::cpu_rows
