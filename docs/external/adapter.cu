#include <msda/external.h>

#include "ms_deform_attn.h"

/// What the kernel takes; the program skips the other problems with this reason.
extern "C" int msda_forward_query(const msda_problem* problem, msda_answer* answer) {
  answer->abi = MSDA_EXTERNAL_ABI;
  if (problem->device != MSDA_CUDA) answer->refusal = "it runs on cuda";
  if (problem->value_type != MSDA_FP32 || problem->location_type != MSDA_FP32 ||
      problem->weight_type != MSDA_FP32 || problem->output_type != MSDA_FP32) {
    answer->refusal = "it takes fp32 alone";
  }
  if (problem->layout != MSDA_PLAIN) answer->refusal = "it takes values without a border";
  return 0;
}

extern "C" int msda_forward(const void* value, const int64_t* shapes, const int64_t* starts,
                            const void* locations, const void* weights, void* output,
                            const msda_problem* p, void*, void* stream) {
  ms_deform_attn_forward(
      static_cast<cudaStream_t>(stream), static_cast<const float*>(value), shapes, starts,
      static_cast<const float*>(locations), static_cast<const float*>(weights),
      static_cast<int>(p->batch), static_cast<int>(p->spatial_size), static_cast<int>(p->heads),
      static_cast<int>(p->channels), static_cast<int>(p->levels), static_cast<int>(p->queries),
      static_cast<int>(p->points), static_cast<float*>(output));
  return cudaGetLastError();
}

extern "C" const char* msda_forward_error(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}
