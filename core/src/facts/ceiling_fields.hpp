// The members of Ceilings, for what goes through all of them.
#pragma once

#include <array>
#include <utility>

#include "facts/ceilings.hpp"

namespace msda {

/// Each of them, and its name in files.
inline constexpr std::array<std::pair<const char*, double Ceilings::*>, 5> kCeilingFields = {
    {{"dram_bytes_per_second", &Ceilings::dram_bytes_per_second},
     {"gather_bytes_per_second", &Ceilings::gather_bytes_per_second},
     {"l2_bytes_per_second", &Ceilings::l2_bytes_per_second},
     {"shared_bytes_per_second", &Ceilings::shared_bytes_per_second},
     {"cluster_bytes_per_second", &Ceilings::cluster_bytes_per_second}}};

}  // namespace msda
