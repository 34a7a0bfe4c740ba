#!/usr/bin/env bash
# Builds docs/cuda-plugin with nvcc against an installed package, as its page says, and lets the program load
# the plugin. With "run" also verifies it on the GPU.
#
# Usage: cuda_plugin_test.sh SOURCE_DIR BUILD_DIR CMAKE NVCC [run]
set -euo pipefail

readonly source=$1 build=$2 cmake=$3 nvcc=$4 mode=${5:-}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
readonly work prefix=$work/prefix
export MSDA_CACHE_DIR=$work/cache
unset MSDA_PLUGIN_PATH

fail() {
  printf 'cuda_plugin_test: %s\n' "$*" >&2
  exit 1
}

logged() { "$@" >>"$work/log" 2>&1 || fail "$* fails: $(<"$work/log")"; }

architecture=90
if [[ $mode == run ]]; then architecture=native; fi
logged "$cmake" --install "$build" --prefix "$prefix"
logged "$cmake" -S "$source/docs/cuda-plugin" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="$architecture"
logged "$cmake" --build "$work/build"

readonly plugins=$work/build/lib/msda/variants
symbols=$(readelf --dyn-syms -W "$plugins/warp-per-row.so" |
  awk '$5 == "GLOBAL" && $7 != "UND" && $6 == "DEFAULT" { print $8 }')
[[ $symbols == msda_plugin_manifest ]] || fail "the plugin exports: $symbols"
shown=$("$prefix/bin/msda" show warp-per-row --plugin-dir "$plugins")
[[ $shown == *"threads of a block (integer, one of 64, 128, 256, 512, 1024, default 256)"* ]] || fail "show: $shown"
if [[ $shown == *optimi[sz]ation* ]]; then fail "the plugin is not optimized: $shown"; fi
verified=$("$prefix/bin/msda" verify warp-per-row --device cpu --plugin-dir "$plugins")
[[ $verified == *"runs on cuda"* ]] || fail "verify on the CPU: $verified"

if [[ $mode == run ]]; then
  logged ctest --test-dir "$work/build" --output-on-failure
  for problem in rfdetr-decoder ddetr-decoder; do
    logged "$prefix/bin/msda" verify warp-per-row --device cuda:0 --problem "$problem" --plugin-dir "$plugins"
  done
  ! grep -q '^skipped' "$work/log" || fail "a problem was skipped: $(<"$work/log")"
fi
echo "cuda_plugin_test: all is well"
