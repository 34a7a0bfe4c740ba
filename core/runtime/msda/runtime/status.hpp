// How a step of a launch ended. The launcher throws nothing and prints nothing: exported code has
// neither, and the program makes exceptions of what it gets.
#pragma once

namespace msda::runtime {

enum class Failure {
  kNone,
  kCall,       ///< a function of the CUDA runtime failed
  kNoCluster,  ///< the device cannot hold one cluster of the kernel's blocks
  kNoEncoder,  ///< the driver does not encode tensor maps: it is older than CUDA 12.0
  kEncoding    ///< the driver refused to encode a tensor map
};

struct [[nodiscard]] Status {
  Failure failure = Failure::kNone;
  int code = 0;           ///< cudaError_t of kCall, CUresult of kEncoding
  const char* call = "";  ///< of kCall: the function, for messages

  bool failed() const { return failure != Failure::kNone; }
};

/// `result` is the cudaError_t of the function `call`.
inline Status status_of(int result, const char* call) {
  return result == 0 ? Status{} : Status{Failure::kCall, result, call};
}

}  // namespace msda::runtime
