"""Relations that hold for any two runs, and faults put into programs, one at a time."""

import json
import os
import re
import shutil
import tempfile

from jsonschema import Draft202012Validator

import product
import programs

tap = product.Tap()

N_RANKS = 6
N_STEPS = 20
N_FAULTS = 500 if os.environ.get("MARPLE_TESTS") == "full" else 60
LEAST_FOUND = 0.95


class Notebook:
    """Traces in a directory of their own, and answers about two of them."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(product.top, "doc", "diff.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        Draft202012Validator.check_schema(schema)
        self.validator = Draft202012Validator(schema)
        self.wrong = []

    def write(self, name, text):
        path = os.path.join(self.folder, name + ".trace")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def ask(self, base, new):
        answer = product.run("diff", "--format", "json", base, new)
        document = product.parse(answer.out)
        self.wrong += [str(e.message)[:200] for e in self.validator.iter_errors(document)]
        return document


def renumbered(program, where):
    """The same program with other ranks: rank r becomes where[r]."""

    def call(c):
        if c[0] in ("send", "isend", "recv", "irecv", "bcast", "reduce"):
            return (c[0], where[c[1]], *c[2:])
        return c

    result = [None] * len(program)
    for rank, steps in enumerate(program):
        result[where[rank]] = [[call(c) for c in step] for step in steps]
    return result


def found(document):
    return [(s["location"], s["from_step"]) for s in document["suspects"]]


def test_relations(book, name):
    base = programs.PROGRAMS[name](N_RANKS, N_STEPS)
    seed = next(s for s in range(1000) if (programs.fault(base, s) or " " * 4)[3] == "swap")
    faulty, rank, _, _ = programs.fault(base, seed)
    a = book.write("a", programs.trace(base))
    b = book.write("b", programs.trace(faulty))
    there = book.ask(a, b)
    back = book.ask(b, a)

    tap.ok(book.ask(a, a)["verdict"] == "SAME", name + ": a run differs in nothing from itself")
    tap.ok(there["verdict"] == "DIFFERENT", name + ": a swap is found", there)
    # Whoever hangs in one of the runs is first in both directions only if the fault is.
    tap.ok(there["suspects"][0] == back["suspects"][0], name + ": the mirror image blames the same", (there, back))

    where = [(r * 5 + 2) % N_RANKS for r in range(N_RANKS)]
    c = book.write("c", programs.trace(renumbered(base, where)))
    d = book.write("d", programs.trace(renumbered(faulty, where)))
    moved = found(book.ask(c, d))
    tap.ok(
        moved[0][0] == str(where[rank]) and sorted(str(where[int(r)]) for r, _ in found(there)) == sorted(r for r, _ in moved),
        name + ": renumbered ranks renumber the answer",
        moved,
    )

    slow = book.write("slow", programs.trace(base).replace("# us", "# ms"))
    answer = book.ask(a, slow)
    tap.ok(answer["verdict"] == "SLOWER" and answer["changes"] == [], name + ": times are no structure", answer)
    shifted = programs.trace(faulty) + "".join("clock %d %+dms\n" % (r, 7 * r) for r in range(N_RANKS))
    document = book.ask(a, book.write("shifted", shifted))
    tap.ok(found(document) == found(there), name + ": clocks change nothing", found(document))


def test_faults(book):
    """The right rank first, and the right iteration, in 95 of 100."""
    bases = {n: make(N_RANKS, N_STEPS) for n, make in programs.PROGRAMS.items()}
    paths = {n: book.write("base-" + n, programs.trace(p)) for n, p in bases.items()}
    names = sorted(bases)
    missed, seed, n = [], 0, 0
    late = []
    while n < N_FAULTS:
        name = names[seed % len(names)]
        made = programs.fault(bases[name], seed)
        seed += 1
        if made is None:
            continue
        n += 1
        program, rank, step, kind = made
        answer = found(book.ask(paths[name], book.write("new", programs.trace(program))))
        what = "%s, seed %d: %s in rank %d, step %d: %s" % (name, seed - 1, kind, rank, step, answer[:2])
        if not answer or answer[0][0] != str(rank):
            missed.append(what)
        elif answer[0][1] != step:
            late.append(what)
    tap.ok(len(missed) <= (1 - LEAST_FOUND) * n, "%d of %d faults: the right rank first" % (n - len(missed), n), missed)
    tap.ok(
        len(missed) + len(late) <= (1 - LEAST_FOUND) * n,
        "%d of %d faults: and the right iteration" % (n - len(missed) - len(late), n),
        late,
    )


def test_real(book):
    for path in product.all_traces():
        document = book.ask(path, path)
        is_usable = product.run("check", path).status == 0
        tap.ok(
            document["verdict"] == ("SAME" if is_usable else "NOT COMPARABLE"),
            os.path.basename(path) + ": a run differs in nothing from itself",
            document["reason"],
        )


def test_other_program(book):
    paths = [product.shared_trace(name) for name in ("npb-is-W-np8", "mandel-mw-np8")]
    if None in paths:
        tap.skip("other programs are not comparable", "the traces are not there")
        return
    document = book.ask(*paths)
    tap.ok(document["verdict"] == "NOT COMPARABLE", "what all programs call has no say", document["reason"])


def test_small_difference():
    # built: the same program with other clocks; its run takes 7 % longer, in waits.
    paths = [product.shared_trace(name) for name in ("npb-lu-W-np4", "npb-lu-W-drift-np4")]
    if None in paths:
        tap.skip("too little for a verdict is said", "the traces are not there")
        return
    text = " ".join(product.run("diff", *paths).out.split())
    tap.ok(
        text.startswith("SAME") and "(7 %) longer, in waits and communication" in text,
        "too little for a verdict is said",
        text,
    )


def test_roles(book):
    """As many rows of the same picture are computed by 3 workers and by 7."""
    paths = [os.path.join(product.shared, n) for n in ("mandel-mw-np4", "mandel-mw-np8")]
    if not all(os.path.isdir(p) for p in paths):
        tap.skip("roles", "no real traces")
        return
    document = book.ask(*paths)
    roles = {len(r["new"]["locations"]): [r[s] for s in ("base", "new")] for r in document["roles"] or []}
    workers = roles.get(7)
    tap.ok(
        document["verdict"] == "FASTER" and len(roles) == 2 and len(workers[0]["locations"]) == 3,
        "roles: a master, and 3 and 7 workers",
        roles,
    )
    # built: 401 rows of some 10 ms.
    sums = [w["computed_all_s"] for w in workers]
    tap.ok(abs(sums[0] / sums[1] - 1) < 0.02, "roles: 3 and 7 workers compute the same picture", sums)


def test_sizes(book):
    """Programs of other numbers of processes have the same roles, but for chains of two, which have no middle."""
    sizes = (2, 3, 4, 6, 8, 9, 16)
    wrong, refused, n = [], [], 0
    for name, make in sorted(programs.PROGRAMS.items()):
        paths = {k: book.write("size-%d" % k, programs.trace(make(k, 8 + k % 3))) for k in sizes}
        for base in sizes:
            for new in [k for k in sizes if k != base]:
                verdict = book.ask(paths[base], paths[new])["verdict"]
                n += 1
                if verdict == "DIFFERENT":
                    wrong.append((name, base, new))
                if (verdict == "NOT COMPARABLE") != (name == "pipeline" and 2 in (base, new)):
                    refused.append((name, base, new, verdict))
    tap.empty(wrong, "%d pairs of other sizes: no difference in structure" % n)
    tap.empty(refused, "%d pairs of other sizes: refused are chains without a middle" % n)


def test_faults_by_role(book):
    """Of faults that change which calls are made behind which, most are seen; other sizes and roots are not compared."""
    missed, n = [], 0
    for name, make in sorted(programs.PROGRAMS.items()):
        base = book.write("small", programs.trace(make(8, 12)))
        program = make(16, 12)
        for seed in range(40):
            made = programs.fault(program, seed)
            if made is not None and made[3] not in ("bytes", "root"):
                n += 1
                if book.ask(base, book.write("new", programs.trace(made[0])))["verdict"] != "DIFFERENT":
                    missed.append((name, seed, made[3]))
    tap.ok(len(missed) <= 0.25 * n, "%d of %d faults in other sizes are seen" % (n - len(missed), n), missed)


def main():
    folder = tempfile.mkdtemp()
    try:
        book = Notebook(folder)
        for name in sorted(programs.PROGRAMS):
            tap.guarded(name, test_relations, book, name)
        tap.guarded("faults", test_faults, book)
        tap.guarded("real runs", test_real, book)
        tap.guarded("roles", test_roles, book)
        tap.guarded("other sizes", test_sizes, book)
        tap.guarded("faults by role", test_faults_by_role, book)
        tap.guarded("other programs", test_other_program, book)
        tap.guarded("small differences", test_small_difference)
        tap.empty(book.wrong, "all answers are valid")
        tap.ok(list(book.validator.iter_errors({"schema": "marple-diff/1"})), "refused: no verdict")
    finally:
        shutil.rmtree(folder)
    tap.done()


main()
