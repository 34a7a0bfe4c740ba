#include "device/cuda/settings.hpp"

#include "device/cuda/check.hpp"

namespace msda {
namespace {

bool are_equal(const cudaAccessPolicyWindow& a, const cudaAccessPolicyWindow& b) {
  return a.base_ptr == b.base_ptr && a.num_bytes == b.num_bytes && a.hitRatio == b.hitRatio &&
         a.hitProp == b.hitProp && a.missProp == b.missProp;
}

}  // namespace

// What a device does not have stays 0, which apply() then finds equal.
CudaSettings::CudaSettings(cudaStream_t stream) {
  for (std::size_t i = 0; i < kLimits.size(); ++i) {
    if (cudaDeviceGetLimit(&limits_[i], kLimits[i]) != cudaSuccess) limits_[i] = 0;
  }
  static_cast<void>(cudaDeviceGetCacheConfig(&cache_));
  cudaStreamAttrValue value{};
  if (cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value) ==
      cudaSuccess) {
    window_ = value.accessPolicyWindow;
  }
  static_cast<void>(cudaGetLastError());
}

void CudaSettings::apply(cudaStream_t stream) const {
  const CudaSettings now(stream);
  for (std::size_t i = 0; i < kLimits.size(); ++i) {
    if (limits_[i] == now.limits_[i]) continue;
    check(cudaDeviceSetLimit(kLimits[i], limits_[i]), "cudaDeviceSetLimit");
  }
  if (cache_ != now.cache_) check(cudaDeviceSetCacheConfig(cache_), "cudaDeviceSetCacheConfig");
  if (are_equal(window_, now.window_)) return;
  cudaStreamAttrValue value{};
  value.accessPolicyWindow = window_;
  check(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
        "cudaStreamSetAttribute(AccessPolicyWindow)");
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
}

}  // namespace msda
