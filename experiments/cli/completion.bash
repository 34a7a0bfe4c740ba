# Completion of msda's commands, options, variants, recipes, presets and devices. A package puts it where bash
# finds it; in a source tree: source experiments/cli/completion.bash

_msda() {
  local program=$1 current=$2
  # The script at the root of the sources would build first.
  if [[ -x ${program%/*}/build/release/bin/msda ]]; then program=${program%/*}/build/release/bin/msda; fi
  mapfile -t COMPREPLY < <(
    compgen -W "$("$program" completions "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "$current"
  )
}

# Where nothing fits, file names.
complete -o default -F _msda msda ./msda
