# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verdicts on targets as tables, as Markdown and as JSON, and those on the bench of kernels."""

import dataclasses
import math

from . import comparison, names, peers, targets
from .table import Table

OPERATIONS = {
    "matmul_nt": "matmul, b stored n x k",
}

RULE = f"""\
One rule judges every row. Against peers, tandem has at least {targets.LEAST["peer"]} of the speed
of the fastest that the run measured at that size, which the row names; against a limit, such as
reading the input or tandem's plain sum of it, at least {targets.LEAST["limit"]}; and the geometric
mean of a family's rows against peers is at least {targets.LEAST_MEAN}. If the column "target" has
another bound, that one counts. The ratio is the peer's time over tandem's, to three decimals. Rows
without a target are shown for comparison.
"""

GPU_NOTE = """\
Made by `perf/run --targets`. tandem and its peer take turns in one process with all their data
alive, {repetitions} times each (at least 7 if they take long); times are medians. The device's
clock (events around batches of at least 0.25 ms) times work on data that resides on the GPU, in
buffers that rotate through at least 256 MB, so that no cache holds them; the host's clock times
results that reach the host, launches and copies of ordinary arrays. CuPy and PyTorch run
afterwards, in a separate process. What cuSPARSE does once for a matrix is not timed. Every
result is checked before it is timed.
"""

CPU_NOTE = """\
Made by `perf/run --targets --cpu`. tandem and its peers take turns in one process on equal data,
{repetitions} times each (at least 7 if they take long, 3 if they take seconds). A turn is a
batch of runs of at least 0.25 ms; times are medians of one run by the host's clock. Data that fits
a cache is read from it. Threads of one library sleep before those of another are timed. NumPy and
Numba run afterwards, in a separate process, on data of the same distribution. Every result is
checked before it is timed. Products of bf16 have the bits of tandem's products of floats of the
same values, which are shown beside them; oneDNN, their peer, adds in another order.
"""

MATMUL_NOTE = """\
Made by `perf/run --targets --matmul`. Sizes are m x k x n, after the number of products if they
are a batch. tandem, cuBLAS and cublasLt take turns in one process, {repetitions} times each (at
least 7 if they take long); times are medians by the device's clock. cublasLt runs the fastest of
the 8 algorithms that its heuristic proposes, each of which is timed beforehand. For 8-bit integers
the peers get b stored n x k in every row, without which they are a tenth as fast. A turn is a batch
of runs of at least 0.25 ms, on nearly normal random numbers in buffers that rotate through at least
256 MB; the stream is held until the host has filled it, so that the cost of a call on the host does
not count. Before it is timed, each candidate's product is checked in poisoned memory: 4096 elements
against sums in double and, in f32, f64 and i8, all bits against tandem's naive kernel. Errors are
tandem's over cuBLAS's in floats, at most 1.
"""

SCALE_NOTE = """\
Made by `perf/run --scale`. Each operation on all GPUs of the machine (`tandem::devices()`), on
eight parts of one (`shards`) and on a group of one takes turns with the same operation on one GPU,
{repetitions} times each (at least 7 if they take long); times are medians by the host's clock, and
include the wait for the result. The ratio is the time of one GPU over that of the group. Operands
of the host pass through a budget of 384 MiB per GPU; the limit is what the link moves from and to
pinned memory, in both directions at once for a transform. Hand-written loops have two chunks of
128 MiB in flight. Bits of every result are those of one GPU.
"""

NOTES = {"gpu": GPU_NOTE, "cpu": CPU_NOTE, "matmul": MATMUL_NOTE, "scale": SCALE_NOTE}


def head(table):
    """The table's columns. Products have a rate, for comparison with the peak."""
    rate = ("TFLOP/s",) if table == "matmul" else ()
    return ["operation", "type", "size", "tandem", *rate, "peer", "its time", "ratio", "target", ""]


def peer(verdict):
    """The fastest peer in words, or all peers if none was measured."""
    found = (verdict.best,) if verdict.best else verdict.target.peers
    keys = [verdict.target.peer_key(name) for name in found]
    return ", ".join(peers.title(backend, name) for backend, name, _ in keys) or "-"


def operation(target):
    """The name in a problem: abs_sum of reduce/abs_sum/f32/1024."""
    name = target.problem.split("/")[1]
    return OPERATIONS.get(name, name.replace("_", " "))


def in_units(target, value):
    if value is None:
        return "-"
    return f"{value:.2e}" if target.kind == "error" else f"{value * 1e6:.2f} us"


def bound(target):
    if target.bound is None:
        return "-"
    return f"<= {target.bound:g} of its error" if target.kind == "error" else f">= {target.bound:g}"


def outcome(verdict):
    """(what became of a row, its class on the page)."""
    css = {None: "soft", True: "good", False: "bad"}[verdict.met]
    if verdict.error:
        return verdict.error, css
    if verdict.ratio is None:
        return "not measured", css
    if verdict.busy:
        return "busy ~", "noisy"
    return {None: "", True: "met", False: "MISSED"}[verdict.met], css


def rate(verdict):
    """TFLOP/s of tandem, computed from the size m x k x n or batch x m x k x n of a product."""
    if verdict.tandem is None or verdict.target.kind == "error":
        return "-"
    sides = verdict.target.problem.split("/")[-1].split("x")
    return f"{2e-12 * math.prod(int(side) for side in sides) / verdict.tandem:.1f}"


def row(verdict, table):
    target = verdict.target
    *_, kind, size = target.problem.split("/")
    return [
        operation(target),
        kind,
        names.size(size),
        in_units(target, verdict.tandem),
        *([rate(verdict)] if table == "matmul" else []),
        peer(verdict),
        in_units(target, verdict.peer),
        "-" if verdict.ratio is None else f"{verdict.ratio:.3f}",
        bound(target),
        outcome(verdict),
    ]


def rows_table(verdicts, table):
    return Table(head(table), [row(verdict, table) for verdict in verdicts])


def report_table(verdicts):
    """The report's one table, which names the headings in its first column."""
    rows = [row(verdict, "report") for verdict in verdicts]
    for verdict, cells in zip(verdicts, rows):
        cells[0] = f"{verdict.target.heading}: {cells[0]}"
    return Table(["", *head("report")[1:]], rows)


FAMILY_HEAD = ["family", "rows", "missed", "lowest", "mean against peers", ""]


def family_row(family):
    """A family in one row: how many of its rows are judged and missed, the lowest ratio of those,
    and the mean with its verdict."""
    met, missed, _ = targets.counts(family.verdicts)
    ratios = family.ratios("peer") + family.ratios("limit")
    return [
        family.heading,
        str(met + missed),
        str(missed) if missed else "",
        f"{min(ratios):.3f}" if ratios else "-",
        f"{family.mean:.3f}" if family.mean else "-",
        {None: "", True: "met", False: f"below {family.least_mean:g}"}[family.mean_met],
    ]


def summary(families):
    """How many rows and means are met, in words."""
    met, missed, unknown = targets.counts([v for family in families for v in family.verdicts])
    means = [family.mean_met for family in families if family.mean_met is not None]
    return (
        f"{met} rows met, {missed} missed, {unknown} without a verdict; "
        f"{sum(means)} of {len(means)} families' means met"
    )


def text(families, table):
    """The tables for a terminal: one per family, then the families and how many are met, if any row
    has a target."""
    parts = [f"\n{one.heading}\n{rows_table(one.verdicts, table).text()}" for one in families]
    if not any(targets.counts([v for family in families for v in family.verdicts])):
        return "\n".join(parts)
    parts.append("\n" + Table(FAMILY_HEAD, [family_row(one) for one in families]).text())
    return "\n".join((*parts, f"\n{summary(families)}"))


def markdown(families, machine, repetitions, table):
    gpus = ", ".join(gpu["name"] for gpu in machine["gpus"]) or "no GPU"
    device = f"{machine['processor']}, {machine['threads']} threads" if table == "cpu" else gpus
    lines = [
        "# Targets",
        "",
        f"{device}, {machine['date'][:10]}, commit {machine['commit']}: {summary(families)}.",
        "",
        RULE,
        NOTES[table].format(repetitions=repetitions),
        "## Families",
        "",
        Table(FAMILY_HEAD, [family_row(one) for one in families]).markdown(FAMILY_HEAD[1:5]),
        "",
    ]
    numbers = ("tandem", "TFLOP/s", "its time", "ratio", "target")
    for one in families:
        rows = rows_table(one.verdicts, table).markdown(numbers)
        lines += [f"## {one.heading}", "", rows, ""]
    return "\n".join(lines)


def as_json(verdicts):
    """Verdicts for programs: times in seconds, ratios of speeds (of errors if that is the kind)."""
    return [
        {
            **dataclasses.asdict(verdict.target),
            "bound": verdict.target.bound,
            "tandem_seconds": verdict.tandem,
            "peer_seconds": verdict.peer,
            "best_peer": verdict.best,
            "seconds_by_peer": verdict.times,
            "busy": verdict.busy,
            "ratio": verdict.ratio,
            "met": verdict.met,
            "error": verdict.error,
        }
        for verdict in verdicts
    ]


# The bench of kernels: users' kernels with tandem against the same kernels by hand.
KERNELS = "kernels"
KERNEL_HEADINGS = {
    ("openmp", "resident"): "CPU, all threads",
    ("openmp", "threads_4"): "CPU, 4 threads",
    ("openmp", "threads_1"): "CPU, one thread",
    ("cuda", "resident"): "GPU",
}
# The least ratio on a CPU for kernels of teams: their lanes are a loop there, which a nest of loops
# written for the CPU may beat.
LEAST_BY_TEAMS = 0.8
# The least geometric mean of a side.
LEAST_MEAN_OF_KERNELS = 1.0


def by_teams_on_cpu(measurement):
    return measurement.backend == "openmp" and measurement.name.endswith("_by_teams")


def of_kernels(measurements, is_judged=True):
    """A verdict for each kernel that was measured, against its fastest hand-written version; rows
    are only shown unless `is_judged`."""
    wanted = [
        targets.Target(
            KERNEL_HEADINGS[m.backend, m.variant],
            "/".join((*m.case, m.size)),
            "raw",
            "peer" if is_judged else "shown",
            variant=m.variant,
            backend=m.backend,
            least=LEAST_BY_TEAMS if is_judged and by_teams_on_cpu(m) else None,
        )
        for m in measurements
        if (m.algorithm, m.implementation) == (KERNELS, "tandem")
    ]
    order = list(KERNEL_HEADINGS.values())
    wanted.sort(key=lambda target: order.index(target.heading))
    return targets.judge(comparison.Results(measurements), wanted)


# Several GPUs, and operands of the host that pass through them.
SCALE = "scale"


def of_scale(measurements):
    """The verdicts on the rows of the table of several GPUs that were measured."""
    judged = targets.judge(comparison.Results(measurements), targets.table(SCALE))
    return [verdict for verdict in judged if verdict.ratio]


def kernel_families(verdicts):
    return targets.families(verdicts, LEAST_MEAN_OF_KERNELS)
