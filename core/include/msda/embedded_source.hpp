// A text that is compiled into a program or a plugin. In a header of its own, because the files
// that hold such texts need nothing else.
#pragma once

namespace msda {

/// A device header carried inside the plugin, as the composer writes it beside the generated unit.
struct EmbeddedSource {
  const char* path;  ///< "vector_loads/mapping.cuh", relative to the include root
  const char* text;
};

}  // namespace msda
