#!/usr/bin/env bash
# Runs a test, or tells again what the test said when it passed, where nothing that its outcome depends on has changed
# since: the words of its command and the files that they name, the INPUTs (files and folders), the variables that
# tests read, and the tools and libraries of the system, these by place, size and time. Each is compared by its hash.
# A test that failed or left something out runs each time, and every test with MSDA_TEST_ANEW in the environment.
#
# Usage: kept.sh [INPUT...] -- COMMAND [ARGUMENT...]
set -euo pipefail
export LC_ALL=C
shopt -s nullglob

inputs=("$0")
while [[ $1 != -- ]]; do
  inputs+=("$1")
  shift
done
shift

# Where the program keeps what can be made again; a relative XDG_CACHE_HOME is to be ignored.
cache=${MSDA_CACHE_DIR:-}
if [[ -z $cache && ${XDG_CACHE_HOME:-} == /* ]]; then cache=$XDG_CACHE_HOME/msda; fi
if [[ -z $cache && ${HOME:-} ]]; then cache=$HOME/.cache/msda; fi
if [[ -z $cache ]] || ! mkdir -p -- "$cache/passed"; then exec "$@"; fi

# What a file of the system is, without reading all of a toolkit.
system() {
  local tools
  mapfile -t tools < <(type -P bash c++ cc cmake ninja nvcc python3 ccache || true)
  tools+=("${CUDA_PATH:-${CUDA_HOME:-/usr/local/cuda}}"/lib*/libnvrtc*.so.*)  # which programs load by its name
  stat -L -c '%n %s %Y' -- "${tools[@]}"
  { ldd "$1" 2>/dev/null || true; } | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | xargs -r stat -L -c '%n %s %Y' --
}

key() {
  local word
  printf '%s\n' "$@"
  env | grep -E '^(MSDA|GTEST|XDG|CUDA|CC|CXX|CFLAGS|CXXFLAGS|LD_LIBRARY_PATH|PATH|PYTHONPATH)[A-Z_]*=' |
    grep -v '^MSDA_TEST_ANEW=' | sort
  system "$1"
  for word in "$@"; do
    if [[ -f $word ]]; then inputs+=("$word"); fi
  done
  find -L "${inputs[@]}" -name __pycache__ -prune -o -type f -print0 | sort -z | xargs -0 sha256sum --
}

file=$({ printf '%s\n' "$@"; env | { grep '^GTEST_' || true; } | sort; } | sha256sum)
file=$cache/passed/${file%% *}.test
now=$(key "$@" | sha256sum)
if [[ -z ${MSDA_TEST_ANEW:-} && -e $file ]] && [[ $(head -n 1 -- "$file") == "$now" ]]; then
  echo "Kept: this test has passed, and nothing that it depends on has changed since. It said then:"
  tail -n +2 -- "$file"
  exit
fi
output=$(mktemp -- "$file.XXXXXX")
trap 'rm -f -- "$output"' EXIT
echo "$now" >"$output"
"$@" 2>&1 | tee -a -- "$output"  # which ends the script where the test fails
if ! grep -q -F ' SKIPPED ' -- "$output"; then mv -- "$output" "$file"; fi
