#include "device/simt/fault.hpp"

#include <fmt/format.h>

namespace msda::simt {

std::string_view name_of(Diagnosis diagnosis) {
  switch (diagnosis) {
    case Diagnosis::kDeadlock: return "deadlock";
    case Diagnosis::kEarlyExit: return "early exit";
    case Diagnosis::kDivergence: return "divergence";
    case Diagnosis::kAbsentLane: return "absent lane";
    case Diagnosis::kOutOfBoundsShared: return "out-of-bounds shared memory";
    case Diagnosis::kUninitialisedShared: return "uninitialised shared memory";
    case Diagnosis::kOutOfBoundsGlobal: return "out-of-bounds global memory";
    case Diagnosis::kMisaligned: return "misaligned access";
    case Diagnosis::kRace: return "shared-memory race";
    case Diagnosis::kGlobalRace: return "global-memory race";
    case Diagnosis::kGone: return "memory of a block that has left";
    case Diagnosis::kLeftBehind: return "left behind";
    case Diagnosis::kProxy: return "missing proxy fence";
    case Diagnosis::kDependency: return "missing wait for the launch before";
    case Diagnosis::kSpin: return "spin without end";
    case Diagnosis::kMisuse: return "misuse";
  }
  return "?";
}

Fault::Fault(Diagnosis diagnosis, const std::string& text)
    : Error(fmt::format("simt: {}: {}", name_of(diagnosis), text)), diagnosis_(diagnosis) {}

}  // namespace msda::simt
