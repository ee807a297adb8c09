"""The case studies of the EventSpace paper (section 5) with known truth, asked of marple view."""

import os
import random
import tempfile

import product

tap = product.Tap()


def view(name, trace, *options):
    """The rows of a view, each a dictionary."""
    document = product.parse(product.run("view", name, trace, "--format", "json", *options).out)
    names = [c["name"] for c in document["columns"]]
    return [dict(zip(names, row)) for row in document["rows"]]


def write(folder, name, lines):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return path


# ---- 5.2: barriers of 32 threads on 4 nodes, and Q waits longer --------------------------------------

N_NODES, PER_NODE, N_BARRIERS, Q = 4, 8, 1000, 11


def draw_barriers():
    """Arrivals in microseconds; Q waits 0 to 8 s, the others 0 to 2 s."""
    dice = random.Random(20260703)
    n = N_NODES * PER_NODE
    at = 0
    arrivals = []
    for _ in range(N_BARRIERS):
        arrival = [at + dice.randrange(8000000 if t == Q else 2000000) for t in range(n)]
        arrivals.append(arrival)
        at = max(arrival) + 100
    return arrivals


def write_barriers(folder, arrivals, has_two_levels):
    """In one barrier of all; or in one per node, one of their first threads, and the node's again."""
    lines = ["# us."]
    for node in range(N_NODES):
        members = f"{node * PER_NODE}..{node * PER_NODE + PER_NODE - 1}"
        lines += [f"host n{node}: {members}", f"comm node{node}: {members}"]
    lines.append("comm roots: " + " ".join(str(node * PER_NODE) for node in range(N_NODES)))
    for t in range(N_NODES * PER_NODE):
        node = t // PER_NODE
        line = f"rank {t}:"
        for arrival in arrivals:
            end = max(arrival) + 100
            local = max(arrival[node * PER_NODE : (node + 1) * PER_NODE]) + 10
            if not has_two_levels:
                line += f" barrier {arrival[t]}..{end}"
                continue
            line += f" barrier {arrival[t]}..{local} comm node{node}"
            if t % PER_NODE == 0:
                line += f" barrier {local}..{end - 50} comm roots"
            line += f" barrier {end - 50 if t % PER_NODE == 0 else local + 1}..{end} comm node{node}"
        lines.append(line)
    return write(folder, "barrier%d.trace" % has_two_levels, lines)


def last_of(values):
    """The index of the largest; none where two are equal."""
    most = max(values)
    return values.index(most) if values.count(most) == 1 else None


def test_barrier(folder):
    arrivals = draw_barriers()
    nodes = [[a[n * PER_NODE : (n + 1) * PER_NODE] for n in range(N_NODES)] for a in arrivals]
    of_node = sum(last_of(x[Q // PER_NODE]) == Q % PER_NODE for x in nodes)
    of_all = sum(last_of([max(node) for node in x]) == Q // PER_NODE for x in nodes)
    rows = view("last", write_barriers(folder, arrivals, False))
    found = {(r["group"], r["who"]): r for r in rows}
    node = f"n{Q // PER_NODE}"
    tap.ok(found[node, str(Q)]["last"] == of_node, f"barrier: Q is the last of its node {of_node} times")
    tap.ok(found["hosts", node]["last"] == of_all, f"barrier: its node is the last one {of_all} times")
    tap.near(found[node, str(Q)]["share"], 0.781, 0.04, "barrier: about 78.1 %, as one expects")
    tap.near(found["hosts", node]["share"], 0.813, 0.04, "barrier: about 81.3 %, as one expects")
    everybody = [
        sum(last_of(x[t // PER_NODE]) == t % PER_NODE for x in nodes) for t in range(N_NODES * PER_NODE)
    ]
    tap.ok(
        everybody == [found[f"n{t // PER_NODE}", str(t)]["last"] for t in range(N_NODES * PER_NODE)],
        "barrier: each thread is as often the last of its node as the log says",
    )
    waited = sum(sum(max(a) - x for x in a) for a in arrivals) / 1e6
    total = sum(r["wait"] for r in view("collectives", os.path.join(folder, "barrier0.trace")))
    tap.near(total, waited, 1e-6, "barrier: waits are those of the log")

    rows = view("last", write_barriers(folder, arrivals, True))
    roots = {r["who"]: r for r in rows if r["communicator"] == "roots" and r["group"] == "all"}
    first = str(Q // PER_NODE * PER_NODE)
    tap.ok(roots[first]["last"] == of_all, f"barrier of two levels: its node is last {of_all} times")
    instances = view("collectives", os.path.join(folder, "barrier1.trace"), "--comm", f"node{Q // PER_NODE}")
    n = sum(r["last"] == str(Q) for r in instances[::2])
    tap.ok(n == of_node, f"barrier of two levels: Q is the last of its node {of_node} times", n)


# ---- 5.1: a wavefront in a row of 96 threads ---------------------------------------------------------

N_THREADS, N_STEPS, HIT = 96, 500, 400
COMPUTE, SLOW_TOP, SLOW_BOTTOM, CALL = 10000, 500, 2500, 2


def write_row(folder, name, n_threads, compute_of):
    """Threads in a row, each with its two neighbours. Also returned: which of them thread 20 waits for in which step, and
    when the last one is done with each step, in seconds."""
    log = []
    done = [0]
    at = [0] * n_threads
    lines = [f"rank {t}:" for t in range(n_threads)]
    for step in range(1, N_STEPS + 1):
        written = []
        for t in range(n_threads):
            c = compute_of(t, step)
            others = [o for o in (t - 1, t + 1) if 0 <= o < n_threads]
            lines[t] += f" compute {at[t]}..{at[t] + c}"
            at[t] += c
            times = {}
            for o in others:
                lines[t] += f" send {at[t]}..{at[t] + CALL} to {o}"
                times[o] = at[t]
                at[t] += CALL
            written.append(times)
        for t in range(n_threads):
            for o in (t - 1, t + 1):
                if 0 <= o < n_threads:
                    end = max(at[t], written[o][t] + CALL) + CALL
                    if t == 20 and written[o][t] > at[t]:
                        log.append((step, o))
                    lines[t] += f" recv {at[t]}..{end} from {o}"
                    at[t] = end
        done.append(max(at) / 1e6)
    return write(folder, name, ["# us."] + lines), log, done


def write_tunnel(folder):
    """Thread 0 is a little slow, so in the end all wait for the one above. From a step on the last one is
    slower, and that comes upwards a thread a step, once it has used up by how much the last one is ahead
    of the first: 150 times SLOW_TOP, seen from thread 20. Also returned: since when that waits for the one
    below, by the log, and when steps are done."""
    begin = HIT - (N_THREADS - 1 - 20) - 150 * SLOW_TOP // (SLOW_BOTTOM - SLOW_TOP)

    def compute_of(t, step):
        slow = SLOW_BOTTOM if t == N_THREADS - 1 and step >= begin else 0
        return COMPUTE + slow + (SLOW_TOP if t == 0 else 0)

    path, log, done = write_row(folder, "tunnel.trace", N_THREADS, compute_of)
    return path, max(step for step, o in log if o == 19) + 1, done


def test_threads_per_processor(folder, path, done):
    """The same work with a quarter of the threads: 5 % slower at 200 steps, since no other thread computes while one waits, and as
    fast within 2.5 % at 500, since no wavefront comes."""
    step_us = round(1.05 * done[200] / 200 * 1e6) - 4 * CALL
    one, _, alone = write_row(folder, "tunnel1.trace", N_THREADS // 4, lambda t, step: step_us)

    def found(trace):
        """When the last thread is done with each step."""
        ends = {}
        for r in view("steps", trace):
            ends[r["step"]] = max(ends.get(r["step"], 0), r["begin"] + r["time"])
        return ends

    four, one = found(path), found(one)
    last = min(max(four), max(one))
    for step, ratio, off in ((200, 1.05, 0.005), (last, 1.0, 0.025)):
        tap.near(one[step] / four[step], ratio, off, f"wind tunnel: 1 against 4 threads per processor at {step} steps")
        tap.near(one[step] / four[step], alone[step] / done[step], 0.005, f"wind tunnel: the log says so at {step} steps")
    tap.ok(last >= N_STEPS - 1, "wind tunnel: both have all steps", last)
    early, late = four[200] / 200, (four[last] - four[HIT]) / (last - HIT)
    tap.near(late / early, 1 + (SLOW_BOTTOM - SLOW_TOP) / (COMPUTE + SLOW_TOP), 0.02, "wind tunnel: steps behind 400 are slower")


def test_tunnel(folder):
    path, hit, done = write_tunnel(folder)
    test_threads_per_processor(folder, path, done)
    (found,) = view("changes", path, "--locations", "20")
    tap.ok(
        (found["waits_for"], found["then_for"]) == ("19", "21"),
        "wind tunnel: thread 20 waits for the one above, then for the one below",
        found,
    )
    tap.near(found["step"], HIT, 1, "wind tunnel: from step 400 on, or the one before or behind it")
    tap.near(found["step"], hit, 1, f"wind tunnel: the log says {hit}")
    tap.ok(found["share"] > 0.99, "wind tunnel: that is nearly all of its waiting", found)
    apart = view("neighbours", path)
    tap.ok(
        len(apart) == N_THREADS - 1 and max(max(r["ahead"], r["behind"]) for r in apart) == 1,
        "wind tunnel: neighbours are at most one step apart",
    )
    reads = view("lines", path, "--locations", "20")

    def of_steps(peer, first, last):
        return sum(r["read"] for r in reads if r["peer"] == peer and first <= r["step"] <= last)

    tap.ok(
        of_steps("19", 300, 395) > 5 * of_steps("21", 300, 395)
        and of_steps("21", 405, 498) > 5 * of_steps("19", 405, 498),
        "wind tunnel: the two lines of Fig. 6 cross there",
    )
    steps = [r["time"] for r in view("steps", path, "--locations", "20")]
    before, behind = (sum(steps[a:b]) / (b - a) for a, b in ((300, 390), (410, 490)))
    tap.near(behind / before, 1 + (SLOW_BOTTOM - SLOW_TOP) / (COMPUTE + SLOW_TOP), 0.02, "wind tunnel: steps are slower behind it")


# ---- 5.3: ELCIRC, where all wait for p01 ---------------------------------------------------------------


def write_elcirc(folder):
    """Each of four threads writes to the others, then reads from them; p01 computes longest."""
    compute = [9000, 2000, 2300, 2600]
    at = [0] * 4
    lines = [f"rank {t}:" for t in range(4)]
    for _ in range(200):
        written = [{} for _ in range(4)]
        for t in range(4):
            lines[t] += f" compute {at[t]}..{at[t] + compute[t]}"
            at[t] += compute[t]
            for o in [o for o in range(4) if o != t]:
                lines[t] += f" send {at[t]}..{at[t] + 20} to {o}"
                written[t][o] = at[t]
                at[t] += 20
        for t in range(4):
            for o in [o for o in range(4) if o != t]:
                end = max(at[t], written[o][t]) + 22
                lines[t] += f" recv {at[t]}..{end} from {o}"
                at[t] = end
    return write(folder, "elcirc.trace", ["# us."] + lines)


def test_elcirc(folder):
    path = write_elcirc(folder)
    rows = view("waits", path)
    first = {}
    for r in rows:
        first.setdefault(r["location"], r)
    tap.ok(
        all(first[t]["waits_for"] == "0" and first[t]["share"] > 0.9 for t in "123"),
        "ELCIRC: all wait for p01",
        first,
    )
    threads = {r["location"]: r for r in view("threads", path)}
    tap.ok(
        threads["0"]["p2p"] < 0.1 * threads["0"]["time"]
        and all(threads[t]["p2p"] > 0.5 * threads[t]["time"] for t in "123"),
        "ELCIRC: p01 hardly communicates, the others most of the time",
    )
    reads = [r for r in view("lines", path, "--locations", "1") if r["peer"] == "2" and r["reads"]]
    read = sum(r["read"] for r in reads) / sum(r["reads"] for r in reads)
    write_time = sum(r["write"] for r in reads) / sum(r["writes"] for r in reads)
    tap.near(read / write_time, 22 / 20, 0.02, "ELCIRC: p02 reads from p03 about as fast as it writes")


# ---- real runs ---------------------------------------------------------------------------------------------


def test_given(name, test):
    path = product.shared_trace(name)
    if path is None:
        tap.skip(name, "not there")
    else:
        tap.guarded(name, test, path)


def test_oddeven(path):
    for waiting in ("4", "6"):
        late = [r for r in view("messages", path) if (r["from"], r["to"]) == ("5", waiting) and r["wait"] > 0.005]
        tap.ok(len(late) == 153, f"oddeven-slow5: {waiting} waits for 5 in 153 iterations", len(late))
    at_barrier = {r["location"]: r["collective"] for r in view("waits", path) if r["waits_for"] == "5"}
    tap.ok(
        len(at_barrier) == 15 and min(at_barrier.values()) > 1.5, "oddeven-slow5: all wait for it at barriers", at_barrier
    )


def test_mandel(path):
    rows = [r for r in view("waits", path) if r["location"] != "0"]
    tap.ok(
        sorted({r["location"] for r in rows}) == list("1234567")
        and all(r["share"] > 0.99 for r in rows if r["waits_for"] == "0"),
        "mandel-mw-masterslow: workers wait for rank 0",
        rows,
    )


def test_stencil(path):
    begins = {}
    for r in view("steps", path, "--to", "0.1"):
        if r["step"] == 5:
            x = int(r["location"])
            begins.setdefault(abs(x // 4 - 1) + abs(x % 4 - 2), []).append(r["begin"])
    means = [sum(begins[hops]) / len(begins[hops]) for hops in sorted(begins)]
    tap.ok(
        len(means) == 5 and means == sorted(means, reverse=True),
        "prk-stencil-slow6: the delay has come the less far, the farther from rank 6",
        means,
    )
    behind = {r["behind_it"] for r in view("waiting", path) if r["waits_for"]}
    tap.ok(behind == {"6"}, "prk-stencil-slow6: where most wait, rank 6 is behind all of them", behind)


def test_lulesh(path):
    for name in ("waits", "threads", "steps", "timeline", "paths"):
        answer = product.run("view", name, path)
        tap.ok("receives are not recorded" in answer.out, f"lulesh: {name} says that receives are missing")
    rows = view("threads", path)
    tap.ok(all(r["late_sender"] is None for r in rows), "lulesh: waits for messages are not known, not 0")


with tempfile.TemporaryDirectory() as scratch:
    for study in (test_barrier, test_tunnel, test_elcirc):
        tap.guarded(study.__name__, study, scratch)
test_given("oddeven-slow5-np16", test_oddeven)
test_given("mandel-mw-masterslow-np8", test_mandel)
test_given("prk-stencil-slow6-np16", test_stencil)
test_given("lulesh-np8", test_lulesh)
tap.done()
