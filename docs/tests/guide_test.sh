#!/usr/bin/env bash
# Compares a guide with the tree that it describes:
#
#   <!-- file PATH -->      the code block that follows is the whole file
#   <!-- part of PATH -->   the code block that follows is a run of lines of the file
#   <!-- writes PATH -->    the code block that follows is written to PATH in a scratch directory
#   ```console              lines from "$ " on are run there in turn, with ./msda as the program; what follows
#                           each is its output, in which "..." stands for anything
#
# Commands find the sources' folder in $MSDA, and that of the build in $MSDA_BUILD.
#
# Usage: guide_test.sh GUIDE SOURCE_DIR BUILD_DIR
set -euo pipefail

guide=$(readlink -f -- "$1")
readonly guide source=$2 build=$3
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
readonly work
export MSDA_CACHE_DIR=$work/cache MSDA=$source MSDA_BUILD=$build
unset MSDA_PLUGIN_PATH
# Of what other runs leave a guide sees compiled kernels alone: which source they are of is in their names.
mkdir -p -- "$build/test-cache/jit" "$MSDA_CACHE_DIR"
ln -s -- "$build/test-cache/jit" "$MSDA_CACHE_DIR/jit"
cd -- "$work"
ln -s -- "$build/bin/msda" msda
failures=0
checks=0

complain() {
  printf '%s:%s: %s\n' "$guide" "$line_number" "$1" >&2
  failures=$((failures + 1))
}

# Text that holds for every output like it, as a pattern of [[ == ]].
pattern_of() {
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\*/\\*}
  text=${text//\?/\\?}
  text=${text//\[/\\[}
  printf '%s' "${text//.../*}"
}

check_command() {
  local command=$1 expected=$2 output pattern
  # What fails says so in its output; on a slow machine an export says how far it is, which is left out.
  output=$(bash -c "$command" 2>&1 | sed '/^  compiled [0-9]* of [0-9]* /d') || true
  pattern=$(pattern_of "$expected")
  checks=$((checks + 1))
  # shellcheck disable=SC2053 # a pattern
  if [[ $output != $pattern ]]; then
    complain "'$command' prints"$'\n'"$output"$'\n'"and not"$'\n'"$expected"
  fi
}

check_console() {
  local line command='' expected=''
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      if [[ $command ]]; then check_command "$command" "${expected%$'\n'}"; fi
      command=${line#'$ '}
      expected=''
    else
      expected+=$line$'\n'
    fi
  done <<<"$1"
  check_command "$command" "${expected%$'\n'}"
}

check_block() {
  local mark=$1 language=$2 text=$3 file
  case $mark in
    'file '*)
      file=$source/${mark#file }
      checks=$((checks + 1))
      if [[ ! -e $file || $text != "$(<"$file")" ]]; then complain "this is not ${mark#file }"; fi
      ;;
    'part of '*)
      file=$source/${mark#part of }
      checks=$((checks + 1))
      if [[ ! -e $file || $'\n'$(<"$file")$'\n' != *$'\n'"$text"$'\n'* ]]; then
        complain "this is no part of ${mark#part of }"
      fi
      ;;
    'writes '*) printf '%s\n' "$text" >"$work/${mark#writes }" ;;
    '') if [[ $language == console ]]; then check_console "$text"; fi ;;
    *) complain "unknown mark '$mark'" ;;
  esac
}

readonly kMark='^<!-- (.*) -->$'
line_number=0
mark=''
language=''
inside=''
while IFS= read -r line || [[ $line ]]; do
  line_number=$((line_number + 1))
  if [[ $inside ]]; then
    if [[ $line == '```' ]]; then
      check_block "$mark" "$language" "${text%$'\n'}"
      inside=''
      mark=''
    else
      text+=$line$'\n'
    fi
  elif [[ $line == '```'* ]]; then
    inside=1
    language=${line#'```'}
    text=''
  elif [[ $line =~ $kMark ]]; then
    mark=${BASH_REMATCH[1]}
  fi
done <"$guide"

if ((checks == 0)); then complain "there is nothing to check"; fi
if ((failures)); then
  printf 'guide_test: %s of %s checks failed\n' "$failures" "$checks" >&2
  exit 1
fi
printf 'guide_test: %s checks, all well\n' "$checks"
