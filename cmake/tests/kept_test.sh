#!/usr/bin/env bash
# A test that passed is kept until something changes that its outcome depends on, and no other is.
#
# Usage: kept_test.sh SOURCE_DIR
set -euo pipefail

readonly kept=$1/cmake/kept.sh
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
readonly work
export MSDA_CACHE_DIR=$work/cache
unset MSDA_TEST_ANEW
cd -- "$work"
mkdir folder
printf '#!/bin/sh\necho run >>runs\necho "[       OK ] One.Case (1 ms)"\n' >passes
printf '#!/bin/sh\necho run >>runs\nexit 5\n' >fails
printf '#!/bin/sh\necho run >>runs\necho "[  SKIPPED ] One.Case (0 ms)"\n' >skips
chmod +x passes fails skips

fail() {
  printf 'kept_test: %s\n' "$*" >&2
  exit 1
}

# expect RUNS WHY COMMAND...: the command ends well and runs so often.
expect() {
  local runs=$1 why=$2
  shift 2
  : >runs
  "$@" >out || fail "$why: '$*' fails"
  [[ $(wc -l <runs) == "$runs" ]] || fail "$why: runs $(wc -l <runs) times and not $runs"
}

expect 1 'a test that never ran' "$kept" folder -- ./passes
expect 0 'nothing has changed' "$kept" folder -- ./passes
grep -q '^\[       OK \] One.Case (1 ms)$' out || fail 'what is kept does not tell its cases'
expect 1 'another argument' "$kept" folder -- ./passes argument
touch folder/file
expect 1 'a file more' "$kept" folder -- ./passes
echo text >folder/file
expect 1 'a file with another text' "$kept" folder -- ./passes
expect 0 'nothing has changed since' "$kept" folder -- ./passes
mv folder/file folder/other
expect 1 'a file with another name' "$kept" folder -- ./passes
echo '# changed' >>passes
expect 1 'another program' "$kept" folder -- ./passes
expect 1 'another variable' env GTEST_FILTER=One.* "$kept" folder -- ./passes
expect 0 'the variables of before' "$kept" folder -- ./passes
expect 1 'all are asked for' env MSDA_TEST_ANEW=1 "$kept" folder -- ./passes
expect 0 'nothing has changed in the end' "$kept" folder -- ./passes
expect 1 'a case is left out' "$kept" -- ./skips
expect 1 'a case is left out again' "$kept" -- ./skips
for _ in 1 2; do
  : >runs
  code=0
  "$kept" -- ./fails || code=$?
  [[ $code == 5 && -s runs ]] || fail "a failure ends with $code"
done
[[ -z $(find cache -name '*.test.*') ]] || fail 'something is left beside what is kept'
echo 'kept_test: all is well'
