#!/bin/sh
# Shared-memory bank conflicts of recipes, from the counters of Nsight Compute.
#   bank-conflicts.sh MSDA RECIPE...      MSDA: the program; PROBLEM (ledger-48) and DTYPE (fp16) are
#                                         environment variables
set -eu
if [ $# -lt 2 ]; then
  sed -n '2,4s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
command -v ncu > /dev/null || { echo "bank-conflicts: ncu (Nsight Compute) is not on PATH" >&2; exit 3; }
msda=$1
shift
loads=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
stores=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
wavefronts=l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
echo "| recipe | shared wavefronts | conflicts of loads | conflicts of stores |"
echo "|---|---:|---:|---:|"
for recipe in "$@"; do
  ncu --target-processes all --kernel-name kernel --launch-count 1 --csv --page raw \
      --metrics "$loads,$stores,$wavefronts" \
      "$msda" verify "$recipe" --problem "${PROBLEM:-ledger-48}" --dtype "${DTYPE:-fp16}" \
      --device cuda:0 2> /dev/null |
    awk -F '","' -v recipe="$recipe" -v l="$loads" -v s="$stores" -v w="$wavefronts" '
      /^"ID"/ { for (i = 1; i <= NF; ++i) { gsub(/"/, "", $i); column[$i] = i } next }
      /^"[0-9]/ { for (i = 1; i <= NF; ++i) gsub(/"/, "", $i)
                  printf "| %s | %s | %s | %s |\n", recipe, $column[w], $column[l], $column[s]; found = 1 }
      END { if (!found) { print "bank-conflicts: ncu saw no kernel of " recipe > "/dev/stderr"; exit 1 } }'
done
