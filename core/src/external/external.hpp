// The variant `external`: a kernel that lies in somebody's shared library behind a C entry
// (msda/external.h). It is the one variant that comes with the program instead of a plugin, so that
// an experiment can name any library as an arm.
#pragma once

#include <memory>

#include <msda/variant.hpp>

namespace msda {

inline constexpr const char* kExternalVariant = "external";

/// A Kernel for CPU and CUDA. What its library says of a problem is asked in prepare(), where a
/// worker process bears what happens; unsupported() opens nothing.
std::shared_ptr<const Variant> make_external_variant();

}  // namespace msda
