"""
Pipelines and wavefronts. On real runs every figure names its source:

  built      it follows from how the run was made
  counted    counted in the trace with otf2-print

The other runs are made here: programs as lists of calls, played with instant eager sends, with sends
into buffers that may be full, or with synchronous ones, so that the truth about each is known whatever
its shape.
"""

import os
import tempfile

import product

tap = product.Tap()


# ---- programs and their play -----------------------------------------------------------------

BARRIER = ("b", "barrier")
ROOM = 3  # messages that a buffer between two processes holds


def play(programs):
    """
    A text trace in us of programs of ("c", us), ("s", to), ("bs", to), ("ss", to), ("r", from) and, for
    a collective operation, ("b", as the text trace calls it).
    """
    clock = [0] * len(programs)
    at = [0] * len(programs)
    posted = {}  # eager messages on their way: when they arrive
    taken = {}  # when they were taken
    items = [[] for _ in programs]

    def note(rank, begin, end, text):
        items[rank].append(text % (begin, end))
        clock[rank] = end
        at[rank] += 1

    def current(rank):
        return programs[rank][at[rank]] if at[rank] < len(programs[rank]) else None

    def step(rank):
        call = current(rank)
        begin = clock[rank]
        if call is None:
            return False
        if call[0] == "c":
            note(rank, begin, begin + call[1], "compute %d..%d")
        elif call[0] in ("s", "bs"):
            there = posted.setdefault((rank, call[1]), [])
            if call[0] == "bs" and len(there) >= ROOM:
                return False
            room = taken.get((rank, call[1]), [0])[-1] if call[0] == "bs" else 0
            end = max(begin, room) + 1
            there.append(end)
            note(rank, begin, end, "send %%d..%%d to %d" % call[1])
        elif call[0] == "r":
            if posted.get((call[1], rank)):
                end = max(begin, posted[(call[1], rank)].pop(0)) + 1
                taken.setdefault((call[1], rank), []).append(end)
                note(rank, begin, end, "recv %%d..%%d from %d" % call[1])
            elif current(call[1]) == ("ss", rank):
                end = max(begin, clock[call[1]]) + 1
                note(call[1], clock[call[1]], end, "ssend %%d..%%d to %d" % rank)
                note(rank, begin, end, "recv %%d..%%d from %d" % call[1])
            else:
                return False
        elif call[0] == "b" and all(current(r) == call for r in range(len(programs))):
            name, *root = call[1].split(" ", 1)
            end = max(clock) + 1
            for r in range(len(programs)):
                note(r, clock[r], end, " ".join([name, "%d..%d"] + root))
        else:
            return False
        return True

    while any(step(rank) for rank in range(len(programs))):
        pass
    assert all(current(rank) is None for rank in range(len(programs))), "the program hangs"
    return "# us\n" + "".join(
        "rank %d: %s\n" % (rank, "\n  ".join(line)) for rank, line in enumerate(items)
    )


def diagnose(programs):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.trace")
        with open(path, "w", encoding="ascii") as file:
            file.write(play(programs))
        return product.diagnose(path)


def pipeline(services, n_items, send, strays=False):
    """Stages with times per item, in us, between barriers; strays: words aside from the chain."""
    last = len(services) - 1
    programs = []
    for stage, service in enumerate(services):
        program = [BARRIER]
        for _ in range(n_items):
            program += [("r", stage - 1)] if stage > 0 else []
            program += [("c", service)]
            program += [(send, stage + 1)] if stage < last else []
        programs.append(program)
    if strays:
        programs[last].append(("s", 0))
        programs[0].append(("r", last))
    return [program + [BARRIER] for program in programs]


def wavefront(width, height, n_blocks, work, directions, barrier=False):
    """Sweeps over a grid; work(rank) in us; a direction is a pair of -1, 0 and 1."""
    programs = [[] for _ in range(width * height)]
    for dx, dy in directions:
        for rank, program in enumerate(programs):
            x, y = rank % width, rank // width

            def neighbours(sign):
                found = []
                if dx != 0 and 0 <= x + sign * dx < width:
                    found.append(rank + sign * dx)
                if dy != 0 and 0 <= y + sign * dy < height:
                    found.append(rank + sign * dy * width)
                return found

            for _ in range(n_blocks):
                program += [("r", q) for q in neighbours(-1)]
                program.append(("c", work(rank)))
                program += [("s", q) for q in neighbours(1)]
            if barrier:
                program.append(BARRIER)
    return programs


# ---- what holds of every diagnosis -----------------------------------------------------------------


def is_recognised(d, pattern, members, name):
    found = d.pattern(pattern) or {"roles": {}}
    role = {"pipeline": "stage", "farm-pipeline": "stage", "wavefront": "cell"}[pattern]
    tap.ok(
        found["roles"].get(role) == members,
        "%s: a %s of %d" % (name, pattern, len(members)),
        "%s; %s" % (found, d["summary"]),
    )


def seconds_count_once(d, name):
    """The causes together cost no more than was lost."""
    run_s = d["runs"][0]["duration_s"] * d["runs"][0]["processes"]
    lost_s = run_s * (1 - d.value("run.parallel_efficiency"))
    claimed_s = sum(f["lost_s"] or 0 for f in d.causes())
    tap.ok(
        claimed_s <= lost_s * 1.0001,
        name + ": the causes cost no more than was lost",
        "%g s of %g s: %s" % (claimed_s, lost_s, [f["name"] for f in d.causes()]),
    )


def blames(d, cause, culprits, name):
    leading = d.leading()
    tap.ok(
        leading is not None and leading["name"] == cause and leading["culprits"] == culprits,
        "%s: %s of %s leads" % (name, cause, culprits or "nobody"),
        "%s; %s" % (leading, d["summary"]),
    )


def labels(n):
    return [str(i) for i in range(n)]


# ---- real runs ------------------------------------------------------------------------------------


def slow_stage(d, name, stage, service_s):
    is_recognised(d, "pipeline", labels(4), name)
    blames(d, "slow-stage", [stage], name)
    seconds_count_once(d, name)
    # built: milliseconds per element; sleeping takes up to 2 ms longer.
    for rank, want in service_s.items():
        tap.near(d.values("stage.service").get(rank), want + 1e-3, 1e-3, "%s: stage %s" % (name, rank))
    # counted: 41 messages per edge, the last of which is the end mark.
    tap.near(d.value("run.items"), 40, 0, name + ": 40 items")


def real_pipeline(d, name):
    slow_stage(d, name, "2", {"0": 0.04, "1": 0.08, "2": 0.12, "3": 0.01})
    starved = d.findings("starvation")
    held = d.findings("back-pressure")
    tap.ok([f["locations"] for f in starved] == [["3"]], name + ": rank 3 starves", starved)
    tap.ok([sorted(f["locations"]) for f in held] == [["0", "1"]], name + ": ranks 0 and 1 are held", held)
    # built: behind the bottleneck's 120 ms comes rank 1 with 80 ms; 40 items.
    tap.near(d.leading()["gain_model_s"], 40 * 0.04, 0.03, name + ": what splitting stage 2 saves")
    # The replay also knows that less is left to drain.
    tap.near(d.leading()["gain_s"], 40 * 0.04, 0.08, name + ": the same by replay")
    tap.ok("3 stages" in d.leading()["remedy"], name + ": into ceil(120 / 43) stages", d.leading())


def real_slow_first_middle(d, name):
    slow_stage(d, name, "1", {"0": 0.04, "1": 0.3, "2": 0.12, "3": 0.01})


def real_balanced(d, name):
    is_recognised(d, "pipeline", labels(4), name)
    tap.ok(d["verdict"] == "no-significant-problem", name + ": no problem", d["summary"])
    tap.near(d.value("run.bubble"), 3 / 43, 1e-5, name + ": filling and draining cost 3/43")
    seconds_count_once(d, name)


def real_lu(d, name):
    is_recognised(d, "wavefront", labels(4), name)
    tap.ok(len(d.findings("grid")) == 1, name + ": on a grid", d.findings())
    # built: planes 2 to 31 or 32 of a grid of 33, two sweeps in each of 300 steps and a first one.
    tap.near(d.value("run.blocks"), 31, 0.5, name + ": 31 blocks")
    tap.near(d.value("run.sweeps"), 602, 6, name + ": 602 sweeps")
    tap.near(d.value("run.depth"), 2, 0, name + ": 2 deep")
    tap.ok(d.value("run.fill_drain") > 0, name + ": filling and draining are quantified", d.findings())
    blames(d, "blocks-too-fine", [], name)
    seconds_count_once(d, name)


def real_quiet(d, name):
    for pattern in ("pipeline", "wavefront"):
        tap.ok(d.pattern(pattern) is None, "%s: no %s" % (name, pattern), d.pattern(pattern))


REAL = {
    "pipeline-np4": real_pipeline,
    "pipeline-slowM1-np4": real_slow_first_middle,
    "pipeline-balanced-np4": real_balanced,
    "npb-lu-W-np4": real_lu,
    "npb-lu-W-drift-np4": real_lu,
}
for quiet in (
    "mandel-mw-np4 mandel-mw-coarse-np8 mandel-mw-slowworker-np8 mandel-mw-masterslow-np8"
    " dcsort-np7 dcsort-slowleaf-np7 oddeven-np16 oddeven-slow5-np16 lulesh-np8"
    " lulesh-slow3-np8 prk-stencil-np16 prk-stencil-slow6-np16 scorep-halo scorep-halo-imb"
    " scorep-halo-skew npb-cg-W-np8 npb-is-W-np8 npb-ep-W-np8"
    " public-casita-10_scorep_mpi_tags public-casita-2_jacobi_blame_cpu_015"
).split():
    REAL[quiet] = real_quiet


# ---- made runs --------------------------------------------------------------------------------------


def made_pipelines():
    for services in ([50, 10, 10], [10, 10, 60, 20], [10, 20, 20, 20, 20, 90], [10, 20, 30, 20, 80, 20, 10]):
        for send, says in (("s", "eager"), ("bs", "buffered"), ("ss", "synchronous")):
            name = "stages of %s us, %s" % (services, says)
            slow = str(services.index(max(services)))
            d = diagnose(pipeline(services, 60, send))
            is_recognised(d, "pipeline", labels(len(services)), name)
            blames(d, "slow-stage", [slow], name)
            seconds_count_once(d, name)


def made_farms():
    """Five stages of 100 us per item; the third is shared by workers, whose items are assigned in turn."""
    for n_workers, worker, cause, culprits, wanted in (
        (3, [300, 300, 300], None, [], None),
        (3, [900, 900, 900], "slow-stage", ["2", "3", "4"], "9 workers instead of 3"),
        (2, [400, 400], "slow-stage", ["2", "3"], "4 workers instead of 2"),
        (3, [300, 1200, 300], "slow-worker", ["3"], "on request"),
    ):
        name = "a farm of %s us in a pipeline" % worker
        collector = 2 + n_workers
        programs = [[] for _ in range(collector + 2)]
        for i in range(90):
            at = 2 + i % n_workers
            path = [0, 1, at, collector, collector + 1]
            for stage, rank in enumerate(path):
                programs[rank] += [("r", path[stage - 1])] if stage > 0 else []
                programs[rank].append(("c", worker[at - 2] if rank == at else 100))
                programs[rank] += [("s", path[stage + 1])] if stage < 4 else []
        d = diagnose(programs)
        is_recognised(d, "farm-pipeline", labels(len(programs)), name)
        tap.ok(d.pattern("pipeline") is None, name + " is no chain", d.pattern("pipeline"))
        if cause is None:
            tap.ok(d["verdict"] == "no-significant-problem", name + ": no problem", d["summary"])
        else:
            blames(d, cause, culprits, name)
            tap.ok(wanted in d.leading()["fix"], name + ": " + wanted, d.leading()["fix"])
        seconds_count_once(d, name)


def made_steps_before_a_farm():
    """Steps that sum to one process and pass the sum back, and then a farm, are two phases."""
    n_workers = 3
    for name, sums in (
        ("sums to one", [("b", "reduce root 0"), ("b", "bcast root 0")]),
        ("sums to all", [("b", "allreduce")]),
    ):
        programs = [([("c", 8)] + sums) * 5 for _ in range(1 + n_workers)]
        for i in range(15):
            at = 1 + i % n_workers
            programs[0] += [("r", at), ("s", at)]
            programs[at] += [("s", 0), ("r", 0), ("c", 30)]
        for at in range(1, 1 + n_workers):
            programs[0] += [("r", at), ("s", at)]
            programs[at] += [("s", 0), ("r", 0)]
        d = diagnose(programs)
        found = {p["name"] for p in d["patterns"]} - {"message-passing"}
        tap.ok(found == {"bulk-synchronous", "master-worker"}, name + " before a farm", found)


def made_equal_stages():
    d = diagnose(pipeline([50] * 5, 100, "s", strays=True))
    is_recognised(d, "pipeline", labels(5), "equal stages, a last word")
    tap.ok(d["verdict"] == "no-significant-problem", "equal stages: no problem", d["summary"])
    d = diagnose(pipeline([50] * 5, 6, "s"))
    blames(d, "too-few-items", [], "six items in five equal stages")
    seconds_count_once(d, "six items in five equal stages")


def made_one_item():
    """One item through a chain behind a process that is late."""
    for late in (0, 1):
        programs = []
        for rank in range(4):
            take = [("r", rank - 1)] if rank > 0 else []
            give = [("s", rank + 1)] if rank < 3 else []
            own = ("c", 15000 if rank == late else 3000)
            programs.append([own] + take + [("c", 600)] + give + [("c", 9000)])
        d = diagnose(programs)
        name = "process %d of a chain is late with its only item" % late
        tap.ok(d.pattern("pipeline") is None, name + ": no pipeline", d.pattern("pipeline"))
        blames(d, "late-process", [str(late)], name)
        # built: each of those behind waits nearly 12 ms for it.
        tap.ok((d.leading() or {"lost_s": 0})["lost_s"] >= 0.011 * (3 - late), name + ": all waiting", d.leading())


def steps_of_a_chain(n_stages, n_steps, shifts, apart):
    """In each step all compute apart, one after the other (or at once, in a shift) 100 us; all meet."""
    last = n_stages - 1
    programs = []
    for rank in range(n_stages):
        take = [("r", rank - 1)] if rank > 0 else []
        give = [("s", rank + 1)] if rank < last else []
        own, work = ("c", apart[rank]), ("c", 100)
        step = [own] + (give + take + [work] if shifts else take + [work] + give)
        programs.append((step + [BARRIER]) * n_steps)
    return programs


def made_serial_chains():
    for n in (3, 4, 6):
        name = "a chain of %d in every step" % n
        d = diagnose(steps_of_a_chain(n, 30, False, [200] * n))
        blames(d, "serial-chain", [], name)
        seconds_count_once(d, name)
        # built: each waits for the 100 us of all others, which come before or after it.
        want_s = 30 * n * (n - 1) * 100e-6
        tap.near((d.leading() or {"lost_s": 0})["lost_s"], want_s, 0.05 * want_s, name + ": what it costs")
        d = diagnose(steps_of_a_chain(n, 30, True, [200] * n))
        tap.ok(d.pattern("pipeline") is None, "a shift among %d is no pipeline" % n, d.pattern("pipeline"))
    # built: waiting for the 600 us that rank 2 computes apart is no matter of the chain.
    d = diagnose(steps_of_a_chain(5, 30, False, [200, 200, 800, 200, 200]))
    claimed_s = sum(f["lost_s"] for f in d.causes() if f["name"] == "serial-chain")
    tap.ok(
        0 < claimed_s <= 1.1 * 30 * 5 * 4 * 100e-6,
        "a chain with a slow rank costs no more than the chain",
        "%g s; %s" % (claimed_s, d["summary"]),
    )


def made_wavefronts():
    shapes = {
        "2 x 3, four corners": (2, 3, [(1, 1), (-1, 1), (-1, -1), (1, -1)]),
        "1 x 5, there and back": (1, 5, [(0, 1), (0, -1)] * 2),
        "1 x 2, there and back": (1, 2, [(0, 1), (0, -1)] * 2),
        "3 x 3, opposite corners": (3, 3, [(1, 1), (-1, -1)]),
        "4 x 2, one corner, barriers": (4, 2, [(1, 1)] * 4),
    }
    for name, (width, height, directions) in shapes.items():
        n = width * height
        name = "a grid of " + name
        programs = wavefront(width, height, 12, lambda rank: 100, directions, "barriers" in name)
        d = diagnose(programs)
        is_recognised(d, "wavefront", labels(n), name)
        tap.near(d.value("run.depth"), width + height - 2, 0, name + ": its depth")
        if "four" not in name:  # there neighbours change without a turn, so a sweep has no sharp end
            tap.near(d.value("run.blocks"), 12, 0.01, name + ": its blocks")
        seconds_count_once(d, name)
        heavy = n // 2
        d = diagnose(wavefront(width, height, 40, lambda rank: 300 if rank == heavy else 100, directions))
        blames(d, "step-imbalance", [str(heavy)], name + ", one process heavy")
        seconds_count_once(d, name + ", one process heavy")


def made_full_buffers():
    """Sends into full buffers are held; the first process of all sweeps takes no block, the last gives none."""
    for name, directions in (("from one corner", [(1, 1)]), ("there and back", [(1, 1), (-1, -1)])):
        for heavy in (0, 2, 8):
            programs = wavefront(3, 3, 60, lambda rank: 2000 if rank == heavy else 1000, directions)
            d = diagnose([[("bs", c[1]) if c[0] == "s" else c for c in program] for program in programs])
            blames(d, "step-imbalance", [str(heavy)], "full buffers %s, process %d heavy" % (name, heavy))
            seconds_count_once(d, "full buffers %s, process %d heavy" % (name, heavy))


def made_two():
    """Two processes: an exchange of several messages is no sweep, whoever sends first."""
    pack, own = ("c", 100), ("c", 2000)
    for name, turns in (("at once", False), ("in turn", True)):
        programs = []
        for rank in range(2):
            give = [pack, ("s", 1 - rank)] * 3
            take = [("r", 1 - rank), pack] * 3
            programs.append(([own] + (take + give if turns and rank == 1 else give + take)) * 30)
        d = diagnose(programs)
        tap.ok(d.pattern("wavefront") is None, "two that exchange %s" % name, d.pattern("wavefront"))
        tap.ok(not d.causes(), "two that exchange %s: no problem" % name, d["summary"])


def made_fine_blocks():
    d = diagnose(wavefront(4, 1, 60, lambda rank: 2, [(1, 0), (-1, 0)] * 3))
    blames(d, "blocks-too-fine", [], "steps of 2 us, messages of 1 us at each end")
    seconds_count_once(d, "steps of 2 us")


for test in (
    made_pipelines,
    made_farms,
    made_steps_before_a_farm,
    made_equal_stages,
    made_one_item,
    made_serial_chains,
    made_wavefronts,
    made_full_buffers,
    made_two,
    made_fine_blocks,
):
    tap.guarded(test.__name__, test)
for name, test in REAL.items():
    where = product.shared_trace(name)
    if where is None:
        tap.skip(name, "no such trace here")
    else:
        tap.guarded(name, lambda: test(product.diagnose(where), name))
tap.done()
