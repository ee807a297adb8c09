"""
Real runs whose truth is known. Every figure names its source:

  program    the traced program measured it and printed it (app-truth.txt beside the trace)
  built      it follows from how the run was made (number of tasks, injected delays)
  Scalasca   scout 2.6 on the same archive
  counted    counted in the trace with otf2-print
"""

import os
import re

import product

tap = product.Tap()
tests = []


def on(trace):
    """The test looks at the diagnosis of a trace; it is skipped where the trace is not there."""

    def register(test):
        tests.append((trace, test))
        return test

    return register


def is_master_worker(d, n_workers, trace):
    pattern = d.pattern("master-worker") or {"roles": {}, "coverage": 0}
    tap.ok(pattern["roles"].get("master") == ["0"], trace + ": rank 0 is the master", pattern)
    workers = [str(w) for w in range(1, n_workers + 1)]
    tap.ok(pattern["roles"].get("worker") == workers, trace + ": all others are workers", pattern)
    tap.ok(pattern["coverage"] >= 0.95, trace + ": 95 % of the messages are explained", pattern)


def program_rows(trace):
    """Rank to (tasks, seconds in them), as the program printed it."""
    with open(os.path.join(product.shared_trace(trace), "app-truth.txt"), encoding="ascii") as file:
        found = re.findall(r"rank (\d+) rows (\d+) work ([0-9.]+) s", file.read())
    return {rank: (int(rows), float(seconds)) for rank, rows, seconds in found}


def tasks_agree(d, trace):
    """Tasks as the program counted them, and the time in them as it measured it, to 2 %."""
    truth = program_rows(trace)
    window_s = d["runs"][0]["duration_s"]
    for rank, efficiency in d.values("worker.efficiency").items():
        work = truth[rank][1]
        tap.near(efficiency * window_s, work, 0.02 * work, "%s: work of %s" % (trace, rank))
    tasks = d.values("worker.tasks")
    tap.ok(
        tasks == {rank: rows for rank, (rows, _) in truth.items()},
        trace + ": each worker computed as many tasks as the program counted",
        "%s, not %s" % (tasks, truth),
    )


def is_blamed(d, rank, trace):
    leading = d.leading()
    tap.ok(d["verdict"] == "problems", trace + ": there is a problem", d["summary"])
    tap.ok(
        leading["culprits"] == [rank],
        "%s: rank %s is to blame for the leading cause" % (trace, rank),
        "leading: %s, %s" % (leading["name"], leading["culprits"]),
    )


def what_if(trace, change):
    return product.diagnose(product.shared_trace(trace), "--what-if", change)["what_if"][0]


# ---- master-worker ------------------------------------------------------------------------


@on("mandel-mw-masterslow-np8")
def slow_master(d, trace):
    is_master_worker(d, 7, trace)
    tasks_agree(d, trace)
    is_blamed(d, "0", trace)
    leading = d.leading()
    tap.ok(leading["name"] == "master-bottleneck", trace + ": the master's time leads", leading)
    # built: 401 tasks; each result asks for the next task, the last round is orders to stop.
    tap.near(d.value("master.services"), 401, 7, trace + ": about 401 requests")
    # built: the master sleeps 3 ms per request; program: 1.2362 s of sleep in a run of 1.2498 s.
    tap.near(d.value("master.service_mean"), 3.1e-3, 0.1e-3, trace + ": about 3.1 ms per request")
    tap.near(d.value("master.service_total"), 1.243, 0.007, trace + ": about 1.24 s serial")
    # program: a worker needs 10.1 ms per task, so the master feeds 10.1 / 3.1 + 1 workers.
    tap.near(d.value("run.useful_workers"), 4.27, 0.3, trace + ": it can feed about 4 workers")
    # program: worker 4 is least utilised with 0.5452 s of work in 1.2498 s.
    efficiency = d.values("worker.efficiency")
    tap.near(min(efficiency.values()), 0.5452 / 1.2498, 0.01, trace + ": least efficiency")
    # All other losses of this run are below 10 ms per worker: start, end, messages.
    tap.ok(
        leading["share_of_lost"] is not None and 0.9 <= leading["share_of_lost"] <= 1,
        trace + ": it explains nearly all that the workers lose",
        leading,
    )
    tap.ok(re.search(r"[1-9]", leading["remedy"] or ""), trace + ": the remedy has a number")
    # 4.27 workers want 3.1 ms each per 10.1 ms; two tasks per request feed 7.
    tap.near(d.value("run.batch"), 3, 0, trace + ": batches of ceil(3.1 * 7 / 10.1) tasks")
    # built: the same run without that sleep, traced as mandel-mw-np8, takes 0.605 s.
    answer = what_if(trace, "compute(0)-1.2362s")
    tap.near(answer["changed_s"], 0.605, 0.012, trace + ": as its twin without the sleep")
    # built: 6 of 7 rounds of the queue vanish; at best 401 tasks of 10.1 ms on 7 workers.
    best = 401 * 10.1e-3 / 7
    tap.ok(
        leading["gain_s"] is not None and 0 < leading["gain_s"] <= 1.2498 - best + 0.02,
        trace + ": the gain is possible",
        leading,
    )
    levels = {e["level"] for e in d["experiments"] if e["pattern"] == "master-worker"}
    tap.ok(levels >= {1, 2, 3}, trace + ": the search has three levels", levels)


@on("mandel-mw-np8")
def healthy(d, trace):
    is_master_worker(d, 7, trace)
    tasks_agree(d, trace)
    tap.ok(d["verdict"] == "no-significant-problem", trace + ": no problem", d["summary"])
    tap.empty(d.causes("master-bottleneck"), trace + ": the master is no bottleneck")
    # TRACES: above 90 %. program: 0.5823 s of work on average in a run of 0.5973 s, which is at
    # most the time that the trace covers.
    efficiency = d.value("run.efficiency_mean")
    tap.ok(0.9 <= efficiency <= 0.975, trace + ": workers are busy", efficiency)


@on("mandel-mw-np4")
def healthy_small(d, trace):
    is_master_worker(d, 3, trace)
    tasks_agree(d, trace)
    tap.ok(d["verdict"] == "no-significant-problem", trace + ": no problem", d["summary"])


@on("mandel-mw-slowworker-np8")
def slow_worker(d, trace):
    is_master_worker(d, 7, trace)
    tasks_agree(d, trace)
    outliers = d.findings("slow-worker", "observation")
    tap.ok(
        [f["locations"] for f in outliers] == [["3"]],
        trace + ": worker 3 is named as an outlier, and nobody else",
        outliers,
    )
    # built: +40 ms on tasks of 10 ms.
    tap.near(d.values("worker.relative_task_time").get("3"), 5, 0.25, trace + ": 5 times slower")
    leading = d.leading()
    tap.ok(
        (leading["name"], leading["culprits"]) == ("slow-worker", ["3"]),
        trace + ": the capacity that it lacks is the first loss",
        leading,
    )
    tap.near(leading["gain_s"], 0.680 - 0.605, 0.0075, trace + ": by what its twin is faster")
    # built: the same run without the 40 ms, traced as mandel-mw-np8, takes 0.605 s instead of 0.680 s.
    for change in ("compute(3)/5", "compute(3)=others"):
        answer = what_if(trace, change)
        tap.near(answer["changed_s"], 0.605, 0.006, trace + ": as its twin with " + change)
        tap.ok(answer["doubt"] is None, trace + ": which is not doubted", answer["doubt"])


@on("mandel-mw-coarse-np8")
def too_few_tasks(d, trace):
    is_master_worker(d, 7, trace)
    tasks_agree(d, trace)
    tap.ok(d["verdict"] == "problems", trace + ": there is a problem", d["summary"])
    tap.ok(d.leading()["name"] == "too-few-tasks", trace + ": too few tasks", d.leading())
    # built: 17 tasks for 7 workers are 3 rounds.
    tap.near(d.value("run.round_efficiency"), 17 / 21, 1e-6, trace + ": at best 81 %")
    # program: 1.7215 s of work in 7 x 0.3180 s, the start of the tracer excluded.
    tap.near(d.value("run.efficiency_mean"), 1.7215 / 2.226, 0.02, trace + ": as measured")


@on("scorep-mw")
def scorep_master_worker(d, trace):
    is_master_worker(d, 3, trace)
    # Scalasca.
    tap.near(d.value("run.late_sender"), 0.301163, 1e-6, trace + ": late senders as Scalasca")
    tap.near(d.value("run.late_sender_count"), 113, 0, trace + ": instances as Scalasca")
    tap.near(d.value("run.wait_barrier"), 0.0140369, 1e-6, trace + ": barriers as Scalasca")
    places = [s for f in d["findings"] for s in f["where"] if s["region"] == "handle"]
    tap.ok(places, trace + ": the function handle is named", d.leading())
    tap.ok(
        places and all(s["file"] and s["line"] for s in places),
        trace + ": with file and line",
        places,
    )
    # counted: the workers enter the only barrier from 0.8277 s after the first moment on.
    ends = [f["began_s"] for f in d["findings"] if f["name"] == "uneven-end" and "began_s" in f]
    tap.ok(ends and 0.827 < ends[0] < 0.829, trace + ": the uneven end begins at the barrier", ends)


@on("scorep-mw8")
def scorep_saturated(d, trace):
    is_master_worker(d, 7, trace)
    is_blamed(d, "0", trace)
    tap.ok(d.leading()["name"] == "master-bottleneck", trace + ": the master leads", d.leading())
    tap.ok(d.value("run.saturation") >= 1, trace + ": the master is saturated")
    # Scalasca.
    tap.near(d.value("run.late_sender"), 2.18825, 1e-5, trace + ": late senders as Scalasca")
    tap.near(d.value("run.late_sender_count"), 207, 0, trace + ": instances as Scalasca")
    tap.near(d.value("run.wait_barrier"), 0.0535715, 1e-6, trace + ": barriers as Scalasca")


# ---- message-passing ----------------------------------------------------------------------


@on("scorep-colls")
def collectives(d, trace):
    # Scalasca; 1 % as its definitions of the v-operations differ in zero-length participants.
    for metric, seconds in (
        ("run.wait_n_to_n", 0.167901),
        ("run.late_broadcast", 0.0342829),
        ("run.early_reduce", 0.0346464),
        ("run.early_scan", 0.0330731),
        ("run.wait_barrier", 0.0419144),
    ):
        tap.near(d.value(metric), seconds, 0.01 * seconds, "%s: %s as Scalasca" % (trace, metric))


@on("scorep-halo-imb")
def imbalanced_halo(d, trace):
    is_blamed(d, "3", trace)  # built: the last rank computes three times as much
    tap.near(d.value("run.late_sender"), 1.1692, 1e-4, trace + ": late senders as Scalasca")
    tap.near(d.value("run.wait_n_to_n"), 0.186009, 0.00186, trace + ": N x N as Scalasca")
    tap.near(d.value("run.wrong_order"), 0.312404, 0.01 * 0.312404, trace + ": wrong order as Scalasca")


@on("scorep-halo")
def fine_halo(d, trace):
    tap.near(d.value("run.late_sender"), 0.0245671, 1e-6, trace + ": late senders as Scalasca")
    tap.near(d.value("run.late_sender_count"), 600, 0, trace + ": instances as Scalasca")
    tap.ok(d["verdict"] == "problems", trace + ": there is a problem", d["summary"])
    grain = d.causes("fine-grain")
    tap.ok(grain, trace + ": the grain is too fine", d.leading())


@on("public-casita-10_scorep_mpi_tags")
def fixed_order(d, trace):
    # Scalasca and CASITA agree to the nanosecond.
    tap.near(d.value("run.late_sender"), 0.231347608, 1e-9, trace + ": late senders")
    named = [f for f in d["findings"] if f["name"] in ("fixed-order-collection", "wrong-order")]
    tap.ok(
        any("0" in f["locations"] + f["culprits"] for f in named),
        trace + ": rank 0 collects in a fixed order",
        [f["name"] for f in d["findings"]],
    )


@on("public-casita-2_jacobi_blame_cpu_015")
def offsets_and_gpus(d, trace):
    run = d["runs"][0]
    # counted: 2000 messages; TRACES: 1000 reversed on the raw clocks, none with the offsets.
    tap.near(run["matching"]["messages"], 2000, 0, trace + ": messages")
    tap.near(run["clock"]["violations_before"]["p2p"], 1000, 0, trace + ": reversed as recorded")
    tap.near(run["clock"]["violations_after"]["p2p"], 0, 0, trace + ": none reversed")
    tap.ok(run["clock"]["source"] == "offsets", trace + ": by the recorded offsets")
    notes = [n["note"] for n in run["quality"]]
    tap.ok("gpu-locations" in notes, trace + ": GPU locations are noted", notes)
    # counted: the hosts are 0.354071 and 0.353504 s in cuMemcpy* and cuCtxSynchronize; 0 in the latter 0.002310 s.
    waits = d.causes("device-wait")
    tap.ok(waits and waits[0]["locations"] == ["0"], trace + ": hosts wait for the device, rank 0 longest", waits)
    tap.near(waits[0]["lost_s"], 0.354071 + 0.353504, 1e-5, trace + ": so long")
    last = [r for r in waits[0]["where"] if r["region"].startswith("cuCtxSynchronize")]
    tap.near(sum(r["seconds"] for r in last), 0.002310045, 1e-9, trace + ": in cuCtxSynchronize")


@on("lulesh-slow3-np8")
def late_rank_3(d, trace):
    is_blamed(d, "3", trace)
    # program: 59 delays of 1.185082 s in all, for which 7 others wait.
    tap.ok(d.leading()["lost_s"] >= 1.185 * 7 * 0.5, trace + ": and for most of the delay")


@on("prk-stencil-slow6-np16")
def late_rank_6(d, trace):
    # built: rank 6 loses 5 ms and more in each step, and its neighbours with it. The machine was
    # shared by 8 ranks per core, so that other causes may lead; among processes it is the first.
    tap.ok(d["verdict"] == "problems", trace + ": there is a problem", d["summary"])
    blamed = [f["culprits"] for f in d.causes() if f["culprits"]]
    tap.ok(blamed[:1] == [["6"]], trace + ": rank 6 is the first to blame", blamed)


@on("oddeven-slow5-np16")
def late_rank_5(d, trace):
    is_blamed(d, "5", trace)
    # program: 3.0865 s of delay; all 15 others wait at the barrier.
    tap.ok(
        0.5 * 3.0865 <= (d.leading().get("gain_s") or 0) <= 3.2,
        trace + ": the gain is about the delay",
        d.leading(),
    )


def is_message_passing(d, trace):
    tap.ok(d.pattern("message-passing"), trace + ": message-passing fits")
    tap.ok(not d.pattern("master-worker"), trace + ": it is no master-worker", d["patterns"])
    tap.ok(
        all(p["reason"] for p in d["rejected_patterns"]),
        trace + ": why other patterns do not fit",
        d["rejected_patterns"],
    )


for other in (
    "npb-lu-W-np4",
    "npb-cg-W-np8",
    "npb-ep-W-np8",
    "npb-is-W-np8",
    "lulesh-np8",
    "lulesh-slow3-np8",
    "prk-stencil-np16",
    "prk-stencil-slow6-np16",
    "oddeven-np16",
    "oddeven-slow5-np16",
    "scorep-colls",
    "scorep-halo",
    "scorep-halo-imb",
    "pipeline-np4",
    "public-pipit-pingpong",
):
    tests.append((other, is_message_passing))


@on("npb-ep-W-np8")
def nothing_to_say(d, trace):
    # built: embarrassingly parallel, three reductions.
    tap.ok(not d.causes("fine-grain"), trace + ": grain is not the trouble", d.leading())


for twin in ("lulesh-np8", "prk-stencil-np16", "oddeven-np16"):

    @on(twin)
    def nobody_is_slow(d, trace):
        # built: nothing is slowed down here, so nobody may be blamed as the slow twin's rank is.
        blamed = [f for f in d.causes() if f["culprits"] and f["severity"] >= 0.15]
        tap.empty(blamed, trace + ": nobody is blamed for much")


# ---- clocks -------------------------------------------------------------------------------


def true_offsets(path):
    with open(os.path.join(path, "clock-truth.tsv"), encoding="ascii") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {rank: int(ns) for rank, ns in rows}


def test_offsets(path):
    """Offsets that the test printed into the trace's truth, relative to rank 0."""
    name = os.path.basename(path)
    truth = true_offsets(path)
    document = product.parse(product.run("check", "--format", "json", path).out)
    clock = document["runs"][0]["clock"]
    offsets = {c["location"]: c["offset_s"] for c in clock["locations"]}
    bounds = {c["location"]: c["error_bound_s"] for c in clock["locations"]}
    bad = []
    worst = 0
    for rank, true_ns in truth.items():
        error_s = abs(offsets[rank] - offsets["0"] - true_ns * 1e-9)
        worst = max(worst, error_s)
        if bounds[rank] is not None and error_s > bounds[rank] + bounds["0"] + 1e-9:
            bad.append("rank %s: off by %.3g s, bound %.3g s" % (rank, error_s, bounds[rank]))
    tap.remark("%s: largest error of an offset %.1f us" % (name, worst * 1e6))
    tap.empty(bad, name + ": offsets are as good as they say")


def main():
    for trace, test in tests:
        path = product.shared_trace(trace)
        if path is None:
            tap.skip(trace, "no such trace here")
        else:
            tap.guarded(trace, lambda: test(product.diagnose(path), trace))
    for path in product.all_traces(with_broken=False):
        if os.path.exists(os.path.join(path, "clock-truth.tsv")):
            tap.guarded(os.path.basename(path), test_offsets, path)
    tap.done()


main()
