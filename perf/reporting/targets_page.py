# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verdicts on targets as rows, as Markdown and as JSON."""

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
Made by `perf/run --targets`. tandem and its peer take turns in one process with all their data
alive, {repetitions} times each (at least 7 where they take long); times are medians. The device's
clock (events around batches of at least 0.25 ms) times work on data that resides on the GPU, in
buffers that rotate through at least 256 MB, so that no cache holds them; the host's clock times
results that reach the host, and launches. Every result is checked before it is timed. The ratio is
tandem's time over the peer's where the target is an upper bound, and the peer's time over tandem's
(a ratio of speeds) where it is a lower bound. A target is met if the ratio meets it rounded to two
decimals.
"""

CPU_NOTE = """\
Made by `perf/run --targets --cpu`. tandem and its peers take turns in one process on equal data,
{repetitions} times each (at least 7 where they take long, 3 where they take seconds). A turn is a
batch of runs of at least 0.25 ms; times are medians of one run by the host's clock. Data that fits
a cache is read from it. Threads of one library sleep before those of another are timed. NumPy and
Numba run afterwards, in a process of their own, on data of the same distribution. Every result is
checked before it is timed. The peer is the fastest of those that the target names; the ratio is
tandem's time over the peer's where the target is an upper bound, and the peer's time over tandem's
(a ratio of speeds) where it is a lower bound; a target in microseconds bounds how much longer than
the peer tandem takes. A target is met if the ratio meets it rounded to two decimals. Products of
bf16 are compared with tandem's product of floats of the same shape and values, whose bits they
have; oneDNN, which adds in another order, is shown beside them without a target.
"""

MATMUL_NOTE = """\
Made by `perf/run --targets --matmul`. Sizes are m x k x n, after the number of products where they
are a batch. tandem, cuBLAS and cublasLt take turns in one process, {repetitions} times each (at
least 7 where they take long); times are medians by the device's clock. cublasLt runs the fastest of
the 8 algorithms that its heuristic proposes, each of which is timed beforehand. The peer is the
faster of the two, and the ratio is its time over tandem's. For 8-bit integers the peers get b
stored n x k in every row, without which they are a tenth as fast. A turn is a batch of runs of at
least 0.25 ms, on nearly normal random numbers in buffers that rotate through at least 256 MB; the
stream is held until the host has filled it, so that the cost of a call on the host does not count.
Before it is timed, each candidate's product is checked in poisoned memory: 4096 elements against
sums in double and, in f32, f64 and i8, all bits against tandem's naive kernel. A target is met if
the ratio meets it rounded to two decimals.
"""

NOTES = {"gpu": GPU_NOTE, "cpu": CPU_NOTE, "matmul": MATMUL_NOTE}


def head(table):
    """The table's columns. Products have a rate, for comparison with the peak."""
    rate = ("TFLOP/s",) if table == "matmul" else ()
    return ("operation", "type", "size", "tandem", *rate, "peer", "its time", "ratio", "target", "")


def peer(verdict):
    """The fastest peer in words, or all peers where none was measured."""
    names = (verdict.best,) if verdict.best else verdict.target.peers
    keys = [name if "/" in name else f"{verdict.target.backend}/{name}" for name in names]
    return ", ".join(PEERS.get(key, key) for key in keys)


def operation(target):
    """The name in a problem: abs_sum of reduce/abs_sum/f32/1024."""
    name = target.problem.split("/")[1]
    return OPERATIONS.get(name, name.replace("_", " "))


def in_units(target, value):
    if value is None:
        return "-"
    return f"{value:.2e}" if target.sense == "error" else f"{value * 1e6:.2f} us"


def bound(target):
    if target.bound is None:
        return "-"
    sign = ">=" if target.sense == "speed" else "<="
    unit = {"us": " us", "more us": " us", "error": " of its error"}.get(target.sense, "")
    return f"{sign} {target.bound:g}{unit}"


def outcome(verdict):
    if verdict.error:
        return verdict.error
    if verdict.ratio is None:
        return "not measured"
    return {None: "", True: "met", False: "MISSED"}[verdict.met]


def rate(verdict):
    """TFLOP/s of tandem, computed from the size m x k x n or batch x m x k x n of a product."""
    if verdict.tandem is None or verdict.target.sense == "error":
        return "-"
    sides = verdict.target.problem.split("/")[-1].split("x")
    return f"{2e-12 * math.prod(int(side) for side in sides) / verdict.tandem:.1f}"


def ratio(verdict):
    if verdict.target.sense == "us":
        return in_units(verdict.target, verdict.tandem)
    if verdict.ratio is None:
        return "-"
    more = verdict.target.sense == "more us"
    return f"{verdict.ratio:+.2f} us" if more else f"{verdict.ratio:.3f}"


def row(verdict, table):
    target = verdict.target
    *_, kind, size = target.problem.split("/")
    return (
        operation(target),
        kind,
        cases.size(size),
        in_units(target, verdict.tandem),
        *((rate(verdict),) if table == "matmul" else ()),
        peer(verdict),
        "" if target.peer is None else in_units(target, verdict.peer),
        ratio(verdict),
        bound(target),
        outcome(verdict),
    )


def report_rows(verdicts):
    """Rows of the report's one table, which names the headings in its first column."""
    for verdict in verdicts:
        first, *others = row(verdict, "report")
        yield (f"{verdict.target.heading}: {first}", *others)


def sections(verdicts):
    """{heading: its verdicts} in order."""
    by_heading = {}
    for verdict in verdicts:
        by_heading.setdefault(verdict.target.heading, []).append(verdict)
    return by_heading


def counts(verdicts):
    """(met, missed, not measured) of the targets that have a bound."""
    judged = [verdict for verdict in verdicts if verdict.target.bound is not None]
    met = sum(verdict.met is True for verdict in judged)
    missed = sum(verdict.met is False for verdict in judged)
    return met, missed, len(judged) - met - missed


def markdown(verdicts, machine, repetitions, table):
    gpus = ", ".join(gpu["name"] for gpu in machine["gpus"]) or "no GPU"
    device = f"{machine['processor']}, {machine['threads']} threads" if table == "cpu" else gpus
    met, missed, unknown = counts(verdicts)
    lines = [
        "# Targets",
        "",
        f"{device}, {machine['date'][:10]}, commit {machine['commit']}: "
        f"{met} targets met, {missed} missed, {unknown} not measured.",
        "",
        NOTES[table].format(repetitions=repetitions),
    ]
    for heading, found in sections(verdicts).items():
        lines += [f"## {heading}", "", section(found, table), ""]
    return "\n".join(lines)


def section(verdicts, table):
    columns = head(table)
    numbers = ("tandem", "TFLOP/s", "its time", "ratio", "target")
    rows = [columns, tuple("---:" if name in numbers else "---" for name in columns)]
    rows += [row(verdict, table) for verdict in verdicts]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


def as_json(verdicts):
    """Verdicts for programs: times in seconds, ratios in the sense of the target."""
    return [
        {
            **dataclasses.asdict(verdict.target),
            "tandem_seconds": verdict.tandem,
            "peer_seconds": verdict.peer,
            "best_peer": verdict.best,
            "ratio": verdict.ratio,
            "met": verdict.met,
            "error": verdict.error,
        }
        for verdict in verdicts
    ]
