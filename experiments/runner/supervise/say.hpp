// Telling the user something while work goes on: an end that nobody reads any more, or that is
// full, is no reason to stop.
#pragma once

#include <cstdio>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace msda {

/// Writes and flushes; what cannot be written is lost. fmt::print() throws then. Of the standard
/// output lost_output_error() tells why, so that the program does not end as if all had been said.
void say_text(std::FILE* stream, std::string_view text);

template <class... Arguments>
void say(std::FILE* stream, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  say_text(stream, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// errno of the first write to the standard output that say_text() lost, 0 where all was written. A
/// pipe or a terminal that was closed wants no more and does not count.
int lost_output_error();

/// Writing to a pipe that is closed is an error code from now on, not the end of this process.
void survive_closed_pipes();

/// Opens /dev/null for those of the three standard streams that this process was started without,
/// so that no other file takes their place and gets what is meant for them.
void keep_standard_streams();

}  // namespace msda
