// What CMake, C++ and line tools might mangle. The test compares the bytes.
#define LIST a;b;;c;
#define BRACKETS [ [[ ]] ]=] [=[ ; ]
#define REFERENCES ${HOME} $ENV{HOME} @CMAKE_VERSION@ $<CONFIG> $(HOME)
#define ESCAPES "\n\t\\ \" \x41 \; \u00e9"
#define QUOTES '"' '\'' '\\'
constexpr auto raw = R"msda~(no end yet)")msda~";
#define TRIGRAPHS ??= ??/ ??'
// UTF-8: é € 🐙, a tab:	, blanks at the end:   
// carriage return:
#define CONTINUED \
  backslash at the end of a line
#include <msda/plugin.hpp> // %d %s {} {{ }}
// no newline at the end of the file