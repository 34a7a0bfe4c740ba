#!/usr/bin/env bash
# Goes the way of docs/first-hour.md in a fresh clone, with empty caches, and prints how long each step takes as
# a table in Markdown. It ends with the first step that fails.
#
# Usage: first_hour.sh [REPOSITORY]   (default: the one around this script)
set -euo pipefail

here=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
readonly here repository=${1:-$here/../..}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
readonly work guide=$work/msda/docs/first-hour.md
export MSDA_CACHE_DIR=$work/cache CCACHE_DIR=$work/ccache
total=0

# step WORDS COMMAND...
step() {
  local words=$1 begin=$SECONDS
  shift
  "$@" >"$work/log" 2>&1 || {
    tail -n 40 -- "$work/log" >&2
    printf 'first_hour: %s fails\n' "$words" >&2
    exit 1
  }
  printf '| %s | %s |\n' "$words" "$((SECONDS - begin))"
  total=$((total + SECONDS - begin))
}

# The code block of the guide whose text has the line.
block_with() {
  awk -v wanted="$1" '/^```/ { if (inside && found) { printf "%s", text; exit }
                               inside = !inside; text = ""; found = 0; next }
                      inside { text = text $0 "\n"; if ($0 == wanted) found = 1 }' "$guide"
}

own_variant() {
  ./msda new-variant backwards --slot order &&
    block_with 'namespace msda::backwards {' >variants/backwards/device/order.cuh &&
    ./msda verify backwards --device simt:1:races
}

own_experiment() {
  block_with 'name: mine' >mine.yaml &&
    ./msda validate mine.yaml &&
    ./msda run mine.yaml --output first
}

checked() {
  block_with 'name: backwards' >backwards.yaml &&
    ./msda run backwards.yaml --device simt --output checked &&
    [[ -s checked/report.html ]]
}

printf '| step | seconds |\n| --- | ---: |\n'
step 'clone' git clone -q -- "$repository" "$work/msda"
cd -- "$work/msda"
step 'packages and build' ./msda list
step 'the quickstart' ./msda run experiments/quickstart.yaml
step 'an experiment of your own, with its report' own_experiment
step 'a variant of your own, verified with races' own_variant
step 'the variant in an experiment, with its report' checked
printf '| together | %s |\n' "$total"
