#!/bin/sh
# The whole way: an MPI program with a known illness is built, run under EZTrace and diagnosed.
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

for tool in mpicc mpirun eztrace; do
    command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }
done

# A master that needs as long per request as a worker per task can feed one worker, and has three.
trace=$("$top_srcdir/examples/master-worker/trace.sh" "$scratch" 4 \
    --tasks 60 --task-ms 4 --master-ms 4) || exit 1
"$MARPLE" diagnose --format json -o "$scratch/json" "$trace" || exit 1
"$MARPLE" diagnose "$trace" || exit 1

# has WHAT REGEX
has() {
    grep -Eq "$2" "$scratch/json" && return
    echo "the diagnosis lacks: $1"
    exit 1
}
has "the verdict" '"verdict": "problems"'
has "the pattern" '"name": "master-worker"'
has "the cause" '"name": "master-bottleneck"'
