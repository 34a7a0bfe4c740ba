// NVRTC's functions. Its library takes longer to load than the program itself, so that the first
// call loads it, and what compiles no kernel does without.
#pragma once

#include <nvrtc.h>

namespace msda {

/// The address of a function of NVRTC. Throws EnvironmentError where the toolkit's library is not
/// found.
void* nvrtc_function(const char* name);

}  // namespace msda

#define NVRTC(name) reinterpret_cast<decltype(&(name))>(::msda::nvrtc_function(#name))
