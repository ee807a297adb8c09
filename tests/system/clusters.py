"""Hierarchical clusters against SciPy's: seven linkages, with and without equal distances, and all cuts."""

import os
import subprocess
import warnings

import numpy
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

import product

tap = product.Tap()
tool = os.path.join(os.environ["top_builddir"], "tests", "tools", "cluster_table")

LINKAGES = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
N_MATRICES = 1000
# Centroid and median take the nearest of all pairs each time; SciPy's choice among equal ones is another.
FOLLOWS_CHAINS = ("complete", "average", "weighted", "ward")


def points(rng, n):
    """Euclidean distances, all different."""
    at = rng.random((n, 3))
    return numpy.sqrt(((at[:, None] - at[None]) ** 2).sum(axis=2))


def grid(rng, n):
    """Points on a coarse grid: many distances are equal, some are 0."""
    at = rng.integers(0, 4, (n, 2))
    return numpy.sqrt(((at[:, None] - at[None]) ** 2).sum(axis=2).astype(float))


def jaccard(rng, n):
    """1 - Jaccard's index of sets, from the sets."""
    sets = [{i for i in range(8) if rng.random() < 0.5} for _ in range(n)]
    return numpy.array(
        [[1 - len(a & b) / len(a | b) if a | b else 0.0 for b in sets] for a in sets]
    )


def ask(cases):
    """Per case its merges, and per number of clusters the clusters of all items, or None."""
    text = "".join(
        "%s %d\n%s\n" % (name, len(d), " ".join("%.17g" % x for x in d.ravel())) for name, d in cases
    )
    lines = iter(
        subprocess.run([tool], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    )
    for _, d in cases:
        merges = [[float(x) for x in next(lines).split()] for _ in range(len(d) - 1)]
        cuts = [next(lines) for _ in range(len(d))]
        yield numpy.array(merges), [None if c == "-" else [int(x) for x in c.split()] for c in cuts]


def same_partition(a, b):
    a, b = list(a), list(b)
    return len(set(zip(a, b))) == len(set(a)) == len(set(b))


def replay(merges, k):
    """Clusters after all but the last k - 1 merges. SciPy's cuts need heights that rise."""
    n = len(merges) + 1
    members = {i: [i] for i in range(n)}
    for i, merge in enumerate(merges[: n - k]):
        members[n + i] = members.pop(int(merge[0])) + members.pop(int(merge[1]))
    return {item: cluster for cluster, items in members.items() for item in items}


def other_cuts(theirs, cuts):
    """Cuts of ours that are not SciPy's. Its fcluster() never makes more than n - 2 clusters of n items."""
    n = len(cuts)
    rises = numpy.all(numpy.diff(theirs[:, 2]) >= 0)
    for k, ours in enumerate(cuts, 1):
        replayed = replay(theirs, k)
        if ours is None:
            continue
        if not same_partition(ours, [replayed[i] for i in range(n)]):
            yield k
        elif rises and k < n - 1 and not same_partition(ours, fcluster(theirs, k, "maxclust")):
            yield k


def matrices(make, seed, n_matrices):
    rng = numpy.random.default_rng(seed)
    return [make(rng, int(rng.integers(2, 25))) for _ in range(n_matrices)]


def scipys(name, distances):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return linkage(squareform(distances, checks=False), name)


def compare(name, kind, every, check):
    bad = []
    n_cuts = 0
    for i, ((_, d), (merges, cuts)) in enumerate(zip([(name, d) for d in every], ask([(name, d) for d in every]))):
        complaint = check(scipys(name, d), merges, cuts)
        n_cuts += sum(c is not None for c in cuts)
        if complaint:
            bad.append("matrix %d of %d items: %s" % (i, len(d), complaint))
    tap.empty(bad, "%s: trees of %d matrices of %s are SciPy's, and so are %d cuts" % (name, len(every), kind, n_cuts))


def check_all(theirs, merges, cuts):
    """Nothing is left to chance: the whole tree."""
    if not numpy.allclose(theirs, merges, rtol=1e-9, atol=1e-9):
        return "another tree"
    if None in cuts:
        return "a cut is missing"
    return "other clusters" if any(other_cuts(theirs, cuts)) else None


def check_heights(theirs, merges, cuts):
    """Where equal distances leave a choice, heights and cuts between them do not depend on it."""
    if not numpy.allclose(theirs[:, 2], merges[:, 2], rtol=1e-9, atol=1e-9):
        return "other heights"
    return "other clusters" if any(other_cuts(theirs, cuts)) else None


different = matrices(points, 1, N_MATRICES)
equal = matrices(grid, 2, N_MATRICES // 2) + matrices(jaccard, 3, N_MATRICES // 2)
for name in LINKAGES:
    compare(name, "different distances", different, check_all)
for name in ("single",) + FOLLOWS_CHAINS:
    compare(name, "equal distances", equal, check_heights)
tap.done()
