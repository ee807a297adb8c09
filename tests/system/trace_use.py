"""Programs under marple trace, and what marple diagnose says of them that no other trace would tell."""

import os
import sys
import tempfile

import product
import traced

tap = product.Tap()
STEPS = 100
MS = 4.0


def line_of(name, text):
    """The first line of a program that has a text."""
    with open(os.path.join(traced.apps, name + ".c"), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if text in line:
                return number
    raise LookupError(text)


def diagnosed(run):
    done = product.run("diagnose", "--format", "json", run.path)
    document = product.parse(done.out)
    return document, [f for f in document["findings"] if f["kind"] == "cause"]


# ---- who is slow, and where -----------------------------------------------------------------


def check_gain(what, gain, n, factor):
    """Work sleeps: what evening it out saves is known."""
    slow = 1e-3 * STEPS * MS * factor
    even = 1e-3 * STEPS * MS * (n - 1 + factor) / n
    tap.ok(
        0.75 <= gain / (slow - even) <= 1.25,
        what + "its gain is that of the program with even work, within 25 %",
        "said %g s, is %g s" % (gain, slow - even),
    )


def slow_rank(folder, program, mpi):
    """
    Work that sleeps takes as long on a busy machine with few cores, unless those who wait keep the cores busy, as
    MPICH's do. Evened out it takes the mean of all.
    """
    n, rank, factor = 6, 3, 3.0
    for way, call in (("waitall", "MPI_Irecv(in[0]"), ("sendrecv", "MPI_Sendrecv(out[0]")):
        what = "%s, %s: " % (mpi, way)
        words = [way, "sleep", str(STEPS)]
        run = traced.Traced(folder, n, [program, *words, str(MS), str(rank), str(factor)], mpi)
        document, causes = diagnosed(run)
        # Others that keep the machine busy delay everybody, which is another cause.
        if mpi == "openmpi" and document["runs"][0]["duration_s"] > 1.2e-3 * STEPS * MS * factor:
            tap.skip(what + "a slow rank", "the machine is too busy")
            continue
        first = causes[0] if causes else {"culprits": [], "where": [], "gain_s": None}
        tap.ok(first["culprits"] == [str(rank)], what + "the slow rank is named", first)
        where = first["where"][0] if first["where"] else {}
        tap.ok(
            os.path.basename(where.get("file") or "") == "stencil.c"
            and where.get("line") == line_of("stencil", call)
            and where.get("region") == "exchange"
            and where.get("before") is True
            and where.get("share", 0) > 0.9,
            what + "with the line of the call behind its work",
            first["where"],
        )
        if mpi == "openmpi":
            check_gain(what, first["gain_s"] or 0, n, factor)


RULE = """
(defrule SYMPTOMS::places-shown
  "Where most is computed in front of a call."
  (place (run ?r) (function ?f) (line ?line) (call ?call) (calls ?n) (before ?s))
  (not (place (run ?r) (before ?more&:(> ?more ?s))))
  =>
  (assert (finding (kind observation) (name place-shown) (run ?r) (pattern "message-passing") (level 1)
                   (text (text "{} {} {} {n}" ?f ?line ?call ?n)))))
"""


def places(folder, program, mpi):
    """Rules of one's own see them as facts."""
    os.makedirs(os.path.join(folder, "known", "rules"), exist_ok=True)
    with open(os.path.join(folder, "known", "rules", "own.clp"), "w", encoding="utf-8") as file:
        file.write(RULE)
    run = traced.Traced(folder, 2, [program, "waitall", "sleep", "20", "2"], mpi)
    done = product.run("diagnose", "--format", "json", "--knowledge", os.path.join(folder, "known"), run.path)
    texts = [f["text"] for f in product.parse(done.out)["findings"] if f["name"] == "place-shown"]
    line = line_of("stencil", "MPI_Irecv(in[0]")
    tap.ok(texts == ["exchange %d MPI_Irecv 40" % line], "%s: places are facts" % mpi, str(texts) + str(done))


# ---- cores ------------------------------------------------------------------------------------


def cores(folder, program, mpi):
    n = 4 * (os.cpu_count() or 1)
    allowed = len(os.sched_getaffinity(0))
    what = "%s: " % mpi
    words = ["sendrecv", "compute", "60", "5"]
    _, causes = diagnosed(traced.Traced(folder, n, [program, *words], mpi))
    first = causes[0] if causes else {"name": "", "headline": ""}
    share = 0.0
    if "descheduled" in first["headline"]:
        share = float(first["headline"].split("descheduled ")[1].split(" %")[0]) / 100
    plural = "s" if allowed > 1 else ""
    tap.ok(
        first["name"] == "oversubscribed"
        and first["certainty"] != "doubtful"
        and ("%d processes share %d core%s: they were descheduled" % (n, allowed, plural)) in first["headline"],
        what + "more processes than cores are a fact",
        first,
    )
    tap.ok(share > 0.2, what + "with the share of time without a core", first["headline"])
    tap.ok(
        all(f["certainty"] != "sure" for f in causes[1:]),
        what + "nothing else is sure then",
        [(f["name"], f["certainty"]) for f in causes],
    )
    _, causes = diagnosed(traced.Traced(folder, n, [program, *words, "3", "3"], mpi))
    sure = [f["culprits"] for f in causes if f["certainty"] != "doubtful" and f["culprits"]]
    is_named = what + "but who works three times as long by its CPU time is named"
    if sure:
        tap.ok(all(who == ["3"] for who in sure), is_named, [(f["name"], f["culprits"]) for f in causes])
    else:
        # How ranks were scheduled may hide it from the rules, which then say so.
        tap.skip(is_named, "the machine is too busy")
    words = ["sendrecv", "sleep", "60", "5"]
    document, causes = diagnosed(traced.Traced(folder, n, [program, *words], mpi))
    tap.ok(
        not any("descheduled" in f["headline"] for f in causes) and document["runs"][0]["records"]["cpu-time"],
        what + "processes that sleep have cores enough",
        [f["headline"] for f in causes],
    )


# ---- who takes whatever comes first -------------------------------------------------------------


def turns(folder, program, mpi):
    """What an order costs is another matter where MPICH's processes keep all cores busy while they wait."""
    what = "%s: " % mpi
    n = 5 if mpi == "openmpi" else 3
    named = traced.Traced(folder, n, [program, "named", "100"], mpi)
    _, causes = diagnosed(named)
    orders = [f for f in causes if f["name"] in ("out-of-turn", "fixed-order-collection")]
    line = line_of("turns", "MPI_Recv(&request")
    if mpi == "openmpi":
        tap.ok(
            orders and all(f["where"] and f["where"][0]["line"] == line for f in orders),
            what + "a fixed order is reported, with the line of its receive",
            causes,
        )
    races = product.run("order", "races", named.path).out
    tap.ok("No receive could have met" in races, what + "where senders are named nothing may have come first", races)
    taken = traced.Traced(folder, n, [program, "any", "100"], mpi)
    _, causes = diagnosed(taken)
    tap.ok(
        not any(f["name"] in ("out-of-turn", "fixed-order-collection") for f in causes),
        what + "who takes whatever comes first is not said to have an order",
        causes,
    )
    races = product.run("order", "races", taken.path).out
    tap.ok(
        "as they asked for any" in " ".join(races.split()) and "possible" not in races,
        what + "and its receives could have met others for certain",
        races,
    )


# ---- runs that do not end ---------------------------------------------------------------------------


def deadlock(folder, program, mpi):
    what = "%s: " % mpi
    run = traced.Traced(folder, 3, [program, "deadlock"], mpi, limit_s=4)
    document, causes = diagnosed(run)
    first = causes[0] if causes else {"name": "", "text": "", "headline": "", "where": []}
    tap.ok(
        first["name"] == "deadlock" and first["certainty"] == "sure" and document["verdict"] == "problems",
        what + "a deadlock leads, and is sure",
        first,
    )
    tap.ok(
        "wait in MPI_Recv; 0 waits for 1, 1 for 2 and 2 for 0" in first["headline"],
        what + "its circle is named",
        first["headline"],
    )
    line = line_of("ends", "MPI_Recv(")
    tap.ok(
        "it waits for 1 with tag 7" in first["text"] and "ends.c:%d" % line in first["text"],
        what + "with tags and lines",
        first["text"],
    )
    tap.ok([w.get("line") for w in first["where"]] == [line], what + "as the place in JSON", first["where"])


def pair(folder, program, mpi):
    """More processes wait in the barrier than in the circle, which is the cause all the same."""
    _, causes = diagnosed(traced.Traced(folder, 5, [program, "pair"], mpi, limit_s=4))
    first = causes[0] if causes else {"name": "", "where": []}
    tap.ok(
        first["name"] == "deadlock"
        and first["culprits"] == ["0", "1"]
        and [(w["line"], w["call"]) for w in first["where"]] == [(line_of("ends", "1 - rank, 5"), "MPI_Recv")],
        "%s: the place of a deadlock is that of its circle" % mpi,
        first,
    )


def aborted(folder, program, mpi):
    _, causes = diagnosed(traced.Traced(folder, 3, [program, "abort"], mpi))
    first = causes[0] if causes else {"name": "", "where": []}
    tap.ok(
        first["name"] == "aborted"
        and first["culprits"] == ["2"]
        and [(w["line"], w["call"]) for w in first["where"]] == [(line_of("ends", "MPI_Abort("), "MPI_Abort")],
        "%s: who aborts a run is named, and where" % mpi,
        first,
    )


def ends_well(folder, program, mpi):
    for how in ("well", "exit", "fork"):
        _, causes = diagnosed(traced.Traced(folder, 3, [program, how], mpi))
        tap.ok(
            not any(f["name"] in ("aborted", "deadlock", "hang") for f in causes),
            "%s, %s: no run that ends is said to stand still" % (mpi, how),
            [f["headline"] for f in causes],
        )


def main():
    with tempfile.TemporaryDirectory() as folder:
        for mpi in traced.MPIS:
            lack = traced.missing(mpi)
            if lack is not None:
                tap.skip("%s: what a trace tells is used" % mpi, lack)
                continue
            stencil = traced.build(folder, "stencil", mpi)
            farm = traced.build(folder, "turns", mpi)
            ends = traced.build(folder, "ends", mpi, "-pthread")
            for test, program in (
                (slow_rank, stencil),
                (places, stencil),
                (cores, stencil),
                (turns, farm),
                (deadlock, ends),
                (pair, ends),
                (aborted, ends),
                (ends_well, ends),
            ):
                tap.guarded("%s: %s" % (mpi, test.__name__), test, folder, program, mpi)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
