#include "device/simt/stacks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <msda/error.hpp>

#include "device/simt/stack_switch.hpp"

namespace msda::simt {

Stacks::Stacks(std::size_t count) : count_(count) {
  void* region = mmap(nullptr, count_ * kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) throw EnvironmentError("no memory for the stacks of a block's threads");
  base_ = static_cast<unsigned char*>(region);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < count_; ++i) mprotect(base_ + i * kBytes, page, PROT_NONE);
}

Stacks::~Stacks() {
  forget_stacks(base_, count_ * kBytes);
  munmap(base_, count_ * kBytes);
}

boost::context::stack_context Stacks::at(std::size_t i) const {
  boost::context::stack_context stack;
  stack.size = kBytes;
  stack.sp = base_ + (i + 1) * kBytes;
  return stack;
}

}  // namespace msda::simt
