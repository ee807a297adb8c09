#!/bin/sh
# Builds the example, runs it under EZTrace and leaves a trace:
#
#   ./trace.sh DIRECTORY PROCESSES [options of farm]
#
# Needs mpicc, mpirun (Open MPI) and eztrace with its openmpi module. DIRECTORY is made; inside it
# the trace is the directory farm_trace.
set -eu

usage() {
    echo "usage: $0 DIRECTORY PROCESSES [farm options]" >&2
    exit 2
}

[ $# -ge 2 ] || usage
directory=$1
processes=$2
shift 2

here=$(cd "$(dirname "$0")" && pwd)
for tool in mpicc mpirun eztrace; do
    command -v "$tool" >/dev/null 2>&1 || {
        echo "$0: $tool is not installed (Debian: openmpi-bin libopenmpi-dev eztrace)" >&2
        exit 77
    }
done

mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
mpicc -O2 -o "$directory/farm" "$here/farm.c"

# Open MPI refuses to run as root unless told twice; more processes than cores need leave, too.
if [ "$(id -u)" -eq 0 ]; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
fi

cd "$directory"
rm -rf farm_trace
mpirun --oversubscribe -np "$processes" eztrace -t openmpi "$directory/farm" "$@" >farm.log 2>&1 || {
    cat farm.log >&2
    exit 1
}
# EZTrace names the directory after the program.
[ -d farm_trace ] || mv ./*_trace farm_trace
find farm_trace -name '*.otf2' | grep -q . || {
    cat farm.log >&2
    echo "$0: eztrace wrote no anchor file" >&2
    exit 1
}
echo "$directory/farm_trace"
