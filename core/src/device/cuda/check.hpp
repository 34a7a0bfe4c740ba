// Every CUDA call goes through check(): an error becomes an exception that names the call.
#pragma once

#include <cuda_runtime_api.h>

namespace msda {

/// Throws Error ("cudaMalloc: out of memory (2)") unless `result` is success.
void check(cudaError_t result, const char* call);

}  // namespace msda
