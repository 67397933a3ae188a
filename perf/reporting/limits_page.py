# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of bars as Markdown and as JSON."""

import dataclasses
import math

from . import cases

PEERS = {
    "cuda/raw": "hand-written CUDA",
    "cuda/cub": "CUB",
    "cuda/read": "reading alone",
    "cuda/sum": "tandem's plain sum",
    "cuda/atomics": "global atomics",
    "cuda/cublas": "cuBLAS",
    "cuda/cublaslt": "cublasLt",
    "openmp/raw": "hand-written OpenMP",
    "openmp/tbb": "TBB",
    "openmp/kokkos": "Kokkos",
    "openmp/openblas": "OpenBLAS",
    "openmp/blis": "BLIS",
    "openmp/onednn": "oneDNN",
    "openmp/gnu": "GNU parallel mode",
    "openmp/hwy": "Highway",
    "openmp/numba": "Numba",
    "openmp/max": "tandem's max",
    "openmp/floats": "tandem's floats",
    "serial/loop": "one thread's loop",
    "serial/numpy": "NumPy",
    "serial/std": "standard library",
}

OPERATIONS = {
    "matmul_nt": "matmul, b stored n x k",
}

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
process, on the same data, {repetitions} times each (7 at least where they take long, 3 where they
take seconds); a turn is a batch of runs of at least 0.25 ms, and the times are medians of one run
by the host's clock. Data that fits a cache is found there. Threads of one library sleep before
those of another are timed.
NumPy and Numba run after them, in a process of their own, on data of the same kind.
Every result is checked before it is timed. The peer is the fastest of those that the bar names; the
ratio is tandem's time over the peer's where the bar is an upper bound, the peer's time over
tandem's (a ratio of speeds) where it is a lower one; a bar in microseconds is on what tandem takes
longer than the peer. A bar is met in the two digits in which it is given. Products of bf16 are held
against tandem's floats of the same shape and numbers, whose bits they have; oneDNN, which adds up
in another order, stands beside them without a bar.
"""

MATMUL_NOTE = """\
Made by `perf/run --limits --matmul`. Sizes are m x k x n, behind the number of products where they
are a batch. tandem, cuBLAS and cublasLt take turns in the same seconds of one process,
{repetitions} times each (7 at least, where they take long), and the times are medians by the
device's clock.
cublasLt runs the fastest of the 8 algorithms that its heuristic proposes, each of which is timed
before. The peer is the faster of the two, the ratio its time over tandem's; of 8-bit integers the
peers get b stored n x k in every row, without which they are a tenth as fast. A turn is a batch of
runs of at least 0.25 ms, on nearly normal random numbers in buffers that rotate through at least
256 MB; the stream is held until the host has filled it, so that what a call costs the host does not
count. Before it is timed, each contender's product of poisoned memory is checked: 4096 elements
against sums in double and, in f32, f64 and i8, all bits against tandem's naive kernel. A bar is met
in the two digits in which it is given.
"""

NOTES = {"gpu": GPU_NOTE, "cpu": CPU_NOTE, "matmul": MATMUL_NOTE}


def head(table):
    """The table's columns; products have a rate that readers compare with the peak."""
    rate = ("TFLOP/s",) if table == "matmul" else ()
    return ("operation", "type", "size", "tandem", *rate, "peer", "its time", "ratio", "bar", "")


def peer(found):
    """What the table calls the one that tandem was held against."""
    limit = found.limit
    names = (found.best,) if found.best else limit.peers
    keys = [name if "/" in name else f"{limit.where}/{name}" for name in names]
    return ", ".join(PEERS.get(key, key) for key in keys)


def operation(limit):
    """reduce/abs_sum/f32/1024 -> abs_sum."""
    name = limit.problem.split("/")[1]
    return OPERATIONS.get(name, name.replace("_", " "))


def in_units(limit, value):
    if value is None:
        return "-"
    return f"{value:.2e}" if limit.sense == "error" else f"{value * 1e6:.2f} us"


def bound(limit):
    if limit.bound is None:
        return "-"
    sign = ">=" if limit.sense == "speed" else "<="
    unit = {"us": " us", "more us": " us", "error": " of its error"}.get(limit.sense, "")
    return f"{sign} {limit.bound:g}{unit}"


def verdict(found):
    if found.error:
        return found.error
    if found.ratio is None:
        return "not measured"
    return {None: "", True: "met", False: "MISSED"}[found.met]


def rate(found):
    """TFLOP/s of tandem by the size m x k x n, or batch x m x k x n, of a product."""
    if found.tandem is None or found.limit.sense == "error":
        return "-"
    sides = found.limit.problem.split("/")[-1].split("x")
    return f"{2e-12 * math.prod(int(side) for side in sides) / found.tandem:.1f}"


def row(found, table):
    limit = found.limit
    *_, kind, size = limit.problem.split("/")
    ratio = "-" if found.ratio is None else f"{found.ratio:.3f}"
    if limit.sense == "us":
        ratio = in_units(limit, found.tandem)
    if limit.sense == "more us" and found.ratio is not None:
        ratio = f"{found.ratio:+.2f} us"
    return (
        operation(limit),
        kind,
        cases.size(Sized(size)),
        in_units(limit, found.tandem),
        *((rate(found),) if table == "matmul" else ()),
        peer(found),
        "" if limit.peer is None else in_units(limit, found.peer),
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


def markdown(judged, machine, repetitions, table):
    gpus = ", ".join(gpu["name"] for gpu in machine["gpus"]) or "no GPU"
    where = f"{machine['processor']}, {machine['threads']} threads" if table == "cpu" else gpus
    met, missed, unknown = counts(judged)
    lines = [
        "# Bars",
        "",
        f"{where}, {machine['date'][:10]}, commit {machine['commit']}: "
        f"{met} bars met, {missed} missed, {unknown} not measured.",
        "",
        NOTES[table].format(repetitions=repetitions),
    ]
    for heading, found in sections(judged).items():
        lines += [f"## {heading}", "", section(found, table), ""]
    return "\n".join(lines)


def section(judged, table):
    columns = head(table)
    numbers = ("tandem", "TFLOP/s", "its time", "ratio", "bar")
    rows = [columns, tuple("---:" if name in numbers else "---" for name in columns)]
    rows += [row(found, table) for found in judged]
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
