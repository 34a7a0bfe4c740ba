#include "version.hpp"

namespace msda {

const char* const kVersion = MSDA_VERSION;

}  // namespace msda
