#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace msda {

int package_command(const std::vector<std::string>& words) {
  Arguments arguments(
      {"package",
       "Makes a relocatable archive of the program. It is built from sources, so the\n"
       "script at the root of the source tree does it: ./msda package",
       "  ./msda package\n"});
  if (!arguments.parse(words)) return 0;
  throw UsageError(
      "package: this program cannot pack itself; run './msda package' at the root of the source "
      "tree");
}

}  // namespace msda
