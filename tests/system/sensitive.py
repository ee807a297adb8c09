"""
What is said of clocks, against brute force: two ranks whose clocks messages tell apart only to so
many microseconds, and the same run with one rank shifted by hand to either end of that.
"""

import os
import tempfile

import product

tap = product.Tap()

ROUNDS = 20
START_US = 10000


def late_sender(room_us, wait_us, shift_us=0, clocks=()):
    """
    Rank 1 waits in every round; each message, and each answer, comes room_us after it was sent.
    So the messages allow rank 1 to be shifted by room_us either way, and by no more.
    """
    ranks = ([], [])
    for k in range(ROUNDS):
        t = START_US + k * (31 + wait_us + 2 * room_us)
        send = t + 30 + wait_us
        answer = send + room_us
        ranks[0].append("compute %d..%d" % (t, send))
        ranks[0].append("send %d..%d to 1" % (send, send + 1))
        ranks[0].append("recv %d..%d from 1" % (answer + room_us // 2, answer + room_us))
        t, ready, answer = (at + shift_us for at in (t, t + 30, answer))
        ranks[1].append("compute %d..%d" % (t, ready))
        ranks[1].append("recv %d..%d from 0" % (ready, answer))
        ranks[1].append("send %d..%d to 0" % (answer, answer + 1))
    lines = ["unit us"] + ["clock %d %+dus" % clock for clock in clocks]
    return "\n".join(lines + ["rank %d: %s" % (r, "\n  ".join(ranks[r])) for r in (0, 1)]) + "\n"


def diagnose(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.trace")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return product.diagnose(path)


def key(finding):
    return (finding["kind"], finding["name"], finding["locations"], finding["culprits"])


def is_beyond(finding, others):
    """Whether it costs less or more, on a shifted trace, than the clocks' bounds allow."""
    lost = [f["lost_s"] for d in others for f in d["findings"] if key(f) == key(finding)]
    low, high = finding["clock_low_s"], finding["clock_high_s"]
    return low is not None and any(not low - 1e-9 <= s <= high + 1e-9 for s in lost)


def bounds_hold(room_us, wait_us):
    name = "%d us of waiting against %d us of clock error" % (wait_us, room_us)
    d = diagnose(late_sender(room_us, wait_us, clocks=[(1, 700)]))
    others = [diagnose(late_sender(room_us, wait_us, shift_us=s)) for s in (-room_us, room_us)]
    bound = max(c["error_bound_s"] for c in d["runs"][0]["clock"]["locations"])
    tap.near(bound, room_us * 1e-6, 1e-8, name + ": the clocks are known that well")
    tap.empty(
        ["%s %s" % (f["name"], f["culprits"]) for f in d["findings"] if is_beyond(f, others)],
        name + ": nothing costs less or more than is said",
    )
    return d


def is_marked(d, name):
    return [f["clock_sensitive"] for f in d.findings(name)]


def late_senders():
    d = bounds_hold(50, 30)
    tap.ok(is_marked(d, "waiting") == [True], "a loss within the bound is marked")
    d = bounds_hold(4, 200)
    tap.ok(is_marked(d, "waiting") == [False], "a loss far beyond the bound is not")
    for room_us, wait_us in ((8, 30), (20, 60), (20, 200), (100, 40)):
        bounds_hold(room_us, wait_us)


def one_clock_is_certain():
    d = diagnose(late_sender(50, 30))
    tap.ok(d["runs"][0]["clock"]["source"] == "single", "without clock lines there is one clock")
    tap.ok(not any(f["clock_sensitive"] for f in d["findings"]), "and nothing is marked")


def common_shifts_do_not_matter():
    """All clocks ahead by the same: the same time line, whatever its origin."""
    alone = diagnose(late_sender(50, 30, clocks=[(1, 700)]))
    both = diagnose(late_sender(50, 30, clocks=[(0, 5000), (1, 5700)]))
    tap.ok(alone["findings"] == both["findings"], "clocks that are wrong together change nothing")


def shipped_traces():
    for path in product.all_traces(with_broken=False):
        name = os.path.basename(path)
        d = product.diagnose(path)
        marked = ["%s %s" % (f["id"], f["name"]) for f in d["findings"] if f["clock_sensitive"]]
        bounds = [c["error_bound_s"] for r in d["runs"] for c in r["clock"]["locations"]]
        tap.remark("%s: %s" % (name, ", ".join(marked) if marked else "nothing is sensitive"))
        if None not in bounds and max(bounds, default=1) == 0:
            tap.ok(not marked, name + ": with one clock nothing is sensitive", marked)
        longest = max([f["lost_s"] or 0 for f in d["findings"]], default=0)
        if None not in bounds and max(bounds, default=1) < 1e-6 and longest > 0.5:
            tap.ok(not marked, name + ": a microsecond matters to nothing", marked)


tap.guarded("late senders", late_senders)
tap.guarded("one clock", one_clock_is_certain)
tap.guarded("common shifts", common_shifts_do_not_matter)
tap.guarded("traces", shipped_traces)
tap.done()
