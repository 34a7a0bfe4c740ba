# Completion of msda's commands, options, variants, recipes, presets and devices. A package puts it where bash
# finds it; in a source tree: source experiments/cli/completion.bash

_msda() {
  local program=$1 current=$2 words=
  # The script at the root of the sources would build first; it has commands of its own.
  if [[ -x ${program%/*}/build/release/bin/msda ]]; then
    program=${program%/*}/build/release/bin/msda
    if ((COMP_CWORD == 1)); then words='build test sanitize tidy package '; fi
  fi
  words+=$("$program" completions "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

# Where nothing fits, file names.
complete -o default -F _msda msda ./msda
