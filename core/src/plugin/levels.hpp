// The variant `levels`, which comes with the program: where a composition has the sizes of a
// pyramid's levels from. Like a placement it fills no slot and stands beside those that do.
#pragma once

#include <memory>

#include <msda/levels.hpp>

namespace msda {

inline constexpr const char* kLevelsVariant = "levels";
/// Its only parameter, a LevelForm's name.
inline constexpr const char* kSizesParameter = "sizes";

/// In the order of the parameter's choices.
enum class LevelForm {
  kFixed,  ///< constants of the code, which is for one pyramid
  kGiven,  ///< arguments of the kernel
  kStored  ///< a tensor in device memory, which the kernel reads and checks
};

std::string_view name_of(LevelForm form);
/// `parameters` are the variant's.
LevelForm level_form(const Parameters& parameters);

std::shared_ptr<const Variant> make_levels_variant();

}  // namespace msda
