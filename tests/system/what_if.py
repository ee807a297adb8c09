"""What-ifs: what reports say, and predictions against programs that were really changed, whose computation is sleep."""

import os
import shutil
import statistics
import subprocess
import tempfile

import product

tap = product.Tap()
TIMES = 3
example = os.path.join(product.top, "examples", "master-worker", "trace.sh")
halo = os.path.join(product.top, "tests", "system", "what-if", "halo.c")
# Open MPI refuses to run as root unless told twice.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def call(words, folder):
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **AS_ROOT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=product.TIME_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        tap.remark((done.stdout + done.stderr).decode("utf-8", "replace")[-1500:])
        raise RuntimeError("cannot run " + " ".join(words))
    return done.stdout.decode("utf-8")


def trace_farm(folder, *knobs):
    return call(["sh", example, folder, "7", *knobs], ".").strip().split("\n")[-1]


def trace_halo(folder, *knobs):
    os.makedirs(folder)
    call(["mpicc", "-O2", "-o", "halo", halo], folder)
    call(["mpirun", "--oversubscribe", "-np", "5", "eztrace", "-t", "openmpi", "./halo", *knobs], folder)
    return os.path.join(folder, "halo_trace")


def answer(path, change):
    what_if = product.diagnose(path, "--what-if", change)["what_if"]
    assert len(what_if) == 1 and what_if[0]["change"] == change, what_if
    return what_if[0]


def compare(what, folder, trace, change, before, after):
    """The run time that is predicted for `after` from runs of `before`: medians of both."""
    predicted, measured, was = [], [], []
    for i in range(TIMES):
        a = answer(trace(os.path.join(folder, "before%d" % i), *before), change)
        tap.near(a["baseline_s"], a["recorded_s"], 1e-6, what + ": the replay of the run is the run")
        predicted.append(a["changed_s"])
        was.append(a["recorded_s"])
        measured.append(answer(trace(os.path.join(folder, "after%d" % i), *after), change)["recorded_s"])
    expected = statistics.median(measured)
    tap.remark(
        "%s: %.3f s before; %.3f s predicted, %.3f s measured, from %s and %s"
        % (
            what,
            statistics.median(was),
            statistics.median(predicted),
            expected,
            ["%.3f" % s for s in sorted(predicted)],
            ["%.3f" % s for s in sorted(measured)],
        )
    )
    # Sleepers wake late on a machine that is busy with others, by amounts that differ from run to run.
    busy = os.getloadavg()[0] > len(os.sched_getaffinity(0))
    tap.near(
        statistics.median(predicted),
        expected,
        (0.3 if busy else 0.15) * expected,
        what + ": what was predicted is what is measured",
    )
    tap.ok(
        statistics.median(was) - expected > 0.25 * expected,
        what + ": and the change matters",
        statistics.median(was),
    )


def test_master(folder):
    knobs = ["--tasks", "60", "--task-ms", "40", "--master-ms"]
    compare("master of half the time", folder, trace_farm, "compute(master)/2", knobs + ["16"], knobs + ["8"])


def test_halo(folder):
    compare(
        "process as fast as the others",
        folder,
        trace_halo,
        "compute(3)=others",
        ["30", "10", "3", "30"],
        ["30", "10", "3", "10"],
    )


# ---- traces made by hand ---------------------------------------------------------------------

# Rank 0 waits for rank 1, which computes 50 % longer, in rounds of a few milliseconds.
ROUNDS = 6


def hand_made(folder, name, ms):
    lines = ([], [])
    for k in range(ROUNDS):
        begin = 1.6 * ms * k
        for rank, share in ((0, 1.0), (1, 1.5)):
            lines[rank].append("compute %f..%f" % (begin, begin + share * ms))
            lines[rank].append("barrier %f..%f" % (begin + share * ms, begin + 1.6 * ms))
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write("unit ms\n")
        file.writelines("rank %d: %s\n" % (r, "\n  ".join(lines[r])) for r in (0, 1))
    return path


def test_repeats(folder):
    """The same program with rounds of 10, 10.2 and 10.8 ms: the barrier costs a tenth of a round."""
    rounds = (10.8, 10.0, 10.2)
    paths = [hand_made(folder, "r%d.trace" % i, ms) for i, ms in enumerate(rounds)]
    options = ("--what-if", "compute(1)/1.5", "--what-if", "compute(1)*1.1")
    d = product.Diagnosis(product.run("diagnose", "--format", "json", *options, *paths))
    tap.ok(len(d["what_if"]) == 6, "repetitions are answered one by one", d["what_if"])
    groups = d["what_if_groups"]
    tap.ok([g["change"] for g in groups] == ["compute(1)/1.5", "compute(1)*1.1"], "and together", groups)
    for g, share in zip(groups, (0.5, -0.15)):
        what = g["change"] + ": "
        tap.ok((g["n_runs"], g["n_asked"]) == (3, 3), what + "by all three", g)
        for key, of_round in (("recorded", 1.6), ("changed", 1.6 - share), ("gain", share)):
            values = sorted(ROUNDS * ms * 1e-3 * of_round for ms in rounds)
            range_s = [g[key][k] for k in ("low_s", "median_s", "high_s")]
            tap.ok(
                all(abs(x - y) <= 1e-6 for x, y in zip(range_s, values)),
                what + key + " is the median with its range",
                (range_s, values),
            )
    text = " ".join(product.run("diagnose", *options, *paths).out.split())
    tap.ok(text.count("compute(1)/1.5 (") == 1, "the report says each once", text)
    tap.ok(
        "(median of 3 runs of 2 processes, and its range)" in text
        and "30.6 ms (30.0 ms to 32.4 ms) less" in text
        and "9.18 ms (9.00 ms to 9.72 ms) more" in text,
        "with the median of what is gained or lost, and its range",
        text,
    )


def test_refused(folder):
    """Receives that are never completed: there is no answer, and none is called a guess."""
    path = product.shared_trace("lulesh-np8")
    if path is None:
        tap.skip("an answer that is refused", "no trace lulesh-np8")
        return
    text = " ".join(product.run("diagnose", "--what-if", "compute(3)*0.5", path).out.split())
    tap.ok(
        "then: no answer: the trace lacks completions of receives" in text and "a guess" not in text,
        "an answer that is refused is not called a guess",
        text,
    )


def write_causes(folder, causes):
    """A folder of knowledge whose rules find these causes: (name, lost, gain, what-if)."""
    own = os.path.join(folder, "own")
    os.makedirs(os.path.join(own, "rules"))
    with open(os.path.join(own, "rules", "own.clp"), "w", encoding="ascii") as file:
        for cause in causes:
            file.write(
                """(defrule SYMPTOMS::%s
  "A remedy of many, as a sentence."
  (pattern (run ?r) (name "message-passing"))
  =>
  (assert (finding (kind cause) (name %s) (run ?r) (pattern "message-passing") (level 1)
                   (locations "0") (culprits "1") (lost %f) (gain %f) (confidence 0.9)
                   (what-if "%s") (remedy "Compute less.")
                   (text (text "Much is computed.")))))
"""
                % (cause[0], *cause)
            )
    return own


def test_many_remedies(folder):
    """Fifteen causes with thirteen remedies: the last two share the first one's."""
    own = write_causes(
        folder,
        [
            ("own-%d" % i, 0.03 - i * 1e-3, 0.001, "compute(1)*0.%d" % (50 + i % 13))
            for i in range(15)
        ],
    )
    d = product.diagnose(hand_made(folder, "many.trace", 10), "--knowledge", own)
    mine = {f["name"]: f for f in d.causes() if f["name"].startswith("own-")}
    tap.ok(len(mine) == 15, "all causes are reported", sorted(mine))
    out = [name for name, f in mine.items() if f["gain_replay_s"] is None]
    tap.ok(len(out) > 0 and "own-13" not in out and "own-14" not in out,
           "who shares a remedy that was replayed has its gain", out)
    tap.ok(
        all("leading causes" in (mine[name]["gain_doubt"] or "") for name in out),
        "and where there is none, it says why",
        [mine[name]["gain_doubt"] for name in out],
    )


def test_more_than_the_run(folder):
    """A formula that promises more than the run lasts does not fit it; the replay stays."""
    own = write_causes(folder, [("own-much", 0.03, 1000, "compute(1)*0.5")])
    d = product.diagnose(hand_made(folder, "many.trace", 10), "--knowledge", own)
    much = d.causes("own-much")[0]
    tap.ok(much["gain_model_s"] is None, "more than the run lasts is no gain", much["gain_model_s"])
    tap.ok(
        much["gain_replay_s"] is not None and much["gain_s"] == much["gain_replay_s"],
        "what the replay says stays",
        (much["gain_s"], much["gain_replay_s"]),
    )


def test_live():
    missing = [t for t in ("mpicc", "mpirun", "eztrace") if shutil.which(t) is None]
    if missing:
        tap.skip("runs made here and now", "%s not installed" % ", ".join(missing))
        return
    with tempfile.TemporaryDirectory() as folder:
        tap.guarded("master", test_master, os.path.join(folder, "farm"))
        tap.guarded("halo", test_halo, os.path.join(folder, "halo"))


def main():
    for test in (test_repeats, test_refused, test_many_remedies, test_more_than_the_run):
        with tempfile.TemporaryDirectory() as folder:
            tap.guarded(test.__name__, test, folder)
    test_live()
    tap.done()


main()
