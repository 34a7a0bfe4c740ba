// The version of this program, "0.2.0". Only version.cpp is compiled again when it changes.
#pragma once

namespace msda {

extern const char* const kVersion;

}  // namespace msda
