#include <fmt/format.h>

#include "jit/compiler.hpp"

namespace msda {

std::string architecture_name(int compute_capability) {
  // 90a adds the instructions of Hopper alone (wgmma, setmaxnreg) and runs nowhere else.
  return fmt::format("sm_{}{}", compute_capability, compute_capability == 90 ? "a" : "");
}

}  // namespace msda
