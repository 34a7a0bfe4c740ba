// Numbers as people write them who do not know how they are written here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace msda {

/// The number that "1e3", "0x10", "0o17", "1_000" or "010" most likely stand for; nullopt where
/// there is no telling.
std::optional<double> meant_number(std::string_view text);

/// "; write 1000" where the text means a number of that kind, else "".
std::string integer_hint(std::string_view text);
std::string number_hint(std::string_view text);
/// The same of "1e1 s", a number and one of the units: "; write 10 s". Of a duration that only an
/// exponent can write, how long it may be.
std::string quantity_hint(std::string_view text);

}  // namespace msda
