# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of bars as Markdown and as JSON."""

import dataclasses

from . import cases

PEERS = {
    "cuda/raw": "hand-written CUDA",
    "cuda/cub": "CUB",
    "cuda/read": "reading alone",
    "cuda/sum": "tandem's plain sum",
    "cuda/atomics": "global atomics",
    "openmp/raw": "hand-written OpenMP",
    "openmp/tbb": "TBB",
    "openmp/openblas": "OpenBLAS",
    "openmp/blis": "BLIS",
    "openmp/gnu": "GNU parallel mode",
    "openmp/numba": "Numba",
    "openmp/max": "tandem's max",
    "serial/loop": "one thread's loop",
    "serial/numpy": "NumPy",
    "serial/std": "standard library",
}

HEAD = ("operation", "type", "size", "tandem", "peer", "its time", "ratio", "bar", "")

GPU_NOTE = """\
Made by `perf/run --limits`. tandem and its peer take turns in the same seconds of one process, with
all their data alive, {repetitions} times each (7 at least, where they take long); the times are
medians. The device's clock (events around batches of at least 0.25 ms) counts for work on data that
lies on the GPU, in buffers that rotate through at least 256 MB, so that no cache holds them; the
host's clock for results that reach the host and for launches. Every result is checked before it is
timed. The ratio is tandem's time over the peer's where the bar is an upper bound, the peer's time
over tandem's (a ratio of speeds) where it is a lower one. A bar is met in the two digits in which
it is given.
"""

CPU_NOTE = """\
Made by `perf/run --limits --cpu`. tandem and its peers take turns in the same seconds of one
process, on the same data, {repetitions} times each (7 at least, where they take long); a turn is a
batch of runs of at least 0.25 ms, and the times are medians of one run by the host's clock. Data
that fits a cache is found there. Threads of one library sleep before those of another are timed.
NumPy and Numba run after them, in a process of their own, on data of the same kind.
Every result is checked before it is timed. The peer is the fastest of those that the bar names; the
ratio is tandem's time over the peer's where the bar is an upper bound, the peer's time over
tandem's (a ratio of speeds) where it is a lower one; a bar in microseconds is on what tandem takes
longer than the peer. A bar is met in the two digits in which it is given.
"""


def peer(found):
    """What the table calls the one that tandem was held against."""
    limit = found.limit
    names = (found.best,) if found.best else limit.peers
    keys = [name if "/" in name else f"{limit.where}/{name}" for name in names]
    return ", ".join(PEERS.get(key, key) for key in keys)


def operation(limit):
    """reduce/abs_sum/f32/1024 -> abs_sum."""
    return limit.problem.split("/")[1].replace("_", " ")


def in_units(seconds):
    return f"{seconds * 1e6:.2f} us" if seconds is not None else "-"


def bound(limit):
    if limit.bound is None:
        return "-"
    sign = ">=" if limit.sense == "speed" else "<="
    return f"{sign} {limit.bound:g}" + (" us" if limit.sense in ("us", "more us") else "")


def verdict(found):
    if found.error:
        return found.error
    if found.ratio is None:
        return "not measured"
    return {None: "", True: "met", False: "MISSED"}[found.met]


def row(found):
    limit = found.limit
    *_, kind, size = limit.problem.split("/")
    ratio = "-" if found.ratio is None else f"{found.ratio:.3f}"
    if limit.sense == "us":
        ratio = in_units(found.tandem)
    if limit.sense == "more us" and found.ratio is not None:
        ratio = f"{found.ratio:+.2f} us"
    return (
        operation(limit),
        kind,
        cases.size(Sized(size)),
        in_units(found.tandem),
        peer(found),
        "" if limit.peer is None else in_units(found.peer),
        ratio,
        bound(limit),
        verdict(found),
    )


@dataclasses.dataclass
class Sized:
    """What cases.size() reads."""

    size: str


def sections(judged):
    """{heading: its bars} in order."""
    by_heading = {}
    for found in judged:
        by_heading.setdefault(found.limit.row, []).append(found)
    return by_heading


def counts(judged):
    """(met, missed, not measured) of the bars that have a bound."""
    bars = [found for found in judged if found.limit.bound is not None]
    met = sum(found.met is True for found in bars)
    missed = sum(found.met is False for found in bars)
    return met, missed, len(bars) - met - missed


def markdown(judged, machine, repetitions, of_cpu):
    gpus = ", ".join(gpu["name"] for gpu in machine["gpus"]) or "no GPU"
    host = f"{machine['processor']}, {machine['threads']} threads"
    met, missed, unknown = counts(judged)
    lines = [
        "# Bars",
        "",
        f"{host if of_cpu else gpus}, {machine['date'][:10]}, commit {machine['commit']}: "
        f"{met} bars met, {missed} missed, {unknown} not measured.",
        "",
        (CPU_NOTE if of_cpu else GPU_NOTE).format(repetitions=repetitions),
    ]
    for heading, found in sections(judged).items():
        lines += [f"## {heading}", "", table(found), ""]
    return "\n".join(lines)


def table(judged):
    rows = [HEAD, ("---",) * 3 + ("---:",) + ("---",) + ("---:",) * 3 + ("---",)]
    rows += [row(found) for found in judged]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


def as_json(judged, machine):
    """Everything for programs; seconds, and ratios in the sense of the bar."""
    return {
        "schema": 1,
        "machine": machine,
        "bars": [
            {
                **dataclasses.asdict(found.limit),
                "tandem_seconds": found.tandem,
                "peer_seconds": found.peer,
                "best_peer": found.best,
                "ratio": found.ratio,
                "met": found.met,
                "error": found.error,
            }
            for found in judged
        ],
    }
