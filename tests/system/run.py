"""Real programs, run by marple until it knows why they are slow, and programs that cannot be measured."""

import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import page
import product

tap = product.Tap()
apps = os.path.join(product.top, "tests", "system", "apps")
example = os.path.join(product.top, "examples", "master-worker", "mw.c")
ask_sizes = os.path.join(product.top, "tests", "system", "ask-sizes")
ask_scaling = os.path.join(product.top, "tests", "system", "ask-scaling")
SLOW = ["--tasks", "120", "--task-ms", "10", "--master-ms", "4"]
MPIRUN = ["mpirun", "--oversubscribe", "-np", "{processes}"]


class Place:
    """A folder with programs in it, from which marple is called."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {
            k: v for k, v in os.environ.items() if k not in ("MARPLE_DATA", "MARPLE_LOG")
        }
        if os.geteuid() == 0:
            self.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
            self.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"

    def program(self, name):
        return os.path.join(self.folder, name)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def start(self, options, command, limits=None, **shaky):
        environment = dict(self.environment, **shaky)

        def begin():
            """As a shell starts a job: what is started in the background ignores signals, and nobody
            stops by SIGTSTP in a group whose parents are all gone."""
            os.setpgrp()
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
                signal.signal(number, signal.SIG_DFL)
            if limits is not None:
                limits()

        return subprocess.Popen(
            [product.marple, "run", *options, "--", *command],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            preexec_fn=begin,
        )

    def run(self, options, command, limits=None, **shaky):
        return Ended(self.start(options, command, limits, **shaky))

    def case(self, name):
        with open(self.path(name, "case.yaml"), encoding="utf-8") as file:
            return file.read()

    def outcomes(self, name):
        return [
            line.split()[1] for line in self.case(name).split("\n") if line.startswith("    outcome:")
        ]

    def states(self):
        """Of the processes of this test, how the system sees them: "S", "R", "T" for stopped."""
        found = []
        for line in self.left():
            try:
                with open("/proc/%s/stat" % line.split(":")[0], encoding="utf-8", errors="replace") as file:
                    found.append(file.read().rsplit(")", 1)[1].split()[0])
            except OSError:
                continue
        return found

    def left(self):
        """Command lines of processes of this test that are still there."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    words = file.read().decode("utf-8", "replace").replace("\0", " ")
            except OSError:
                continue
            if self.folder in words or "shaky-left" in words:
                found.append("%s: %s" % (pid, words))
        return found


class Ended:
    """What a call left."""

    def __init__(self, process):
        out, complaint = process.communicate(timeout=product.TIME_LIMIT_S)
        self.status = process.returncode
        self.out = out.decode("utf-8")
        self.plain = " ".join(self.out.split())
        self.complaint = complaint.decode("utf-8", "replace")

    def __str__(self):
        return "status %d\n%s\n%s" % (self.status, self.out[-3000:], self.complaint[-2000:])

    def document(self):
        return product.parse(self.out)


def missing_tools():
    return [t for t in ("mpicc", "mpirun", "eztrace") if shutil.which(t) is None]


def build(place):
    """The programs; whether the one without libraries could be linked."""
    for name, source in (("mw", example), ("shaky", os.path.join(apps, "shaky.c"))):
        subprocess.run(["mpicc", "-O2", "-o", place.program(name), source], check=True)
    return (
        subprocess.run(
            ["cc", "-static", "-o", place.program("plain"), os.path.join(apps, "plain.c")],
            stderr=subprocess.DEVNULL,
            check=False,
        ).returncode
        == 0
    )


def can_trace(place):
    """Whether mpirun works here at all; containers and batch nodes may forbid it."""
    done = subprocess.run(
        ["mpirun", "--oversubscribe", "-np", "2", "eztrace", "-t", "openmpi", place.program("mw"),
         "--tasks", "4"],
        cwd=place.folder,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=product.TIME_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        tap.remark(done.stderr.decode("utf-8", "replace")[-1500:])
    return done.returncode == 0


def nothing_left(place, what):
    tap.empty(place.left(), what + ": no process is left behind")


def check_schema(document, what):
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        tap.skip(what + ": the JSON follows its schema", "no python3 with jsonschema")
        return
    with open(os.path.join(product.top, "doc", "diagnosis.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    errors = [
        "%s: %s" % ("/".join(map(str, e.absolute_path)), e.message)
        for e in jsonschema.Draft202012Validator(schema).iter_errors(document)
    ]
    tap.empty(errors, what + ": the JSON follows its schema")


# ---- what is found ----------------------------------------------------------------------


def test_dry(place):
    mpirun = "mpirun --oversubscribe -np 7"
    preload = "/marple trace --preload %s/spools --" % place.path("marple-mw", "run-01", "trace")
    for tracer, mark, shown in (
        ("auto", [], "%s %s" % (preload, mpirun)),
        ("auto", ["{tracer}"], preload),
        ("eztrace", ["{tracer}"], "%s eztrace -t openmpi" % mpirun),
    ):
        done = place.run(
            ["--dry-run", "--processes", "7", "--tracer", tracer], [*MPIRUN, *mark, place.program("mw"), *SLOW]
        )
        what = "dry run, %s %s: " % (tracer, " ".join(mark))
        tap.ok(done.status == 0, what + "status 0", done)
        tap.ok("%s %s --tasks" % (shown, place.program("mw")) in done.out, what + "the command is shown", done)
    tap.ok(not os.path.exists(place.path("marple-mw")), "dry run: nothing is made")


def walk_through():
    """The command that the guide shows, and what it prints, block by block."""
    with open(os.path.join(product.top, "doc", "guide.md"), encoding="utf-8") as file:
        chapter = file.read().split("\n## 13. Let marple measure\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```(sh|text)\n(.*?)```", chapter, re.DOTALL)
    command = [
        line for kind, text in blocks if kind == "sh" for line in text.split("\n") if line.startswith("marple run --")
    ][0]
    return shlex.split(command)[2:], "".join(text for kind, text in blocks if kind == "text")


def shape(text):
    """Without line breaks and numbers, which differ from run to run."""
    return re.sub(r"[0-9]+([.,][0-9]+)*", "#", " ".join(text.split()))


def headings(text):
    """The questions that are asked: "Level 2 experiment - collect …"."""
    plain = " ".join(text.split())
    return [shape(found) for found in re.findall(r"Level [0-9] experiment - .*?\.(?= |$)", plain)]


def test_guide(output, what):
    _, shown = walk_through()
    asked = headings(output)
    bad = [h for h in headings(shown) if h not in asked]
    tap.empty(bad, what + ": it asks what the guide shows")
    bad = [
        line
        for line in ("Begin diagnosing ...", "Diagnosing finished: ", "\nPROBLEM, ", "The case is in marple-mw\n")
        if line not in output or line not in shown
    ]
    tap.empty(bad, what + ": it looks as the guide shows")


def saturation(output):
    """Workers that the master can feed: by the model of the first run, and as measured."""
    plain = " ".join(output.split())
    model = re.search(r"so the master can feed ([0-9.]+[0-9]) workers", plain)
    measured = re.search(r"workers that the master can feed: ([0-9.]+[0-9]) where", plain)
    return (model and float(model.group(1)), measured and float(measured.group(1)))


def test_saturation(place, output, command):
    """On a busy machine one of the runs may be slowed down, so it may take three attempts."""
    what = "slow master: the model of the first run predicts the measured saturation within 25 %"
    for attempt in range(3):
        model, measured = saturation(output)
        if model and measured and abs(model / measured - 1) <= 0.25:
            tap.ok(True, what)
            return
        tap.remark("attempt %d: %s by the model, %s measured" % (attempt + 1, model, measured))
        output = place.run(["-o", "again-%d" % attempt, "--max-experiments", "6"], command).out
    tap.ok(False, what, output)


def test_same_cause(document, what):
    """Runs that others slowed down meanwhile, as they say themselves, may have another cause."""
    causes = [f for f in document["findings"] if f["kind"] == "cause"]
    if causes and causes[0]["name"] == "master-bottleneck" and causes[0]["culprits"] == ["0"]:
        tap.ok(True, what)
    elif any("other programs" in (f["certainty_reason"] or "") for f in causes):
        tap.skip(what, "the machine is too busy")
    else:
        tap.ok(False, what, causes)


def test_slow(place):
    what = "slow master"
    command = walk_through()[0][1:]
    done = place.run(["--max-experiments", "6"], command)
    tap.ok(done.status == 0, what + ": status 0", done)
    levels = [level for level in (1, 2, 3) if "Level %d experiment" % level in done.out]
    tap.ok(levels == [1, 2, 3], what + ": three levels", done)
    tap.ok("Diagnosing finished" in done.out, what + ": it ends by itself", done)
    story = done.out.split("Diagnosing finished")[0]
    tap.ok(
        "Worker " in story and "is least utilised" in story and "Waiting time of worker" in story,
        what + ": the story tells what was found at each level",
        story,
    )
    tap.ok("1. master-bottleneck" in done.out, what + ": the master is the cause", done)
    nothing_left(place, what)
    test_guide(done.out, what)
    sizes = re.findall(r"^    processes: ([0-9]+)", place.case("marple-mw"), re.MULTILINE)
    tap.ok(len(set(sizes)) > 1, what + ": it is measured with several numbers of processes", sizes)
    test_saturation(place, done.out, command)

    runs = place.outcomes("marple-mw")
    again = place.run(["--format", "json", "--max-experiments", "6"], command)
    tap.ok(again.status == 0, what + ": the same call again", again)
    document = again.document()
    check_schema(document, what)
    tap.ok(
        len(document["case"]["runs"]) == len(runs),
        what + ": no run is repeated by the second call",
        document["case"]["experiments"],
    )
    test_same_cause(document, what + ": the JSON says the same")
    tap.ok(again.complaint == "", what + ": JSON goes alone, without a narrative", again)


def cases_of(text):
    """The runs that a page names, with how they ended."""
    return [[cell for _, cell in row][::5] for row in page.Page(text).cells if row[0][1].startswith("run-")]


def test_page(place, command, runs):
    """The diagnosis as a page, with what was run; and one where nothing can be diagnosed."""
    done = place.run(["--output", "answer.html", "--format", "html", "--max-experiments", "6"], command)
    with open(place.path("answer.html"), encoding="utf-8") as file:
        text = file.read()
    tap.ok(done.status == 0 and done.out == done.complaint == "", "html: nothing but the file", done)
    tap.empty(list(page.complaints_about(text)), "html: a page that needs nothing else")
    tap.ok([how for _, how in cases_of(text)] == runs, "html: it has all runs", cases_of(text))
    document = place.run(["--format", "json", "--max-experiments", "6"], command).document()
    tap.empty(list(page.differences(page.Page(text), document)), "html: the numbers of JSON")

    done = place.run(["-o", "none", "--format", "html"], ["mpirun", "-np", "1", place.program("mw"), "--help"])
    tap.ok(done.status == 3 and "NOTHING MEASURED" in done.out, "html: it says that nothing was measured", done)
    tap.empty(list(page.complaints_about(done.out)), "html: also such a page needs nothing else")
    tap.ok("exit status 2" in "".join(how for _, how in cases_of(done.out)), "html: and why", cases_of(done.out))
    done = place.run(["-o", "none", "--format", "html", "--output", "/dev/full"], ["mpirun", "-np", "1", "false"])
    tap.ok(done.status != 0, "html: a full disk is an error", done)


def test_options(place):
    """On the case of the slow master, which needs no further run."""
    command = walk_through()[0][1:]
    runs = place.outcomes("marple-mw")
    done = place.run(["--fail-on", "critical", "--max-experiments", "6"], command)
    tap.ok(done.status == 1, "--fail-on: status 1", done)
    done = place.run(["--output", "answer.json", "--format", "json"], command)
    with open(place.path("answer.json"), encoding="utf-8") as file:
        document = product.parse(file.read())
    tap.ok(done.out == "" and "case" in document, "--output: the diagnosis is in the file", done)
    test_page(place, command, runs)
    tap.ok(place.outcomes("marple-mw") == runs, "none of them runs anything")
    done = product.run("diagnose", "--format", "json", place.path("marple-mw"))
    tap.ok(
        done.status == 0 and len(product.parse(done.out)["runs"]) == len(runs),
        "marple diagnose takes the case",
        done,
    )
    done = place.run(["-v", "-o", "loud"], ["mpirun", "-np", "1", place.program("mw"), "--help"])
    tap.ok(
        done.status == 3 and "usage: mpirun" in done.complaint and "exit status 2" in done.out,
        "-v: what the program prints is passed on",
        done,
    )


def test_healthy(place):
    """On a busy machine a run may not be healthy, so it may take three attempts."""
    what = "healthy master"
    document = None
    for attempt in range(3):
        done = place.run(
            ["-o", "healthy-%d" % attempt, "--processes", "4", "--format", "json"],
            [*MPIRUN, "./mw", "--tasks", "120", "--task-ms", "20", "--master-ms", "0"],
        )
        document = done.document()
        if document["verdict"] == "no-significant-problem" and len(document["case"]["runs"]) == 1:
            break
        tap.remark("attempt %d: %s" % (attempt + 1, document["summary"]))
    tap.ok(
        document["verdict"] == "no-significant-problem",
        what + ": no significant problem",
        document["summary"],
    )
    tap.ok(len(document["case"]["runs"]) == 1, what + ": one run is enough", document["case"])
    tap.ok(document["case"]["ended"] == "nothing-asked", what + ": nothing is asked for", document["case"])
    nothing_left(place, what)


def test_no_number(place):
    """The launcher knows how many; after the first run marple does, too."""
    what = "a command that says no number of processes"
    options = ["-o", "unsaid", "--knowledge", ask_scaling]
    command = ["mpirun", "-H", "localhost:4", place.program("mw"), *SLOW]
    done = place.run([*options, "--max-experiments", "2"], command)
    tap.ok(done.status == 0, what + ": it is diagnosed", done)
    sizes = re.findall(r"^    processes: ([0-9]+)", place.case("unsaid"), re.MULTILINE)
    tap.ok(set(sizes) == {"4"}, what + ": the trace tells it", place.case("unsaid"))
    tap.ok(
        "with 4 processes: it takes" not in done.plain,
        what + ": what asks for the same number is not refused",
        done,
    )
    done = place.run(
        ["-o", "unsaid5", "--knowledge", ask_scaling, "--max-experiments", "2"],
        ["mpirun", "-H", "localhost:5", place.program("mw"), *SLOW],
    )
    tap.ok(
        "the command always starts 5; write {processes} where its number stands" in done.plain,
        what + ": another number is refused, and it says how it can be allowed",
        done,
    )
    done = place.run([*options, "--max-experiments", "2"], command)
    firsts = place.case("unsaid").count('experiment: "see which pattern')
    tap.ok(
        done.status == 0 and firsts == 1,
        what + ": the case can be continued, and the first run is not repeated",
        done,
    )


def measured_sizes(place, name):
    case = place.case(name)
    return sorted(re.findall(r"^    processes: ([0-9]+)", case, re.MULTILINE))


def test_half(place):
    what = "a budget that ends between the sizes of an experiment"
    options = ["-o", "half", "--knowledge", ask_sizes, "--processes", "5"]
    command = [*MPIRUN, place.program("mw"), *SLOW]
    first = place.run([*options, "--max-experiments", "2"], command)
    tap.ok(measured_sizes(place, "half") == ["3", "5"], what + ": one size is missing", first)
    # The missing one alone fits in; both together would not.
    took = float(re.findall(r"duration_s: ([0-9.]+)", place.case("half"))[1])
    done = place.run([*options, "--max-experiments", "1", "--max-time", "%.2f" % (1.9 * took)], command)
    tap.ok(measured_sizes(place, "half") == ["3", "4", "5"], what + ": the next call measures it", done)
    tap.ok("an earlier call began it" in done.plain, what + ": and says why", done)
    done = place.run([*options, "--max-experiments", "1"], command)
    again = [r for r in re.findall(r'experiment: "(.*)"', place.case("half")) if "3 and 4" in r]
    tap.ok(len(again) == 2, what + ": then it is done", place.case("half"))


def test_broken_rules(place):
    """The second diagnosis fails: what the first one found is not lost."""
    what = "rules that break while the program runs"
    own = place.path("own")
    shutil.copytree(ask_scaling, own)
    process = place.start(
        ["-o", "broken", "--knowledge", own, "--processes", "3"], [*MPIRUN, place.program("mw"), *SLOW]
    )
    for _ in range(600):
        time.sleep(0.05)
        if os.path.isdir(place.path("broken", "run-02")):
            break
    with open(os.path.join(own, "rules", "broken.clp"), "w", encoding="utf-8") as file:
        file.write("(defrule ADVISE::x (")
    done = Ended(process)
    tap.ok(done.status not in (0, 1), what + ": it is reported", done)
    tap.ok("\nUnexplained " in done.out, what + ": what was learnt is shown", done)
    tap.ok(place.outcomes("broken") == ["ok", "ok"], what + ": the runs are kept", place.case("broken"))


# ---- what goes wrong ----------------------------------------------------------------------


def test_crash(place):
    what = "crash in the second experiment"
    options = ["-o", "crash", "--full", "--knowledge", ask_scaling, "--max-experiments", "2"]
    command = [*MPIRUN, place.program("shaky"), *SLOW]
    done = place.run(options, command, SHAKY_CRASH="4")
    tap.ok(done.status == 0, what + ": the first run is diagnosed", done)
    tap.ok("signal 11" in done.out, what + ": it is reported", done)
    tap.ok("the input has no end" in done.out, what + ": with what the program said", done)
    tap.ok("1. master-bottleneck" in done.out, what + ": what was learnt is shown", done)
    diagnosis = " ".join(done.out.split("Diagnosing finished")[1].split())
    line = "Runs that failed (what follows knows nothing of them)"
    tap.ok(
        line in diagnosis and "* run-02 with 4 processes: failed, after" in diagnosis and "signal 11" in diagnosis,
        what + ": the diagnosis tells in a line which run failed and how",
        diagnosis,
    )
    diagnosis = product.run("diagnose", "--full", place.path("crash"))
    tap.ok(
        line in diagnosis.out and "* run-02 with 4 processes: failed" in diagnosis.out,
        what + ": so does marple diagnose of the case",
        diagnosis,
    )
    tap.ok(place.outcomes("crash") == ["ok", "failed"], what + ": the case knows", place.case("crash"))
    nothing_left(place, what)

    done = place.run([*options, "--format", "json"], command)
    case = done.document()["case"]
    tap.ok(
        place.outcomes("crash")[:3] == ["ok", "failed", "ok"],
        what + ": the next call tries that run once more and no other",
        place.case("crash"),
    )
    asked = [e for e in case["experiments"] if e["level"] == 4 and len(e["runs"]) == 2]
    tap.ok(asked and asked[0]["status"] == "answered", what + ": and then it is answered", case["experiments"])
    check_schema(done.document(), what)


def test_hang(place):
    what = "a program that hangs"
    options = ["-o", "hang", "--timeout", "2s"]
    command = [*MPIRUN, place.program("shaky"), *SLOW]
    began = time.monotonic()
    done = place.run(options, command, SHAKY_HANG="all")
    tap.ok(time.monotonic() - began < 60, what + ": it does not last")
    tap.ok(done.status == 3, what + ": status 3", done)
    tap.ok("had not ended after 2.00 s" in done.plain, what + ": it is reported", done)
    tap.ok(place.outcomes("hang") == ["timed-out"], what + ": the case knows", place.case("hang"))
    nothing_left(place, what)
    done = place.run(["-o", "hang", "--timeout", "60s", "--max-experiments", "1"], command)
    tap.ok(
        done.status == 0 and place.outcomes("hang") == ["timed-out", "ok"],
        what + ": the next call goes on",
        done,
    )


def test_stuck(place):
    """Its ranks are told to write, but for the one that waits in MPI_Finalize for the others."""
    what = "a program that hangs and leaves a trace"
    options = ["-o", "stuck", "--timeout", "4s", "--tracer", "eztrace"]
    command = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", "4", "{tracer}", place.program("shaky")]
    done = place.run(options, command, SHAKY_STUCK="all")
    tap.ok(done.status == 0, what + ": it is diagnosed", done)
    hang = "ranks 0, 2 and 3 wait in MPI_Barrier; rank 1 has left the program"
    tap.ok(hang in done.plain, what + ": who waits in which call, and for whom", done)
    tap.ok("so nothing more is measured" in done.plain, what + ": no further run is tried", done)
    tap.ok(place.outcomes("stuck") == ["timed-out"], what + ": the case knows", place.case("stuck"))
    nothing_left(place, what)
    done = product.run("diagnose", place.path("stuck"))
    tap.ok(hang in " ".join(done.out.split()), what + ": so does marple diagnose of the case", done)
    done = place.run([*options, "--format", "json", "--dry-run"], command)
    document = done.document()
    check_schema(document, what)
    run = document["case"]["runs"][0]
    tap.ok(
        run["cores"] >= 1 and run["load"] >= 0 and run["foreign_cores"] >= 0,
        what + ": the machine is noted",
        run,
    )
    tap.ok(
        run["ranks_per_core"] > 0 and any(re.match(r"0(-3|,[0-9,-]*)? on [0-9]", p) for p in run["placement"]),
        what + ": and where its ranks ran",
        run,
    )


def test_stuck_own(place):
    """With marple's own tracer nobody is told to write: what was recorded is in files."""
    what = "a program that hangs, by marple's own tracer"
    command = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", "4", place.program("shaky")]
    done = place.run(["-o", "stuck-own", "--timeout", "3s"], command, SHAKY_STUCK="all")
    tap.ok(done.status == 0, what + ": it is diagnosed", done)
    hang = "ranks 0, 2 and 3 wait in MPI_Barrier; rank 1 has left the program"
    tap.ok(hang in done.plain, what + ": who waits in which call, and for whom", done)
    tap.ok("spools" not in os.listdir(place.path("stuck-own", "run-01", "trace")), what + ": its files became a trace")
    nothing_left(place, what)


def test_static(place):
    what = "a program that cannot be traced"
    done = place.run(["-o", "static"], ["mpirun", "-np", "2", place.program("plain")])
    tap.ok(done.status == 3, what + ": status 3", done)
    tap.ok("no MPI call was recorded" in done.complaint, what + ": it is reported", done)
    tap.ok(place.outcomes("static") == ["no-trace"], what + ": the case knows", place.case("static"))
    done = place.run(["-o", "static", "--format", "json"], ["mpirun", "-np", "2", place.program("plain")])
    tap.ok(
        done.status == 3 and done.document()["case"]["ended"] == "failed",
        what + ": JSON has the case, although there is no diagnosis",
        done,
    )
    tap.ok(len(place.outcomes("static")) == 2, what + ": it is tried once more per call")


def test_no_mpi(place):
    """EZTrace ends such a program with an error of its own, which explains nothing."""
    what = "a program without MPI"
    subprocess.run(["cc", "-o", place.program("serial"), os.path.join(apps, "plain.c")], check=True)
    done = place.run(["-o", "serial-case"], ["mpirun", "-np", "2", place.program("serial")])
    tap.ok(done.status == 3, what + ": status 3", done)
    tap.ok(
        '"serial" is not an MPI program (no MPI call was recorded)' in done.complaint
        and '"serial" is not an MPI program' in done.plain,
        what + ": it is reported",
        done,
    )
    tap.ok("OTF2" not in done.out + done.complaint, what + ": without the tracer's own troubles", done)
    what = "a program that only begins and ends MPI"
    with open(place.path("bare.c"), "w", encoding="utf-8") as file:
        file.write("#include <mpi.h>\nint main(void){MPI_Init(0, 0); return MPI_Finalize();}\n")
    subprocess.run(["mpicc", "-o", place.program("bare"), place.path("bare.c")], check=True)
    done = place.run(["-o", "bare-case"], ["mpirun", "-np", "2", place.program("bare")])
    tap.ok('"bare" does not communicate, or the tracer does not see how' in done.plain, what + ": it is reported", done)
    done = place.run(
        ["-o", "other-pattern", "--pattern", "pipeline", "--max-experiments", "1"],
        [*MPIRUN, place.program("mw"), "--tasks", "20"],
    )
    tap.ok(
        done.status == 0 and "does not communicate" not in done.plain,
        "a pattern that does not fit: the program is not said to be silent",
        done,
    )
    what = "an interpreter that calls no MPI"
    done = place.run(["-o", "python-case"], ["mpirun", "-np", "2", sys.executable, "-c", "print(3)"])
    tap.ok(
        done.status == 3 and "is not an MPI program, or it ended before MPI_Init" in done.complaint,
        what + ": it is reported with a reserve",
        done,
    )


def test_pause(place):
    """Ctrl-Z stops the program, too; and a run with a hole in it is none."""
    what = "Ctrl-Z"
    command = ["mpirun", "--oversubscribe", "-np", "3", place.program("mw"), "--tasks", "100", "--task-ms", "50"]
    process = place.start(["-o", "pause", "--max-experiments", "2"], command)
    for _ in range(200):
        time.sleep(0.1)
        if any(place.program("mw") + " --tasks" in words and "mpirun" not in words for words in place.left()):
            break
    time.sleep(0.5)
    process.send_signal(signal.SIGTSTP)
    time.sleep(1)
    states = place.states()
    process.send_signal(signal.SIGCONT)
    done = Ended(process)
    tap.ok(states and set(states) == {"T"}, what + ": all processes stand still", states)
    tap.ok(done.status == 0, what + ": then it goes on", done)
    tap.ok("it was paused for" in done.plain, what + ": the run is not taken for a measurement", done)
    tap.ok(place.outcomes("pause")[:2] == ["interrupted", "ok"], what + ": it is repeated", place.case("pause"))
    nothing_left(place, what)


def test_quit(place):
    what = "Ctrl-\\"
    command = [*MPIRUN, place.program("shaky"), *SLOW]
    process = place.start(["-o", "quit"], command, SHAKY_HANG="all")
    for _ in range(200):
        time.sleep(0.1)
        if any(place.program("shaky") + " --tasks" in words and "mpirun" not in words for words in place.left()):
            break
    time.sleep(0.5)
    process.send_signal(signal.SIGQUIT)
    done = Ended(process)
    tap.ok(done.status == 3 and "interrupted" in done.complaint, what + ": it ends as by Ctrl-C", done)
    tap.ok(place.outcomes("quit") == ["interrupted"], what + ": the case knows", place.case("quit"))
    nothing_left(place, what)


def test_mistakes(place):
    """What is no matter of ours is shown in the words of the system or the launcher."""
    program = place.program("mw")
    done = place.run(["-o", "mistake"], ["mpirun", "-np", "{procs}", program])
    tap.ok(
        done.status == 2 and "there is no placeholder {procs}; did you mean {processes}?" in done.complaint,
        "a misspelt placeholder is reported",
        done,
    )
    tap.ok(not os.path.exists(place.path("mistake")), "and nothing is started")
    for number, (command, said) in enumerate((
        (["no-such-launcher", "-n", "2", program], 'cannot start "no-such-launcher": No such file or directory'),
        (["mpirun", "-np", "2", "./no-such-program"], "could not access or execute an executable"),
    )):
        done = place.run(["-o", "mistake-%d" % number], command)
        what = " ".join(command).replace(place.folder, "…")
        tap.ok(done.status == 3 and said in " ".join(done.complaint.split()), what + ": it is reported", done)
        tap.ok(place.outcomes("mistake-%d" % number) == ["failed"], what + ": the case knows")


def test_left(place):
    what = "a program that leaves processes behind"
    done = place.run(
        ["-o", "left", "--max-experiments", "1"], [*MPIRUN, place.program("shaky"), *SLOW], SHAKY_LEAVE="all"
    )
    tap.ok(done.status == 0, what + ": it is diagnosed", done)
    tap.ok("left behind and that were ended: 1" in done.out, what + ": it is reported", done)
    nothing_left(place, what)


def test_interrupt(place):
    what = "Ctrl-C"
    command = [*MPIRUN, place.program("mw"), "--tasks", "2000", "--task-ms", "100"]
    process = place.start(["-o", "stop"], command)
    for _ in range(200):
        time.sleep(0.1)
        if any(place.program("mw") + " --tasks" in words and "mpirun" not in words for words in place.left()):
            break
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    done = Ended(process)
    tap.ok(done.status == 3, what + ": status 3", done)
    tap.ok("interrupted" in done.complaint, what + ": it says how to go on", done)
    tap.ok(place.outcomes("stop") == ["interrupted"], what + ": the case knows", place.case("stop"))
    nothing_left(place, what)
    tap.ok("\nUnexplained " in done.out, what + ": what it did until then is diagnosed", done)


def test_alone(place):
    """Open MPI and EZTrace may make a trace of it, or fail at its end; both tell one process."""
    what = "an MPI program without mpirun"
    done = place.run(["-o", "alone", "--max-experiments", "1"], [place.program("mw"), "--tasks", "4"])
    text = done.plain + " ".join(done.complaint.split())
    tap.ok("did you forget mpirun? As in: mpirun -np 4 " + place.program("mw") in text, what + ": it is asked", done)


def test_killed(place):
    """Nobody can catch that, but the launcher is told that marple is gone, and ends its ranks."""
    what = "kill -9 of marple"
    process = place.start(["-o", "killed"], [*MPIRUN, place.program("mw"), "--tasks", "2000", "--task-ms", "100"])
    for _ in range(200):
        time.sleep(0.1)
        if any(place.program("mw") + " --tasks" in words and "mpirun" not in words for words in place.left()):
            break
    time.sleep(0.5)
    process.kill()
    process.communicate()
    for _ in range(200):
        if not place.left():
            break
        time.sleep(0.1)
    nothing_left(place, what)


def test_interrupt_version(place):
    """Before the program: nothing was run, so nothing is kept of it."""
    what = "Ctrl-C while the tracer is asked for its version"
    with open(os.path.join(product.top, "tracers", "eztrace.yaml"), encoding="utf-8") as file:
        text = file.read()
    text = text.replace("tracer: eztrace", "tracer: slow").replace("[eztrace, --version]", "[sleep, '4']")
    os.makedirs(place.path("slow", "tracers"))
    with open(place.path("slow", "tracers", "slow.yaml"), "w", encoding="utf-8") as file:
        file.write(text)
    process = place.start(
        ["-o", "early", "--knowledge", place.path("slow"), "--tracer", "slow"],
        [*MPIRUN, "{tracer}", place.program("mw")],
    )
    for _ in range(200):
        time.sleep(0.05)
        if os.path.exists(place.path("early", "run-01", "helper")):
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    done = Ended(process)
    tap.ok(done.status == 3 and "interrupted" in done.complaint, what + ": status 3", done)
    left = sorted(os.listdir(place.path("early")))
    tap.ok(left == ["case.lock", "case.yaml"], what + ": no empty run is left", left)


def test_interrupt_second(place):
    """What the first run found is shown, although the second was stopped."""
    what = "Ctrl-C in the second experiment"
    options = ["-o", "stop2", "--knowledge", ask_scaling]
    command = [*MPIRUN, place.program("shaky"), *SLOW]
    process = place.start(options, command, SHAKY_HANG="4")
    for _ in range(600):
        time.sleep(0.1)
        if os.path.isdir(place.path("stop2", "run-02")) and len(place.outcomes("stop2")) == 2:
            break
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)  # Twice: it does not listen.
    done = Ended(process)
    tap.ok(done.status == 3, what + ": status 3", done)
    tap.ok("1. master-bottleneck" in done.out, what + ": what was learnt is shown", done)
    tap.ok(place.outcomes("stop2") == ["ok", "interrupted"], what + ": the case knows", place.case("stop2"))
    nothing_left(place, what)


def test_two_at_once(place):
    what = "two calls in one case"
    command = [*MPIRUN, place.program("mw"), "--tasks", "200", "--task-ms", "100"]
    first = place.start(["-o", "two", "--max-experiments", "1"], command)
    for _ in range(200):
        time.sleep(0.05)
        if os.path.exists(place.path("two", "case.yaml")):
            break
    second = place.run(["-o", "two"], command)
    tap.ok(
        second.status == 3 and "another marple (process %d)" % first.pid in second.complaint,
        what + ": the second is refused",
        second,
    )
    first.send_signal(signal.SIGINT)
    Ended(first)
    nothing_left(place, what)


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def test_disk_full(place):
    what = "no room on the disk"
    command = [*MPIRUN, place.program("mw"), *SLOW]
    before = place.run(["-o", "full", "--max-experiments", "1"], command)
    tap.ok(before.status == 0, what + ": a case to begin with", before)
    kept = place.case("full")
    done = place.run(["-o", "full", "--processes", "3"], command, limits=small_files)
    tap.ok(done.status == 3 and "cannot write" in done.complaint, what + ": it is reported", done)
    tap.ok(place.case("full") == kept, what + ": the case is as it was")
    nothing_left(place, what)


def test_unusable_cases(place):
    command = [*MPIRUN, place.program("mw")]
    with open(place.path("file"), "w", encoding="utf-8") as file:
        file.write("x")
    done = place.run(["-o", "file"], command)
    tap.ok(done.status == 3 and '"file" is no directory' in done.complaint, "a file is no case", done)
    os.mkdir(place.path("bad"))
    with open(place.path("bad", "case.yaml"), "w", encoding="utf-8") as file:
        file.write("case: 1\ncommand: [x\n")
    done = place.run(["-o", "bad"], command)
    tap.ok(
        done.status == 3 and "bad/case.yaml:" in done.complaint,
        "a damaged case is reported with its line",
        done,
    )
    tap.ok(place.case("bad") == "case: 1\ncommand: [x\n", "and left as it is")
    done = place.run(["-o", "marple-mw"], ["mpirun", "-np", "3", place.program("shaky")])
    tap.ok(
        done.status == 2 and "is of another command: mpirun --oversubscribe" in done.complaint,
        "a case of another command is refused",
        done,
    )


def main():
    missing = missing_tools()
    if missing:
        print("1..0 # SKIP not installed: " + ", ".join(missing))
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Place(os.path.realpath(folder))
        has_static = build(place)
        if not can_trace(place):
            print("1..0 # SKIP mpirun cannot run a program under eztrace here")
            return
        tap.guarded("dry run", test_dry, place)
        tap.guarded("slow master", test_slow, place)
        tap.guarded("options", test_options, place)
        tap.guarded("healthy master", test_healthy, place)
        tap.guarded("no number", test_no_number, place)
        tap.guarded("half", test_half, place)
        tap.guarded("broken rules", test_broken_rules, place)
        tap.guarded("crash", test_crash, place)
        tap.guarded("hang", test_hang, place)
        tap.guarded("stuck", test_stuck, place)
        tap.guarded("stuck, own tracer", test_stuck_own, place)
        if has_static:
            tap.guarded("static", test_static, place)
        else:
            tap.skip("a program that cannot be traced", "nothing can be linked statically")
        tap.guarded("no MPI", test_no_mpi, place)
        tap.guarded("pause", test_pause, place)
        tap.guarded("quit", test_quit, place)
        tap.guarded("mistakes", test_mistakes, place)
        tap.guarded("left", test_left, place)
        tap.guarded("interrupt", test_interrupt, place)
        tap.guarded("killed", test_killed, place)
        tap.guarded("alone", test_alone, place)
        tap.guarded("interrupt of the version", test_interrupt_version, place)
        tap.guarded("interrupt in the second", test_interrupt_second, place)
        tap.guarded("two at once", test_two_at_once, place)
        tap.guarded("disk full", test_disk_full, place)
        tap.guarded("unusable cases", test_unusable_cases, place)
    tap.done()


main()
