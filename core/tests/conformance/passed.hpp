// A check on the device simt that passed is made again when something has changed that its outcome
// depends on, as a unit is compiled again: its threads run in an order that follows from a seed, so
// another run would tell nothing new.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "compose/composition.hpp"

namespace msda {

/// Of one check. Its outcome depends on the program that makes it, with all that is linked into it
/// (device code of the core, reference, executor and the check itself); on the plugins of its
/// composition and their parameters; on the compiler of the device simt; and on what `words` say.
/// Each is compared byte by byte, through its hash.
class Passed {
 public:
  /// `check` is its name, unique in the program. Throws EnvironmentError when there is no compiler.
  Passed(std::string_view check, const Composition& composition, std::string_view words,
         const std::filesystem::path& program = "/proc/self/exe");

  /// Whether the check passed when all of this was as it is now. Never with MSDA_TEST_ANEW in the
  /// environment.
  bool before() const;
  /// Notes that the check has passed, in the folder of caches; one that has failed is made again
  /// each time.
  void note() const;

 private:
  std::filesystem::path file_;  ///< empty: there is no place to note it
  std::string key_;
};

}  // namespace msda
