// Evidence that an arm does what its optimizations are about: what each of them declares must show
// when the kernel's threads are run and counted on the device "simt", in a smaller problem of the
// same shape, and among the instructions of the code for a GPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compose/composition.hpp"
#include "device/device.hpp"
#include "evidence/condition.hpp"
#include "facts/evidence.hpp"
#include "input/input.hpp"

namespace msda {

/// An arm whose evidence is asked for.
struct EvidenceRequest {
  const Composition* composition = nullptr;
  /// Its code for a GPU, whose instructions count too where the toolkit tells; may be null.
  const Build* build = nullptr;
  std::vector<Condition> conditions;  ///< of its recipe and claims, beside those of its variants
};

/// Tensors of problems that are smaller than the one in question.
struct SmallInputs {
  std::function<Input(const Problem& scaled)> make;
  /// Equal for equal tensors of equal problems: counts are kept from one run to the next by it.
  /// Empty: they are not kept.
  std::string identity;
};

/// Checks all of them, several at a time, as they would run on `device` (its multiprocessors count;
/// those of a device that runs no composed kernel stand for a large GPU's). Never throws for what
/// one arm is to blame for. Calls `on_progress` as each ends, one call at a time.
std::vector<Evidence> check_evidence(const std::vector<EvidenceRequest>& requests,
                                     const Problem& problem, const DeviceInfo& device,
                                     const SmallInputs& inputs,
                                     const std::function<void()>& on_progress = {});

}  // namespace msda
