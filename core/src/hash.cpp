#include "hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace msda {

struct Hash::State {
  XXH3_state_t xxh;
};

Hash::Hash() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Hash::~Hash() = default;
Hash::Hash(Hash&&) noexcept = default;
Hash& Hash::operator=(Hash&&) noexcept = default;

Hash& Hash::add(const void* data, std::size_t bytes) {
  XXH3_128bits_update(&state_->xxh, data, bytes);
  return *this;
}

std::string Hash::hex() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(&state_->xxh);
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

}  // namespace msda
