// Every CUDA call goes through check(): an error becomes an exception that names the call.
#pragma once

#include <cuda_runtime_api.h>

#include <msda/runtime/status.hpp>

namespace msda {

/// Throws Error ("cudaMalloc: out of memory (2)") unless `result` is success.
void check(cudaError_t result, const char* call);

/// The same for a step of the launcher. Whoever knows the kernel takes kNoCluster before.
void check(const runtime::Status& status);

}  // namespace msda
