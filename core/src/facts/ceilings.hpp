// What a device can do at best, as measured.
#pragma once

#include <array>
#include <utility>

#include <nlohmann/json_fwd.hpp>

namespace msda {

/// In bytes per second. The first two are the roofline's roofs for this operator; the others, 0 on
/// a device without such memory, say where else values could be.
struct Ceilings {
  double dram_bytes_per_second = 0;  ///< copy of buffers far larger than the caches, read + written
  double gather_bytes_per_second = 0;   ///< reads that hit the first-level cache
  double l2_bytes_per_second = 0;       ///< reads that hit the second-level cache, the faster of
                                        ///< streams and gathers
  double shared_bytes_per_second = 0;   ///< reads of the block's own shared memory
  double cluster_bytes_per_second = 0;  ///< reads of another block's, in clusters of 2
};

/// Each of them, and its name in files.
inline constexpr std::array<std::pair<const char*, double Ceilings::*>, 5> kCeilingFields = {
    {{"dram_bytes_per_second", &Ceilings::dram_bytes_per_second},
     {"gather_bytes_per_second", &Ceilings::gather_bytes_per_second},
     {"l2_bytes_per_second", &Ceilings::l2_bytes_per_second},
     {"shared_bytes_per_second", &Ceilings::shared_bytes_per_second},
     {"cluster_bytes_per_second", &Ceilings::cluster_bytes_per_second}}};

/// As the cache and manifests hold them.
nlohmann::json to_json(const Ceilings& ceilings);
/// Zero where the object does not say, or says no number.
Ceilings ceilings_from_json(const nlohmann::json& object);

}  // namespace msda
