// Stacks for the fibers of a launch, each with a page below it that no access survives.
#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>

namespace msda::simt {

class Stacks {
 public:
  explicit Stacks(std::size_t count);
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  static constexpr std::size_t kBytes = std::size_t{256} << 10U;  ///< taken when touched
  boost::context::stack_context at(std::size_t i) const;
  /// The lowest address of stack i, where its page is.
  const void* bottom(std::size_t i) const { return base_ + i * kBytes; }

 private:
  std::size_t count_;
  unsigned char* base_ = nullptr;
};

/// For Boost.Context, whose fibers give their stack back: ours stay.
struct KeptStack {
  boost::context::stack_context allocate() const { return {}; }
  void deallocate(boost::context::stack_context&) const noexcept {}
};

}  // namespace msda::simt
