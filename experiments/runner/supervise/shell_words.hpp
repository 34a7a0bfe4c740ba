// Command lines for people to paste: what a shell makes of them are the words again.
#pragma once

#include <string>
#include <vector>

namespace msda {

/// The word as a POSIX shell takes it: as it is where that is safe, else in single quotes.
std::string shell_word(const std::string& word);

/// "msda run 'my file.yaml'"
std::string shell_command(const std::vector<std::string>& words);

}  // namespace msda
