// A Placement is a Variant that fills no slot and brings no code: it says on which devices of a
// host one call of the operator runs. It stands beside the optimizations of any composition, or
// beside a whole kernel.
#pragma once

#include <msda/variant.hpp>

namespace msda {

class Placement : public Variant {
 public:
  using Variant::Variant;

  /// How rows that other devices compute come to the output, which lies on the first one.
  enum class Gather {
    kWritten,  ///< their kernels write them there, over the link between the devices
    kCopied,   ///< into memory of their own first, and copied when the kernel ends
  };

  /// How many devices share the batch of a call, from the one that is asked for on.
  virtual int devices(const Parameters& parameters) const = 0;
  virtual Gather gather(const Parameters& parameters) const = 0;
};

}  // namespace msda
