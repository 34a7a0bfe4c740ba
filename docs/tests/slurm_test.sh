#!/usr/bin/env bash
# Runs docs/cluster/experiment.sbatch in a Slurm of its own on this machine: a job array of shards, one of
# them requeued while it runs, then the merge.
#
# usage: slurm_test.sh SBATCH-SCRIPT PROGRAM; exit code 77 where there is no Slurm, or no root to run it.
set -euo pipefail

readonly script=$(readlink -f -- "$1")
readonly program=$(readlink -f -- "$2")
readonly kShards=3
readonly kSkipped=77

PATH=$PATH:/usr/sbin
for tool in slurmctld slurmd sbatch squeue scontrol; do
  if [[ -z $(command -v $tool) ]]; then
    echo "no $tool: install Debian's slurm-wlm"
    exit $kSkipped
  fi
done
if ((EUID != 0)); then
  echo "slurmd needs root"
  exit $kSkipped
fi

work=$(mktemp -d)
pids=()
clean_up() {
  local status=$?
  if ((status != 0)); then tail -n 40 "$work"/*.log >&2 || true; fi
  if ((${#pids[@]})); then
    kill "${pids[@]}" 2>/dev/null || true
    wait "${pids[@]}" 2>/dev/null || true
  fi
  rm -rf -- "$work"
  exit "$status"
}
trap clean_up EXIT

fail() {
  echo "slurm_test: $*" >&2
  exit 1
}

# --- A Slurm of one node, without munge and without accounting -------------------------------------

readonly host=$(hostname -s)
readonly port=$((20000 + RANDOM % 20000))
mkdir -p "$work/state" "$work/spool"
cat >"$work/slurm.conf" <<EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,requeue_delay=1
SchedulerType=sched/builtin
ReturnToService=2
MinJobAge=3600
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF=$work/slurm.conf

slurmctld -D >"$work/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D -N "$host" >"$work/slurmd.log" 2>&1 &
pids+=($!)

# wait_until SECONDS COMMAND...: until the command succeeds.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    if ((SECONDS > end)); then fail "waited too long for: $*"; fi
    sleep 0.2
  done
}
node_is_up() { [[ $(sinfo -h -o %T 2>/dev/null) =~ ^(idle|mixed|allocated) ]]; }
wait_until 60 node_is_up

# --- The array ----------------------------------------------------------------------------------------

cat >"$work/experiment.yaml" <<'EOF'
device: cpu
problems:
  - {name: one, queries: 30, levels: [[16, 16]]}
  - {name: two, queries: 40, levels: [[16, 16]]}
  - {name: three, queries: 50, levels: [[16, 16]]}
arms: [cpu-scalar, cpu-threads]
measure: {processes: 2, most_processes: 2, blocks: 300, samples: 20, warmup: 0, budget: 4 s}
EOF
export MSDA=$program MSDA_CACHE_DIR=$work/cache
cd -- "$work"
# What the script asks of a cluster with GPUs is not here.
submit=(sbatch --parsable "--array=1-$kShards" --gres=none --cpus-per-task=1 --mem=0)
job=$("${submit[@]}" "$script" "$work/experiment.yaml" "$work/results")
echo "array $job"

# Requeued while it runs, after its first record.
has_record() { [[ -s $work/results/shard-1/records.jsonl ]]; }
wait_until 60 has_record
scontrol requeue "${job}_1"

nothing_left() { [[ -z $(squeue -h) ]]; }
wait_until 240 nothing_left

for shard in $(seq $kShards); do
  state=$(scontrol show job "${job}_$shard" | grep -o 'JobState=[A-Z]*')
  [[ $state == JobState=COMPLETED ]] || fail "task $shard ended as $state"
done
grep -q '"resumed"' results/shard-1/manifest.json || fail "the requeued shard did not go on"

# --- The merge ----------------------------------------------------------------------------------------

"$program" merge --output results/all results/shard-* >merge.log
grep -q '^On 3 problems: ' merge.log || fail "the merged run's summary lacks a problem"
"$program" report results/all >report.log
grep -q 'three, warm' report.log || fail "the merged report lacks a problem"
grep -q '"status": "complete"' results/all/manifest.json || fail "the merged run is not complete"
echo "$kShards shards, one of them requeued, merged"
