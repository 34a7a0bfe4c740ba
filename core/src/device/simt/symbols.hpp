// Places in device code, as people read them.
#pragma once

#include <string>

#include "device/simt/launch.hpp"

#include <msda/simt/host/executor.cuh>

namespace msda::simt {

/// "msda/skeleton/tile.cuh:140": without the folder of the cache entry.
std::string place(const Image& image, host::Where where);

/// The same of a code address, with the functions it was inlined into, innermost first. Asks
/// addr2line, and gives the offset where that is missing.
std::string place(const Image& image, const void* pc);

}  // namespace msda::simt
