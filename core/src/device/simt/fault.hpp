// What the executor finds wrong with a kernel.
#pragma once

#include <string>
#include <string_view>

#include <msda/error.hpp>

namespace msda::simt {

enum class Diagnosis {
  kDeadlock,             ///< no thread can run
  kEarlyExit,            ///< threads wait for others that have left the kernel
  kDivergence,           ///< threads meet at different barriers or warp operations
  kAbsentLane,           ///< a warp operation names a lane that is not there
  kOutOfBoundsShared,    ///< beyond the shared memory of the block
  kUninitialisedShared,  ///< shared memory is read before anything was written there
  kOutOfBoundsGlobal,    ///< in no buffer of the launch, or written where only reading is allowed
  kMisaligned,           ///< an address that is no multiple of the access
  kRace,                 ///< two threads access shared memory with nothing between that orders them
  kGlobalRace,           ///< two blocks access a place in global memory, and one of them writes it
  kGone,                 ///< shared memory of a block of the cluster that has left, or may have
  kLeftBehind,           ///< a block ends, and copies to it or arrivals at a barrier are under way
  kProxy,                ///< a bulk copy that no fence orders behind what threads did before
  kDependency,  ///< global memory is touched before the launch before is known to have ended
  kSpin,        ///< threads run on and nothing changes any more
  kMisuse       ///< wrong use of a primitive, such as a barrier that was never initialised
};

/// "deadlock", "out-of-bounds shared memory": as messages and docs/simt.md name it.
std::string_view name_of(Diagnosis diagnosis);

/// Thrown by a launch; the message says what, where and who.
class Fault : public Error {
 public:
  Fault(Diagnosis diagnosis, const std::string& text);
  Diagnosis diagnosis() const { return diagnosis_; }

 private:
  Diagnosis diagnosis_;
};

}  // namespace msda::simt
