#!/usr/bin/env bash
# Runs ./msda in a small tree with two plugins: one that does not build costs itself alone, whatever is wrong
# with it, and none of an earlier build stands in for it.
#
# Usage: wrapper_test.sh SOURCE_DIR
set -euo pipefail

readonly source=$1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
readonly work tree=$work/tree
readonly plugins=$tree/build/release/lib/msda/variants
export MSDA_ASSUME_PACKAGES=1

fail() {
  printf 'wrapper_test: %s\n' "$*" >&2
  cat -- "$work/out" "$work/err" >&2 || true
  exit 1
}

# Runs ./msda; its exit code has to be the first argument.
expect() {
  local expected=$1 code=0
  shift
  "$tree/msda" "$@" >"$work/out" 2>"$work/err" || code=$?
  ((code == expected)) || fail "./msda $* ends with $code and not $expected"
}

expect_said() {
  grep -q -F -- "$1" "$work/err" || fail "nothing says: $1"
}

expect_plugins() {
  local there
  there=$(cd -- "$plugins" && echo *)
  [[ $there == "$*" ]] || fail "there are the plugins '$there' and not '$*'"
}

add_variant() {
  local name=$1
  mkdir -p -- "$tree/variants/$name/device"
  printf 'msda_add_variant(%s SOURCES plugin.cpp DEVICE device.cuh)\n' "$name" \
    >"$tree/variants/$name/CMakeLists.txt"
  printf '#pragma once\n' >"$tree/variants/$name/device/device.cuh"
  cat >"$tree/variants/$name/plugin.cpp" <<PLUGIN
#include <msda/plugin.hpp>
struct Nothing : msda::Optimization {
  Nothing() : Optimization({"$name", "does nothing", {}}, {"direct", "order", "", ""}) {}
};
MSDA_PLUGIN(Nothing)
PLUGIN
}

mkdir -p -- "$tree/variants"
cp -r -- "$source"/{msda,CMakePresets.json,cmake} "$tree"
cp -- "$source/variants/CMakeLists.txt" "$tree/variants"
add_variant good
add_variant other
printf '#include <cstdio>\nint main() { std::puts("ran"); }\n' >"$tree/main.cpp"
cat >"$tree/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(msda LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY \${PROJECT_BINARY_DIR}/bin)
include(cmake/MsdaAddVariant.cmake)
add_library(msda_plugin INTERFACE)
add_library(msda::plugin ALIAS msda_plugin)
target_include_directories(msda_plugin INTERFACE "$source/core/include")
add_executable(msda main.cpp)
add_custom_target(program)
add_dependencies(program msda)
add_subdirectory(variants)
CMAKE

expect 0 list
[[ $(<"$work/out") == ran ]] || fail "the program did not run"
expect_said 'Building'
expect_plugins good.so other.so

printf 'this is not C++\n' >>"$tree/variants/other/plugin.cpp"
expect 0 list
[[ $(<"$work/out") == ran ]] || fail "the program did not run beside a plugin that does not compile"
expect_said "the plugin 'other' does not build"
expect_said 'this is not C++'
expect_plugins good.so
expect 3 build

add_variant other
rm -- "$tree/variants/other/device/device.cuh"
expect 0 list
expect_said "the plugin 'other' does not build"
expect_said 'its CMakeLists.txt names'
expect_plugins good.so

add_variant other
expect 0 build
expect_plugins good.so other.so

# The embedded file is followed, too.
printf '// changed\n' >>"$tree/variants/other/device/device.cuh"
expect 0 build
grep -q -a '// changed' "$plugins/other.so" || fail "a change of a device file does not reach its plugin"

printf '\n' >"$tree/variants/other/CMakeLists.txt"
expect 0 list
expect_said 'CMake Warning'
expect_plugins good.so

# Sanitizers: each program by itself; one that fails is named, and the others run.
cat >>"$tree/CMakeLists.txt" <<CMAKE
include(cmake/MsdaOptions.cmake)
add_executable(sound sound.cpp)
add_executable(unsound unsound.cpp)
add_executable(undefined undefined.cpp)
target_link_libraries(undefined PRIVATE msda::options)
add_executable(threaded sound.cpp)
file(WRITE \${PROJECT_BINARY_DIR}/tests.txt "sound \nunsound \nundefined \nthreaded threads\ngpu_test gpu\n")
CMAKE
printf 'int main() {}\n' >"$tree/sound.cpp"
printf 'int main() { return 1; }\n' >"$tree/unsound.cpp"
printf 'int main(int count, char**) { return (1 << (31 + count)) > 1 ? 0 : 0; }\n' >"$tree/undefined.cpp"
expect 1 sanitize asan
expect_said 'these fail: asan:unsound asan:undefined'
expect_said 'shift exponent 32 is too large'
expect_said 'asan 4/4: threaded'
expect 0 sanitize tsan
expect_said 'Nothing found'

# What passed is not run again before a file changes, unless it is named.
expect 1 sanitize asan
expect_said 'asan 1/4: sound passed before'
expect_said 'asan: unsound fails'
expect 0 sanitize asan sound
expect_said 'asan 1/1: sound'
expect 2 sanitize asan no-such-program
expect_said "no test program 'no-such-program'"
printf '// changed\n' >>"$tree/variants/good/plugin.cpp"
expect 1 sanitize asan
if grep -q 'passed before' "$work/err"; then fail "a program does not run although a file changed"; fi

# The list of programs is as new as the CMakeLists.txt.
cat >>"$tree/CMakeLists.txt" <<CMAKE
add_executable(late sound.cpp)
file(APPEND \${PROJECT_BINARY_DIR}/tests.txt "late \n")
CMAKE
expect 1 sanitize asan
expect_said 'asan 5/5: late'

# clang-tidy: a stand-in says what it was asked to look at.
mkdir -p -- "$work/bin"
printf '#!/bin/sh\necho "$@" >"%s"\n' "$work/tidied" >"$work/bin/run-clang-tidy"
chmod +x "$work/bin/run-clang-tidy"
expect 2 tidy no-such-folder
expect_said "no folder 'no-such-folder'"
PATH=$work/bin:$PATH expect 0 tidy variants/
grep -q -F -- "-p $tree/build/debug ^$tree/variants/" "$work/tidied" || fail "tidy calls: $(<"$work/tidied")"

add_variant other
printf 'this is not C++\n' >>"$tree/main.cpp"
expect 3 list
expect_said 'the build failed'
echo "wrapper_test: all is well"
