// What a compiler says of device code, in the words of the one who wrote it.
#pragma once

#include <filesystem>
#include <string>

#include "compose/unit.hpp"

namespace msda {

/// The message of a unit that does not compile for `target` ("sm_90a", "the host"): the compiler's
/// `log` with places in plugins' own files ("my-order: device/order.cuh:22"), what to call instead
/// of intrinsics that only a GPU has, and where the sources lie as they were compiled.
std::string compile_failure(const Unit& unit, const std::string& target,
                            const std::filesystem::path& directory, std::string log);

}  // namespace msda
