#!/usr/bin/env bash
# Adds a folder to variants/ of a configured tree, and takes it away again: the next build must make the
# plugin, and remove it, without being told. What new-variant writes has to build and to be right, for every slot.
#
# Usage: new_variant_test.sh SOURCE_DIR BUILD_DIR CMAKE
set -euo pipefail

readonly source=$1 build=$2 cmake=$3
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
readonly work
readonly added=interleaved-order tree=$work/tree new_build=$work/build
readonly plugin=$new_build/lib/msda/variants/$added.so
unset MSDA_PLUGIN_PATH

fail() {
  printf 'new_variant_test: %s\n' "$*" >&2
  exit 1
}

build_target() {
  "$cmake" --build "$new_build" --target "$1" >>"$work/log" 2>&1 || {
    cat -- "$work/log" >&2
    fail "cannot build $1"
  }
}

mkdir -- "$tree"
cp -r -- "$source"/{CHANGELOG.md,CMakeLists.txt,CONTRIBUTING.md,LICENSE,NOTICE,README.md} "$tree"
cp -r -- "$source"/{analysis,cmake,core,docs,experiments,variants} "$tree"
rm -r -- "${tree:?}/variants/$added"
"$cmake" -S "$tree" -B "$new_build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMSDA_BUILD_TESTS=OFF \
  >"$work/log" 2>&1 || {
  cat -- "$work/log" >&2
  fail "cannot configure"
}
build_target variant-vector-loads
[[ ! -e $plugin ]] || fail "$added is there before its folder"

cp -r -- "$source/variants/$added" "$tree/variants"
build_target "variant-$added"
"$build/bin/msda" show "$added" --plugin-dir "${plugin%/*}" >"$work/shown"
grep -q -F -- "$plugin" "$work/shown" || fail "the program does not load the new plugin"

rm -r -- "${tree:?}/variants/$added"
build_target variant-vector-loads
[[ ! -e $plugin ]] || fail "$added is there after its folder"
[[ -e ${plugin%/*}/vector-loads.so ]] || fail "vector-loads has gone with $added"

# What the program writes for each slot, and for whole kernels, is right as it stands.
cd -- "$tree"
names=()
new_variant() {
  "$build/bin/msda" new-variant "$1" "$2" "$3" >>"$work/log" || fail "new-variant $*"
  names+=("$1")
}
slots=$("$build/bin/msda" new-variant none --slot none 2>&1 || true)
slots=${slots##*there are: }
[[ $slots == *order* ]] || fail "no slots in: $slots"
for slot in ${slots//,/}; do new_variant "my-$slot" --slot "$slot"; done
new_variant my-cuda-kernel --kernel cuda
new_variant my-cpu-kernel --kernel cpu
for name in "${names[@]}"; do build_target "variant-$name"; done
verify() {
  "$build/bin/msda" verify "$@" --plugin-dir "${plugin%/*}" >"$work/verified" ||
    fail "a new variant is not right: $(<"$work/verified")"
}
verify my-cpu-kernel --device cpu
unset 'names[-1]'
verify "${names[@]}" --device simt:1:races --dtype fp16
if grep -q '^skipped' "$work/verified"; then fail "a new variant does not run: $(<"$work/verified")"; fi
# And shows the evidence that it declares, until that is made stricter.
verify my-order my-metadata --evidence --device simt
shown=$(grep -c '^shown' "$work/verified")
[[ $shown == 2 ]] || fail "a new variant does not show its evidence: $(<"$work/verified")"
echo "new_variant_test: all is well"
