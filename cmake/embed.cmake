# Script of msda_embed_sources(). Files are read as hexadecimal digits and written as arrays of
# characters: CMake never sees their text, whose semicolons and brackets it would take for list syntax,
# and no limit on the length of string literals applies.
cmake_minimum_required(VERSION 3.25)

set(arrays "")
set(entries "")
set(index 0)
set(inputs "")
foreach(file IN LISTS FILES)
  if(NOT EXISTS "${ROOT}/${file}")
    message(FATAL_ERROR "${TARGET}: its CMakeLists.txt names ${ROOT}/${file}, which is not there")
  endif()
  string(REPLACE " " "\\ " escaped "${ROOT}/${file}")
  string(APPEND inputs " ${escaped}")
  file(READ "${ROOT}/${file}" digits HEX)
  # Whole bytes only: one line of 24 at a time, then single ones.
  string(REGEX REPLACE "(................................................)" "\\1\n" digits "${digits}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${digits}")
  if(bytes MATCHES "'.x00'")
    message(FATAL_ERROR "${ROOT}/${file}: holds a zero byte, so it is no text to embed")
  endif()
  string(APPEND arrays "\n// ${file}\nconstexpr char kText${index}[] = {\n${bytes}'\\0'};\n")
  string(APPEND entries "    {\"${PREFIX}${file}\", kText${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()

string(REPLACE " " "\\ " escaped "${OUTPUT}")
file(WRITE "${OUTPUT}.d" "${escaped}:${inputs}\n")
file(WRITE "${OUTPUT}"
"// Generated from source files by msda_embed_sources(); do not edit.
#include <msda/embedded_source.hpp>

namespace {
${arrays}
}  // namespace

namespace ${NAMESPACE} {
extern const ::msda::EmbeddedSource kSources[];
const ::msda::EmbeddedSource kSources[] = {
${entries}    {nullptr, nullptr}};
}  // namespace ${NAMESPACE}
")
