#pragma once

#include <string>
#include <string_view>

namespace msda {

/// RFC 4180: a field with a separator, quote or line end stands in quotes, its quotes doubled.
std::string csv_field(std::string_view text);

}  // namespace msda
