"""Where calls are made, what the processor did meanwhile, and on what, as marple trace records them."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import product
import traced

tap = product.Tap()


def line_of(source, mark):
    """The line of a source with that comment."""
    with open(os.path.join(traced.apps, source), encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            if "/* line: %s */" % mark in line:
                return number
    raise KeyError(mark)


def place(function, mark, source="sites.c"):
    return "%s@%s:%d" % (function, source, line_of(source, mark))


class Places:
    """The places of a trace, and the calls made from there by one location, in order."""

    def __init__(self, run, location=1):
        self.parents = {}
        definitions = run.print("-G")[0]
        for number, text in re.findall(r"^CALLING_CONTEXT +(\d+) +(.*)$", definitions, re.M):
            parts = re.search(r'Region: "([^"]*)" .*Parent: (?:UNDEFINED|"[^"]*" <(\d+)>)', text)
            self.parents[number] = parts.group(2)
        self.calls = []
        self.numbers = []
        for name, text in run.events(location):
            parts = re.search(r'"MARPLE::CALL_SITE" <\d+>; CALLING_CONTEXT; "([^"]*)" <(\d+)>', text)
            if name == "ENTER":
                assert parts, text
                self.calls.append((re.search(r'"MPI_(\w+)"', text).group(1), parts.group(1)))
                self.numbers.append(parts.group(2))
        self.names = dict(zip(self.numbers, (c[1] for c in self.calls)))

    def of(self, call):
        return [place for name, place in self.calls if name == call]


def library(folder, mpi, name):
    path = os.path.join(folder, "%s-%s.so" % (name, mpi))
    source = os.path.join(traced.apps, "layer.c")
    subprocess.run([traced.MPIS[mpi][0], "-shared", "-fPIC", "-g", "-O1", "-o", path, source], check=True)
    return path


def build(folder, mpi, layer, *options):
    return traced.build(folder, "sites", mpi, *options, layer, "-ldl", "-Wl,-rpath," + folder)


def sites(folder, mpi):
    layer = library(folder, mpi, "libmpilayer")
    late = library(folder, mpi, "late")
    program = build(folder, mpi, layer)
    run = traced.Traced(folder, 2, [program, late], mpi)
    found = Places(run)
    expected = [place("inlined", "inlined"), "outer@sites.c:%d" % (line_of("sites.c", "outer") + 1)] * 3
    expected += [place("through_layer", "layer"), place("loaded", "loaded", "layer.c")]
    tap.ok(found.of("Barrier") == expected, "%s: each call has its function and line" % mpi, str(found.calls))
    tap.ok(found.of("Init") == [place("main", "init")], "%s: MPI_Init, too" % mpi, str(found.calls))
    tap.ok(set(found.parents.values()) == {None}, "%s: and no callers, unasked" % mpi, str(found.parents))
    traced.is_clean(tap, run, "%s: places" % mpi)

    run = traced.Traced(folder, 2, [program], mpi, options=["--call-stack", "3"])
    text = run.print("-G")[0]
    stacks = re.findall(r'Region: "inlined" .*Parent: "([^"]*)"', text)
    tap.ok(stacks == [place("outer", "outer")], "%s: a stack names who calls an inlined function" % mpi, text)
    above = re.findall(r'Region: "outer" .*Parent: "([^"]*)"', text)
    tap.ok(set(above) == {place("main", "main")}, "%s: and who calls that" % mpi, str(above))
    run = traced.Traced(folder, 2, [program], mpi, options=["--call-stack", "0", "--cpu-interval", "0"])
    text = run.print()[0]
    tap.ok("CALL_SITE" not in text and "METRIC" not in text, "%s: both can be switched off" % mpi, text[:1000])


def without(folder, mpi):
    """Less is known of what has less debug information."""
    layer = library(folder, mpi, "libmpilayer")
    program = build(folder, mpi, layer)
    subprocess.run(["strip", "--strip-debug", program], check=True)
    found = Places(traced.Traced(folder, 2, [program], mpi))
    tap.ok(
        found.of("Barrier") == ["outer"] * 6 + ["through_layer"],
        "%s: without debug information the symbol table names functions" % mpi,
        str(found.calls),
    )
    subprocess.run(["strip", program], check=True)
    found = Places(traced.Traced(folder, 2, [program], mpi))
    names = set(found.of("Barrier"))
    tap.ok(
        len(names) == 3 and all(re.fullmatch(r"sites-%s\+0x[0-9a-f]+" % mpi, n) for n in names),
        "%s: without that there are addresses" % mpi,
        str(found.calls),
    )
    if shutil.which("clang"):
        os.environ["OMPI_CC"] = os.environ["MPICH_CC"] = "clang"
        program = build(folder, mpi, layer)
        del os.environ["OMPI_CC"], os.environ["MPICH_CC"]
        found = Places(traced.Traced(folder, 2, [program], mpi))
        tap.ok(
            found.of("Barrier")[-1:] == [place("through_layer", "layer")],
            "%s: what clang made has lines" % mpi,
            str(found.calls),
        )


def samples_of(run, location):
    """Of each sample: time and values; and the times of all calls' ends."""
    found = []
    for line in run.print("-L", str(location))[0].split("\n"):
        parts = re.match(r"METRIC +\d+ +(\d+) .*Values: (.*)$", line)
        if parts:
            found.append([int(parts.group(1)), *map(int, re.findall(r"UINT64; (\d+)\)", parts.group(2)))])
    return found


def samples(folder, mpi):
    run = traced.Traced(folder, 4, [traced.build(folder, "halo", mpi), "irecv", "30", "2000", "2", "3"], mpi)
    text = run.print("-G")[0]
    members = re.findall(r'^METRIC_MEMBER +\d+ +Name: "MARPLE::(\w+)"', text, re.M)
    tap.ok(
        members == ["CPU_TIME", "VOLUNTARY_SWITCHES", "INVOLUNTARY_SWITCHES", "CORE"],
        "%s: CPU time, switches and core are recorded" % mpi,
        text,
    )
    cores = {rank: r for rank, r in re.findall(r'Rank (\d)" .*"MARPLE::CORES" .*Value: "([\d,-]+)"', text)}
    for rank in range(4):
        found = samples_of(run, rank)
        name = "%s, rank %d" % (mpi, rank)
        tap.ok(len(found) > 30, "%s: at least one sample per step" % name, str(len(found)))
        steps = list(zip(found, found[1:]))
        tap.ok(
            all(b[i] >= a[i] for a, b in steps for i in range(4)),
            "%s: times and counts do not decrease" % name,
            str(found),
        )
        # The program computes 2 ms of CPU time in a step, rank 2 three times as much.
        wanted_ns = 29 * 2000000 * (3 if rank == 2 else 1)
        spent_ns = found[-1][1] - found[0][1]
        wall_ns = found[-1][0] - found[0][0]
        tap.ok(wanted_ns <= spent_ns <= wall_ns + 1000000, "%s: CPU time is what was computed" % name, str(found))
        allowed = expand(cores.get(str(rank), ""))
        tap.ok({f[4] for f in found} <= allowed, "%s: on cores that it may use" % name, str(cores))
    expected = int(subprocess.run(["nproc", "--all"], capture_output=True, text=True, check=True).stdout)
    machine = set(re.findall(r'"MARPLE::MACHINE_CORES" <\d+>, Type: UINT32, Value: (\d+)', text))
    tap.ok(machine == {str(expected)}, "%s: the number of cores of the machine is recorded" % mpi, text)


def expand(ranges):
    found = set()
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def properties(folder, mpi):
    program = traced.build(folder, "halo", mpi)
    run = traced.Traced(folder, 2, [program, "irecv", "1", "1", "0", "1"], mpi, OMP_PROC_BIND="a b")
    found = dict(re.findall(r"^Property name +MARPLE::(\w+)\nProperty value +(.*)$", run.print("-A")[0], re.M))
    words = " ".join([*traced.launch(2, mpi), program, "irecv 1 1 0 1"])
    tap.ok(found.get("COMMAND") == words, "%s: the command is recorded" % mpi, str(found))
    library_name = {"openmpi": "Open MPI", "mpich": "MPICH"}[mpi]
    tap.ok(library_name in found.get("MPI_LIBRARY", ""), "%s: the MPI is recorded" % mpi, str(found))
    tap.ok("OMP_PROC_BIND=a b" in found.get("MPI_SETTINGS", ""), "%s: and what was set for it" % mpi, str(found))
    text = run.print("-G")[0]
    load = re.findall(r'"MARPLE::LOAD" <\d+>, Type: DOUBLE, Value: ([\d.e+-]+)', text)
    tap.ok(len(load) == 2 and 0 <= float(load[0]) < 1000, "%s: the load before the run is recorded" % mpi, text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for mpi in traced.MPIS:
            lack = traced.missing(mpi)
            if lack:
                tap.skip(mpi, lack)
                continue
            tap.guarded("%s: places" % mpi, sites, folder, mpi)
            tap.guarded("%s: places without debug information" % mpi, without, folder, mpi)
            tap.guarded("%s: samples" % mpi, samples, folder, mpi)
            tap.guarded("%s: properties" % mpi, properties, folder, mpi)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
