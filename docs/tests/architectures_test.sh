#!/usr/bin/env bash
# Holds the table of architectures in README.md to the program that made it. A line says how many compositions compile,
# why others are refused, which GPUs ran them, and how many winners there are. What does not compile fails.
#
# Usage: architectures_test.sh SOURCE_DIR PROGRAM [ARCHITECTURE ARCHITECTURE...]   the table's by default
#        architectures_test.sh SOURCE_DIR PROGRAM renew                            writes the table anew
set -euo pipefail

readonly source=$1 program=$2
shift 2
cd -- "$source"
readonly kTable='/^<!--architectures-->$/,/^<!--end architectures-->$/'
table=$(sed -n "${kTable}p" README.md | grep '^| *sm_')
readonly table
mapfile -t all < <(cut -d' ' -f2 <<<"$table")
renew=
if [[ ${1:-} == renew ]]; then renew=1; elif (($#)); then all=("$@"); fi
list=$(IFS=,; printf '%s' "${all[*]}")
made=$("$program" verify all --dtype fp16 --device "$list")
if [[ $renew ]]; then
  { sed '/^<!--architectures-->$/q' README.md && printf '%s\n' "$made" &&
    sed -n '/^<!--end architectures-->$/,$p' README.md; } >README.md.new
  mv -- README.md.new README.md
  exit
fi
wanted=$(for one in "${all[@]}"; do grep "^| $one " <<<"$table"; done)
if ! diff <(printf '%s\n' "$wanted") <(grep '^| *sm_' <<<"$made"); then
  printf 'README.md has "<", the program ">": docs/tests/architectures_test.sh . %s renew\n' "$program" >&2
  exit 1
fi
printf 'architectures_test: %s lines, all well\n' "${#all[@]}"
