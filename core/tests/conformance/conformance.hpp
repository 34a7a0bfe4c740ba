// What the conformance programs share: the registry of the build tree and the check of one
// composition.
#pragma once

#include <string>
#include <vector>

#include "compose/composition.hpp"
#include "gpu/device.hpp"

namespace msda {

/// The plugins of the build tree and of MSDA_PLUGIN_PATH.
const Registry& shipped_plugins();

/// Each plugin alone on its default base, and the skeleton with all defaults, for one kind of
/// device.
std::vector<Composition> shipped_compositions(DeviceKind kind);

/// Runs the composition on every awkward problem and compares with the reference. Each problem must
/// be right, or refused with a reason; at least one must run.
void expect_conforming(Device& device, const Composition& composition);

}  // namespace msda
