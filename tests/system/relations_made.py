"""
The same run written in another way: a text trace with all times multiplied or with its ranks
renumbered, and an archive whose clocks tick more slowly.
"""

import os
import re
import shutil

def items_of(lines):
    """Lines of a text trace as (rank or None, rest): what a line goes on with has its rank."""
    rank = None
    for line in lines:
        found = re.match(r"\s*rank (\d+): *(.*)", line)
        if found:
            rank = int(found.group(1))
            yield rank, found.group(2).rstrip()
        elif rank is not None and line.startswith(" "):
            yield rank, line.strip()
        else:
            yield None, line.rstrip()


def ranks_of(lines):
    return sorted({rank for rank, _ in items_of(lines) if rank is not None})


def with_times(text, change):
    """The text with both ends of every A..B changed."""

    def times(found):
        return "%.10g..%.10g" % tuple(change(float(t)) for t in found.groups())

    return re.sub(r"\b([0-9]+(?:\.[0-9]+)?)\.\.([0-9]+(?:\.[0-9]+)?)", times, text)


def scaled(lines, factor):
    """All times multiplied by a number."""
    return [with_times(line, lambda t: t * factor) for line in lines]


def without_ties(lines):
    """
    As long in times a thousand times finer, every rank a little later and slower than the one before.

    Of two processes that do the same at the same time, or for the same time, the first by rank is
    named; and somebody must be. Longer runs would have stalls, which are given in milliseconds.
    """
    rows = []
    for rank, text in items_of(lines):
        if rank is not None:
            text = with_times(
                text, lambda t, r=rank: round(1000 * t * (1 + 0.001 * r) + 7 * r * (r + 3))
            )
            text = "rank %d: %s" % (rank, text)
        rows.append(re.sub("^# us", "# ns", text) + "\n")
    return rows


def renumbered(lines, names):
    """Rank r is called names[r]; for traces without communicators of their own."""
    rows = []
    for rank, text in items_of(lines):
        if rank is None:
            rows.append((-1, text))
            continue
        text = re.sub(
            r"\b(to|from|root) (\d+)", lambda f: "%s %d" % (f.group(1), names[int(f.group(2))]), text
        )
        rows.append((names[rank], "rank %d: %s" % (names[rank], text)))
    return [text + "\n" for _, text in sorted(rows, key=lambda row: row[0])]


def tick_rate(text):
    """Where the first record of the definitions has its ticks per second, and how many."""
    # CLOCK_PROPERTIES is record 5; its first field is a number of 4 bytes behind their count.
    for at in range(len(text[:4096]) - 7):
        if text[at] == 5 and text[at + 2] == 4:
            rate = int.from_bytes(text[at + 3 : at + 7], "little")
            if 10**8 <= rate < 2**32:
                return at + 3, rate
    return None, 0


def slower_archive(source, folder):
    """
    A copy of an archive in which a tick lasts twice as long, or None where that cannot be written.

    Only the rate of the clock changes: every time is the double then.
    """
    copy = os.path.join(folder, os.path.basename(source))
    shutil.copytree(source, copy, copy_function=shutil.copyfile)
    for name in sorted(os.listdir(copy)):
        path = os.path.join(copy, name)
        if not name.endswith(".def"):
            continue
        with open(path, "rb") as file:
            text = file.read()
        at, rate = tick_rate(text)
        if at is not None and rate % 2 == 0:
            with open(path, "wb") as file:
                file.write(text[:at] + (rate // 2).to_bytes(4, "little") + text[at + 4 :])
            return copy
    return None
