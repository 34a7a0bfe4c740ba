// The one content hash of the program: XXH3, 128 bits, as 32 hexadecimal digits.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace msda {

/// Collects bytes; equal sequences of add() calls give equal digests whatever their cuts.
class Hash {
 public:
  Hash();
  ~Hash();
  Hash(Hash&&) noexcept;
  Hash& operator=(Hash&&) noexcept;

  Hash& add(const void* data, std::size_t bytes);
  Hash& add(std::string_view text) { return add(text.data(), text.size()); }
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline std::string hash_hex(std::string_view text) { return Hash().add(text).hex(); }

}  // namespace msda
