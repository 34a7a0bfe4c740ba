// What a table says, in words.
#pragma once

#include <string>

#include "statistics/table.hpp"

namespace msda {

/// One to three sentences: which arm is the fastest, by how much and how sure; how far the next one
/// is; how many arms have no time.
std::string headline(const Table& table);

}  // namespace msda
