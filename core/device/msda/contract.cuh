// Words for the concepts of slots, which list what a policy must have. NVRTC has no <concepts>.
#pragma once

#include <msda/slot_list.cuh>

namespace msda {

template <class A, class B>
inline constexpr bool kSame = false;
template <class A>
inline constexpr bool kSame<A, A> = true;

template <class A, class B>
concept Same = kSame<A, B>;

/// `requires kConstant<int, Policy::kRows>`: Policy::kRows is a constant expression that fits int.
template <class T, T value>
inline constexpr bool kConstant = true;

template <bool first, class A, class B>
struct ConditionalType {
  using Type = A;
};
template <class A, class B>
struct ConditionalType<false, A, B> {
  using Type = B;
};
/// A if `first`, otherwise B (std::conditional_t).
template <bool first, class A, class B>
using Conditional = typename ConditionalType<first, A, B>::Type;

/// A policy of which each thread makes an object, from the launch's arguments and the policy's part
/// of shared memory: `Policy::Storage`, a struct, empty if the policy needs none.
template <class Policy>
concept HasStorage = requires(const Arguments& arguments, typename Policy::Storage& storage) {
  Policy(arguments, storage);
};

}  // namespace msda
