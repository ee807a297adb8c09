#!/usr/bin/env python3
"""Writes exchange.trace and truth.tsv into the current directory.

Two ranks compute and exchange a border 240 times. Rank 0 needs 100 us for its part and rank 1
only 55, so rank 1 waits some 45 us for each message and replies at once. A message is on its way
for 2 us at least. The clock of rank 1 is 32 us ahead at the start and gains 400 us per second, as
a badly calibrated one does: 42 us in the end. So the last reply is received 40 us before it is
sent, and as recorded rank 0 waits for rank 1.
"""
import random

STEPS = 240
LATENCY_NS = 2000
ARCHIVE_ZERO_NS = 1 << 40  # What `marple convert` makes of time 0.
AHEAD_NS = 32000
GAIN_PPM = 400
PART_NS = (100000, 55000)

chance = random.Random(1)


def on_clock(rank, true_ns):
    """What the clock of a rank shows."""
    if rank == 0:
        return true_ns
    return true_ns + AHEAD_NS + true_ns * GAIN_PPM // 1000000


class Rank:
    def __init__(self, number):
        self.number = number
        self.now_ns = 0
        self.items = []

    def record(self, what, begin_ns, end_ns, tail):
        times = ["%.3f" % (on_clock(self.number, t) / 1000) for t in (begin_ns, end_ns)]
        self.items.append("%s %s..%s %s" % (what, *times, tail))
        self.now_ns = end_ns


def message(sender, receiver, extra_ns):
    """A send and the receive that waits for it."""
    sent_ns = sender.now_ns
    begin_ns = receiver.now_ns
    sender.record("send", sent_ns, sent_ns + 500, "to %d bytes 8192" % receiver.number)
    end_ns = max(sent_ns + LATENCY_NS + extra_ns, begin_ns + 200)
    receiver.record("recv", begin_ns, end_ns, "from %d bytes 8192" % sender.number)


def delay_ns():
    """Most messages need little more than the least, some much more."""
    return chance.randrange(300) if chance.random() < 0.8 else chance.randrange(9000)


ranks = [Rank(0), Rank(1)]
for rank in ranks:
    rank.record("init", rank.number * 1000, 20000, "")
for step in range(STEPS):
    last = step == STEPS - 1
    for rank in ranks:
        rank.now_ns += PART_NS[rank.number] + chance.randrange(1000)
    message(ranks[0], ranks[1], 0 if last else delay_ns())
    message(ranks[1], ranks[0], 0 if last else delay_ns())
end_ns = max(rank.now_ns for rank in ranks) + 3000
for rank in ranks:
    rank.record("finalize", rank.now_ns + 1000, end_ns, "")

with open("exchange.trace", "w", encoding="ascii") as out:
    out.write("# us. Made by make.py. What each rank's own clock showed; that of rank 1 drifts.\n")
    out.write("clock 1 +0us\n")
    for rank in ranks:
        out.write("rank %d:\n" % rank.number)
        for i in range(0, len(rank.items), 2):
            out.write("  " + "  ".join(item.strip() for item in rank.items[i : i + 2]) + "\n")

with open("truth.tsv", "w", encoding="ascii") as out:
    out.write("#rank\tlocal_ns\toffset_ns_to_add_to_reach_rank0_clock\n")
    for rank in ranks:
        for true_ns in (0, end_ns):
            local_ns = on_clock(rank.number, true_ns)
            shown_ns = ARCHIVE_ZERO_NS + local_ns
            out.write("%d\t%d\t%d\n" % (rank.number, shown_ns, true_ns - local_ns))
