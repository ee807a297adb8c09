"""Plans of real traces: what is asked, for which tracer, and settings valid by its manual."""

import os
import re
import shutil
import subprocess
import tempfile

import product

tap = product.Tap()

# Score-P 7.1, manual, appendix "Score-P Measurement Configuration": the variables that a plan may
# set, with what they take.
BOOLEAN = r"true|false"
VARIABLES = {
    "SCOREP_ENABLE_TRACING": BOOLEAN,
    "SCOREP_ENABLE_PROFILING": BOOLEAN,
    "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY": BOOLEAN,
    "SCOREP_EXPERIMENT_DIRECTORY": r"\{trace\}|[^\s]+",
    "SCOREP_TOTAL_MEMORY": r"[0-9]+[KMG]?",
    "SCOREP_FILTERING_FILE": r"\{file:[^{}]+\}|[^\s]+",
    "SCOREP_METRIC_PAPI": r"[A-Za-z0-9_:]+(,[A-Za-z0-9_:]+)*",
    "SCOREP_MPI_ENABLE_GROUPS": None,
}
MPI_GROUPS = (
    "all cg coll default env err ext io p2p rma spawn topo type perf xnonblock xreqtest none request"
).split()
# Section "Application Instrumentation".
OPTIONS = r"--mpp=(none|mpi|shmem)|--thread=(none|omp|pthread)(:[a-z0-9_]+)?|--(no)?compiler"


def filter_faults(text):
    """The filter's syntax (manual, "Filtering"): blocks of region or file names, in them INCLUDE and
    EXCLUDE, each with names between blanks; MANGLED before names of regions; # begins a comment; a
    backslash takes the meaning from what follows."""
    faults = []
    block = None
    rule = None
    n_names = 0
    words = []
    for line in text.split("\n"):
        bare = re.sub(r"(?<!\\)#.*", "", line)
        words += re.findall(r"(?:\\.|[^\s\\])+", bare)
    for word in words:
        begin = re.fullmatch(r"SCOREP_(REGION|FILE)_NAMES_BEGIN", word)
        end = re.fullmatch(r"SCOREP_(REGION|FILE)_NAMES_END", word)
        if begin and block:
            faults.append("a block in a block")
        elif begin:
            block, rule = begin.group(1), None
        elif end and end.group(1) != block:
            faults.append("the end of no block: " + word)
        elif end or word in ("INCLUDE", "EXCLUDE"):
            if rule and n_names == 0:
                faults.append(rule + " without names")
            if not block:
                faults.append(word + " outside of a block")
            block, rule, n_names = (None, None, 0) if end else (block, word, 0)
        elif word == "MANGLED":
            if not rule or block != "REGION":
                faults.append("MANGLED where it has no meaning")
        elif not rule:
            faults.append("a name without a rule: " + word)
        else:
            n_names += 1
            brackets = re.sub(r"\\.", "", word)
            if brackets.count("[") != brackets.count("]"):
                faults.append("brackets that stay open: " + word)
    if block:
        faults.append("a block that stays open")
    return faults


def settings_faults(experiment):
    settings = experiment["settings"]
    faults = []
    for name, value in settings["environment"].items():
        if name not in VARIABLES:
            faults.append(name + " is no variable of Score-P")
        elif VARIABLES[name] and not re.fullmatch(VARIABLES[name], value):
            faults.append("%s cannot be %s" % (name, value))
    groups = settings["environment"]["SCOREP_MPI_ENABLE_GROUPS"].split(",")
    faults += [g + " is no group of MPI functions" for g in groups if g not in MPI_GROUPS]
    for name, text in settings["files"].items():
        faults += [name + ": " + fault for fault in filter_faults(text)]
    file = settings["environment"].get("SCOREP_FILTERING_FILE", "")
    named = re.fullmatch(r"\{file:(.*)\}", file)
    if named and named.group(1) not in settings["files"]:
        faults.append("the filter file is not there: " + file)
    for line in settings["build"]:
        for wrapper in re.findall(r"'scorep ([^']*)'", line):
            *options, compiler = wrapper.split()
            faults += [o + " is no option of scorep" for o in options if not re.fullmatch(OPTIONS, o)]
            if not compiler.startswith("mpi"):
                faults.append("no compiler: " + wrapper)
    return faults


def plan_of(path, *options):
    answer = product.run("plan", "--format", "json", *options, path)
    if answer.status != 0:
        raise RuntimeError(str(answer))
    return product.parse(answer.out)


def asked(plan):
    return [
        (sorted(e["record"]["capabilities"]), e["processes"], e["repetitions"]) for e in plan["experiments"]
    ]


def test_validator():
    """A validator that lets everything pass would show nothing."""
    good = "SCOREP_REGION_NAMES_BEGIN\n EXCLUDE * # all\n INCLUDE main f?o \\#x\n MANGLED _Z3foo\nSCOREP_REGION_NAMES_END\n"
    tap.empty(filter_faults(good), "a filter as the manual shows it is valid")
    for bad in (
        good.replace("_END", "_ENDE"),
        good.replace("EXCLUDE *", "*"),
        good.replace("INCLUDE main f?o \\#x\n MANGLED _Z3foo", "INCLUDE"),
        good.replace("f?o", "f[o"),
        good + "INCLUDE x\n",
        "SCOREP_FILE_NAMES_BEGIN INCLUDE MANGLED x SCOREP_FILE_NAMES_END",
    ):
        tap.ok(filter_faults(bad), "refused: " + bad.replace("\n", " "))


def test_missing_completions(name):
    path = product.shared_trace(name)
    if not path:
        tap.skip(name, "not here")
        return
    plan = plan_of(path)
    first = plan["experiments"][0]
    tap.ok("receive-completions" in first["record"]["capabilities"], name + ": asks when receives complete", plan)
    tap.ok(first["settings"]["tracer"] == "marple", name + ": of a tracer that records it", first)
    tap.ok("unsplit-waits" in first["separates"], name + ": says which finding that tests", first)
    tap.ok(first["findings"], name + ": which it has", first)
    insisting = plan_of(path, "--tracer", "eztrace")["experiments"][0]
    tap.ok(
        insisting["problem"] and "Fortran" in insisting["problem"] and not insisting["executable"],
        name + ": says why EZTrace cannot",
        insisting,
    )
    text = product.run("plan", "--explain", path).out
    tap.ok("late neighbours from slow transfer" in " ".join(text.split()), name + ": says what cannot be known", text)


def test_nothing_missing():
    path = product.shared_trace("scorep-halo-imb")
    if not path:
        tap.skip("scorep-halo-imb", "not here")
        return
    diagnosis = product.diagnose(path)
    tap.ok(diagnosis.leading()["tested_by"] == [], "scorep-halo-imb: nothing is missing for its leading cause")
    text = " ".join(product.run("plan", "--explain", path).out.split())
    tap.ok("heavy-subdomain (f1), needs no further measurement" in text, "scorep-halo-imb: and it says so", text)


def test_healthy():
    for name in ("mandel-mw-np4", "mandel-mw-np8", "npb-ep-W-np8", "pipeline-balanced-np4"):
        path = product.shared_trace(name)
        if path:
            tap.ok(asked(plan_of(path)) == [], name + ": healthy, so nothing is asked")
        else:
            tap.skip(name, "not here")


def test_master_worker():
    for name, processes in (("scorep-mw8", [3, 6]), ("mandel-mw-masterslow-np8", [3, 6])):
        path = product.shared_trace(name)
        if not path:
            tap.skip(name, "not here")
            continue
        plan = plan_of(path, "--tracer", "scorep")
        tap.ok(processes in [e["processes"] for e in plan["experiments"]], name + ": asks how it scales", plan)
        tap.ok(
            any("scorep.filter" in e["settings"]["files"] for e in plan["experiments"]),
            name + ": with a filter",
            plan,
        )


def test_built():
    """Score-P's own traces show that the program is built for it; others do not."""
    for name, is_built in (("scorep-mw8", True), ("mandel-mw-masterslow-np8", False)):
        path = product.shared_trace(name)
        if not path:
            tap.skip(name, "not here")
            continue
        text = product.run("plan", "--explain", "--tracer", "scorep", path).out
        tap.ok(("build: the program anew" in text) != is_built, name + ": says whether to build it", text)
        lines = "".join(shell_of(product.run("plan", "--tracer", "scorep", path).out)).split("\n")
        tap.ok(("make clean" in lines) != is_built, name + ": and only then pastes it", lines)


def test_threads():
    """Another run is as the one at hand, threads included; without --thread Score-P would not see them."""
    path = product.shared_trace("scorep-halo-omp-skew")
    if not path:
        tap.skip("scorep-halo-omp-skew", "not here")
        return
    for experiment in plan_of(path)["experiments"]:
        tap.ok("threads" in experiment["record"]["capabilities"], "threads are recorded again", experiment)
        tap.ok("--thread=omp" in experiment["settings"]["build"][1], "by Score-P, too", experiment)


def test_memory():
    """Functions that the run at hand does not have need room, too; it was 12.5 s long."""
    path = product.shared_trace("pipeline-slowM1-np4")
    if not path:
        tap.skip("pipeline-slowM1-np4", "not here")
        return
    first = plan_of(path, "--tracer", "scorep")["experiments"][0]
    memory = first["settings"]["environment"]["SCOREP_TOTAL_MEMORY"]
    tap.ok("user-regions" in first["record"]["capabilities"], "functions are asked for", first)
    tap.ok(re.fullmatch("[0-9]+M", memory) and 100 <= int(memory[:-1]) <= 1000, "with room for them: " + memory)


def test_explained(name):
    path = product.shared_trace(name)
    if not path:
        tap.skip(name, "not here")
        return
    text = " ".join(product.run("plan", "--explain", "--tracer", "scorep", path).out.split())
    tap.ok("and: have clocks that" in text, name + ": every purpose stands on its own", text)
    tap.ok("functions of the program come on top" in text, name + ": the cost says what it leaves out", text)
    tap.ok("Run with 3, then 6 processes" in text, name + ": the order of runs", text)
    tap.ok("check with 2 and with 5 workers" in text, name + ": and why these", text)


def shell_of(text):
    """The lines to paste, of all experiments."""
    return [
        re.sub(r"(?m)^      ", "", block)
        for block in re.findall(r"(?m)^    shell: \|\n((?:      .*\n|\n)*)", text)
    ]


def test_every_trace(path):
    name = os.path.basename(path)
    answer = product.run("plan", "--format", "json", path)
    if answer.status == 3:
        tap.ok("nothing can be planned" in answer.complaint, name + ": says that it cannot be used", answer)
        return
    plans = {"auto": product.parse(answer.out), "scorep": plan_of(path, "--tracer", "scorep")}
    for tracer, plan in plans.items():
        tap.ok(len(plan["experiments"]) <= 4, "%s: not more than four experiments (%s)" % (name, tracer))
        faults = [
            fault
            for e in plan["experiments"]
            if e["settings"]["tracer"] == "scorep"
            for fault in settings_faults(e)
        ]
        tap.empty(faults, "%s: settings for Score-P are valid (%s)" % (name, tracer))
    text = product.run("plan", path).out
    shells = shell_of(text)
    tap.ok(len(shells) == len(plans["auto"]["experiments"]), name + ": lines to paste", text)
    bad = [
        s for s in shells if subprocess.run(["sh", "-n"], input=s.encode(), capture_output=True, check=False).returncode
    ]
    tap.empty(bad, name + ": which a shell takes")


def test_third_tracer():
    """TAU is known by a file in a directory of one's own."""
    path = product.shared_trace("lulesh-np8") or product.shared_trace("prk-stencil-np16")
    if not path:
        tap.skip("a third tracer", "no trace that lacks something")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "tracers"))
        shutil.copy(os.path.join(product.top, "tests", "system", "tau.yaml"), os.path.join(folder, "tracers"))
        plan = plan_of(path, "--knowledge", folder, "--tracer", "tau")
        first = plan["experiments"][0]
        tap.ok(first["settings"]["tracer"] == "tau", "a third tracer needs a file only", plan)
        tap.ok(first["problem"] is None, "it records what is asked for", first)
        tap.ok(
            first["settings"]["launch"] == ["tau_exec", "-T", "mpi"]
            and first["settings"]["environment"]["TAU_TRACE_FORMAT"] == "otf2",
            "its settings are those of the file",
            first,
        )
    answer = product.run("plan", "--tracer", "tau", path)
    tap.ok(answer.status == 2 and 'no tracer "tau"' in answer.complaint, "without the file it is unknown", answer)


def main():
    tap.guarded("validator", test_validator)
    for name in ("lulesh-np8", "prk-stencil-np16"):
        tap.guarded(name, test_missing_completions, name)
    tap.guarded("nothing missing", test_nothing_missing)
    tap.guarded("healthy", test_healthy)
    tap.guarded("master-worker", test_master_worker)
    tap.guarded("built", test_built)
    tap.guarded("threads", test_threads)
    tap.guarded("memory", test_memory)
    tap.guarded("explained", test_explained, "mandel-mw-masterslow-np8")
    tap.guarded("third tracer", test_third_tracer)
    for path in product.all_traces():
        tap.guarded(os.path.basename(path), test_every_trace, path)
    tap.done()


main()
