"""marple view export: slices nest, each flow has two ends, counters end where they began, and calls, messages and waits
are those of the views; two exports are equal byte for byte, and names of a trace are inert.

Perfetto's format is decoded by protoc with the description that marple ships, Chrome's by Python."""

import collections
import os
import re
import shutil
import subprocess
import tempfile

import product

tap = product.Tap()
PROTO = os.path.join(product.top, "src", "draw", "perfetto.proto")
scratch = tempfile.mkdtemp()

TOKEN = re.compile(r'^\s*(?:(\w+)(?:: (.*)| (\{))|(\}))$')
ESCAPE = re.compile(rb'\\([0-7]{3}|.)')
PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}


def unescape(text):
    def one(match):
        code = match.group(1)
        return bytes([int(code, 8)]) if len(code) == 3 else PLAIN.get(code, code)

    return ESCAPE.sub(one, text.encode("utf-8")).decode("utf-8")


def parse_text(lines):
    """protoc's text: a message is a dict of lists."""
    stack = [collections.defaultdict(list)]
    for line in lines:
        match = TOKEN.match(line)
        if match is None:
            raise ValueError("not protoc's: %r" % line)
        name, value, opens, closes = match.groups()
        if opens:
            child = collections.defaultdict(list)
            stack[-1][name].append(child)
            stack.append(child)
        elif closes:
            stack.pop()
        else:
            value = unescape(value[1:-1]) if value[0] == '"' else int(value) if value.lstrip("-").isdigit() else value
            stack[-1][name].append(value)
    return stack[0]


class Exported:
    """What a file holds, whatever its format."""

    def __init__(self):
        self.faults = []
        self.tracks = {}  # number: name
        self.slices = []  # track, begin, end, category, name, arguments
        self.flows = collections.defaultdict(list)  # id: (name of the mark, time)
        self.counts = collections.defaultdict(list)  # track: values by time

    def of(self, category):
        return [s for s in self.slices if s[3] == category]


def one(message, name, default=None):
    return message[name][0] if message.get(name) else default


def read_perfetto(path):
    x = Exported()
    with open(path, "rb") as stream:
        done = subprocess.run(
            ["protoc", "-I", os.path.dirname(PROTO), "--decode=perfetto.protos.Trace", PROTO],
            stdin=stream,
            capture_output=True,
            check=False,
        )
    if done.returncode != 0 or done.stderr:
        x.faults.append("protoc: %s" % done.stderr.decode("utf-8", "replace")[:500])
    text = done.stdout.decode("utf-8")
    if re.search(r"^\s*\d+[: ]", text, re.M):
        x.faults.append("a field that perfetto.proto does not have")
    packets = parse_text(text.splitlines())["packet"]
    known = collections.defaultdict(dict)
    events = []
    ranks = {}
    for number, packet in enumerate(packets):
        if packet["sequence_flags"] != [2 if number else 1]:
            x.faults.append("packet %d has the flags %s" % (number, packet["sequence_flags"]))
        for interned in packet["interned_data"]:
            for kind, entries in interned.items():
                for entry in entries:
                    if entry["iid"][0] in known[kind]:
                        x.faults.append("%s %d twice" % (kind, entry["iid"][0]))
                    known[kind][entry["iid"][0]] = one(entry, "name", one(entry, "str", ""))
        for track in packet["track_descriptor"]:
            uuid = track["uuid"][0]
            if "parent_uuid" not in track:
                if track["child_ordering"] != ["EXPLICIT"]:
                    x.faults.append("the root does not order its tracks")
                continue
            if track["parent_uuid"] != [1]:
                x.faults.append("track %d is not below the root" % uuid)
            ranks[uuid] = one(track, "sibling_order_rank")
            x.tracks[uuid] = one(track, "name", "")
        for event in packet["track_event"]:
            # Texts must be known when a packet names them, not later.
            arguments = {}
            for note in event["debug_annotations"]:
                value = one(note, "uint_value", one(note, "string_value"))
                if value is None:
                    value = known["debug_annotation_string_values"][note["string_value_iid"][0]]
                arguments[known["debug_annotation_names"][note["name_iid"][0]]] = value
            name = one(event, "name")
            if name is None and "name_iid" in event:
                name = known["event_names"][event["name_iid"][0]]
            category = known["event_categories"][event["category_iids"][0]] if event["category_iids"] else None
            events.append((packet["timestamp"][0], event, category, name, arguments))
    if len(set(ranks.values())) != len(ranks):
        x.faults.append("two tracks have one rank")
    nest(x, events)
    return x


def nest(x, events):
    """As Perfetto does it: by time, and at one time in the order of the file."""
    open_slices = collections.defaultdict(list)
    for time, event, category, name, arguments in sorted(events, key=lambda e: e[0]):
        track = event["track_uuid"][0]
        kind = event["type"][0]
        if track not in x.tracks:
            x.faults.append("an event in no track")
        if kind == "TYPE_SLICE_BEGIN":
            open_slices[track].append((time, category, name, arguments))
        elif kind == "TYPE_SLICE_END":
            if not open_slices[track]:
                x.faults.append("%s ends a slice at %d that has not begun" % (x.tracks[track], time))
                continue
            begin, category, name, arguments = open_slices[track].pop()
            x.slices.append((track, begin, time, category, name, arguments))
        elif kind == "TYPE_INSTANT":
            x.slices.append((track, time, time, category, name, arguments))
            for flow in event["flow_ids"]:
                x.flows[flow].append((name, time))
        else:
            x.counts[track].append(one(event, "counter_value"))
    x.faults += ["%s: slices are open" % x.tracks[t] for t, s in open_slices.items() if s]


def read_chrome(path):
    x = Exported()
    with open(path, encoding="utf-8") as stream:
        events = product.parse(stream.read())["traceEvents"]
    marks = {}
    for event in events:
        track = event["tid"] + 1  # As uuids in Perfetto's file.
        if event["ph"] == "M" and event["name"] == "thread_name":
            x.tracks[track] = event["args"]["name"]
        elif event["ph"] == "X":
            begin, length = ns(event["ts"]), ns(event["dur"])
            x.slices.append((track, begin, begin + length, event["cat"], event["name"], event.get("args", {})))
            marks[track, begin] = event["name"]
        elif event["ph"] in "sf":
            x.flows[event["id"]].append(({"s": "send", "f": "receive"}[event["ph"]], ns(event["ts"])))
            if (track, ns(event["ts"])) not in marks:
                x.faults.append("a flow without its mark")
        elif event["ph"] == "C":
            x.counts[track].append(event["args"]["value"])
            x.tracks[track] = event["name"]
    inside(x)
    return x


def ns(us):
    return round(us * 1000)


def inside(x):
    """Slices of a track lie within or beside each other."""
    by_track = collections.defaultdict(list)
    for s in x.slices:
        by_track[s[0]].append(s)
    for track, slices in by_track.items():
        ends = []
        for s in sorted(slices, key=lambda s: s[1]):
            while ends and ends[-1] <= s[1]:
                ends.pop()
            if ends and s[2] > ends[-1]:
                x.faults.append("%s: a slice ends behind the one it lies in" % x.tracks[track])
            ends.append(s[2])


# ---- what the views say -----------------------------------------------------------------------------------------------


def rows_of(view, path, *selection):
    answer = product.run("view", view, path, "--format", "json", *selection)
    document = product.parse(answer.out)
    names = [c["name"] for c in document["columns"]]
    return [dict(zip(names, row)) for row in document["rows"]]


def seconds(slices):
    return sum(s[2] - s[1] for s in slices) / 1e9


def compare(name, x, path, *selection):
    timeline = rows_of("timeline", path, *selection)
    calls = [row for row in timeline if row["record"] is not None]
    waits = [row for row in calls if row["wait"]]
    got = collections.Counter(s[3] for s in x.slices)
    tap.ok(got["call"] == len(calls), "%s: calls are those of the timeline" % name, "%d, not %d" % (got["call"], len(calls)))
    tap.ok(got["wait"] == len(waits), "%s: so are waits" % name, "%d, not %d" % (got["wait"], len(waits)))
    tap.ok(
        sorted(s[5].get("record") for s in x.of("call")) == sorted(row["record"] for row in calls),
        "%s: calls tell their records" % name,
    )
    total = sum(row["wait"] for row in waits)
    tap.ok(
        abs(seconds(x.of("wait")) - total) <= 2e-9 * (len(waits) + 1),
        "%s: and their time" % name,
        "%.9f s, not %.9f s" % (seconds(x.of("wait")), total),
    )
    marks = collections.Counter(s[4] for s in x.of("message"))
    if not selection:
        threads = rows_of("threads", path)
        expected = (sum(r["sends"] for r in threads), sum(r["receives"] for r in threads))
        tap.ok((marks["send"], marks["receive"]) == expected, "%s: messages are the run's" % name, "%s, not %s" % (marks, expected))
        pairs = [r for r in rows_of("messages", path) if r["receive_record"] is not None]
        tap.ok(len(x.flows) == len(pairs), "%s: a flow per message" % name, "%d, not %d" % (len(x.flows), len(pairs)))
    faults = []
    for flow, ends in x.flows.items():
        if sorted(end[0] for end in ends) != ["receive", "send"]:
            faults.append("%d has the ends %s" % (flow, ends))
    tap.empty(faults[:5], "%s: each flow has two ends" % name)
    faults = ["%s: %s" % (x.tracks[t], v[-1]) for t, v in x.counts.items() if v[-1] != 0]
    tap.empty(faults, "%s: counters end at 0" % name)


def export(path, file_format, *words):
    target = os.path.join(scratch, file_format)
    answer = product.run("view", "export", path, "--format", file_format, "-o", target, *words)
    return target, answer


def key(s):
    return s[0], s[1], s[2], s[3], s[4], tuple(sorted((k, str(v)) for k, v in s[5].items()))


def test_trace(name, path, *selection):
    """Both formats of one selection of a trace."""
    target, answer = export(path, "chrome", *selection)
    if answer.status == 3:
        tap.ok("the trace cannot be used" in answer.complaint, "%s: says why not" % name, answer)
        tap.ok(not os.path.exists(target), "%s: and leaves no file" % name)
        return
    tap.ok(answer.status == 0, "%s: export" % name, answer)
    chrome = read_chrome(target)
    tap.empty(chrome.faults[:5], "%s: JSON of Chrome is sound" % name)
    if not has_protoc:
        compare(name, chrome, path, *selection)
        os.remove(target)
        return
    os.remove(target)
    target, answer = export(path, "perfetto", *selection)
    with open(target, "rb") as stream:
        first = stream.read()
    os.remove(target)
    again, answer = export(path, "perfetto", *selection)
    with open(again, "rb") as stream:
        tap.ok(stream.read() == first, "%s: two exports are equal" % name, answer)
    perfetto = read_perfetto(again)
    os.remove(again)
    tap.empty(perfetto.faults[:5], "%s: Perfetto's file is sound" % name)
    compare(name, perfetto, path, *selection)
    tap.ok(
        sorted(map(key, perfetto.slices)) == sorted(map(key, chrome.slices))
        and chrome.tracks.items() <= perfetto.tracks.items()
        and {k: sorted(v) for k, v in perfetto.flows.items()} == {k: sorted(v) for k, v in chrome.flows.items()},
        "%s: both formats say the same" % name,
    )


# ---- what a trace may hold ---------------------------------------------------------------------------------------------

NAMES = {
    "JSON": '\\",\\"ph\\":\\"X',
    "bidirectional": "a\u202eb\u2066c",
    "controls": "a\tb\x01\x1b[31mc",
    "long": "x" * 1000000,
    "markup": "</script>]]>",
}


def test_hostile(kind, name):
    path = os.path.join(scratch, "hostile.trace")
    with open(path, "w", encoding="utf-8") as out:
        out.write('rank 0: compute 0..50 in "%s"  send 50..52 to 1 tag 7\n' % name)
        out.write('rank 1: compute 0..10 in "%s"  recv 10..53 from 0 tag 7\n' % name)
    target, answer = export(path, "chrome")
    if answer.status == 3:
        tap.skip(kind, "a text trace cannot hold it")
        return
    x = read_chrome(target)
    names = {s[4] for s in x.of("compute")}
    size = os.path.getsize(target)
    os.remove(target)
    bad = [n for n in names if re.search("[\x00-\x08\x0a-\x1f\u202a-\u202e\u2066-\u2069]", n) or len(n) > 501]
    tap.ok(len(names) == 1 and not bad and size < 20000, "%s: a name is inert" % kind, str(names)[:200])
    if has_protoc:
        target, answer = export(path, "perfetto")
        p = read_perfetto(target)
        os.remove(target)
        tap.ok({s[4] for s in p.of("compute")} == names and not p.faults, "%s: in Perfetto's file, too" % kind, p.faults)


def test_refused():
    trace = os.path.join(product.top, "examples", "traces", "mw-slow-master")
    answer = product.run("view", "export", trace, "-o", "/dev/full")
    tap.ok(answer.status == 3 and "No space left" in answer.complaint, "a full disk is an error", answer)


has_protoc = shutil.which("protoc") is not None
if not has_protoc and product.IS_FULL:
    tap.ok(False, "protoc is there")
elif not has_protoc:
    tap.skip("Perfetto's format", "no protoc: protobuf-compiler has it")

slow_master = os.path.join(product.top, "examples", "traces", "mw-slow-master")
for path in product.some(product.all_traces(), 5):
    tap.guarded(os.path.basename(path), test_trace, os.path.basename(path), path)
for words in (
    ("--from", "0.1s", "--to", "0.12s"),
    ("--locations", "1-2"),
    ("--finding", "f1"),
    ("--from", "0.3s", "--locations", "0,3"),
):
    title = "mw-slow-master " + " ".join(words)
    tap.guarded(title, test_trace, title, slow_master, *words)
stencil = product.shared_trace("prk-stencil-slow6-np16")
if stencil:
    tap.guarded("step 3", test_trace, "prk-stencil-slow6-np16 --step 3", stencil, "--step", "3")
for kind, name in NAMES.items():
    tap.guarded(kind, test_hostile, kind, name)
tap.guarded("refused", test_refused)
shutil.rmtree(scratch)
tap.done()
