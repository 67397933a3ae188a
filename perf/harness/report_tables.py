# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's tables, for a terminal and for the page."""

from . import comparison, names
from .table import Table

BITS = {None: ("", "soft"), True: ("equal", "good"), False: ("DIFFER", "bad")}
CROSSOVER_VARIANTS = ("pageable", "pinned", "resident")

# (key of a comparison row, heading on the page, on a terminal)
CPU_TIMES = (("serial", "Serial", "serial"), ("cpu", "CPU, OpenMP", "CPU"))
CPU_GAINS = (("cpu_over_serial", "Speed-up", "speed-up"),)
GPU_TIMES = (
    ("transfers", "GPU, with transfers", "GPU+transfers"),
    ("pinned", "GPU, pinned transfers", "pinned"),
    ("gpu", "GPU, data resident", "GPU"),
)
GPU_GAINS = (
    ("transfers_over_cpu", "Speed-up with transfers", "speed-up with"),
    ("pinned_over_cpu", "Speed-up, pinned", "pinned"),
    ("gpu_over_cpu", "Speed-up without", "without"),
)


def speed_up(value):
    """A speed-up, emphasised if it is at least 1."""
    return names.factor(value), "strong" if value and value >= 1 else "soft"


def time_of(measurement):
    """A time, marked if the machine was busy."""
    if measurement is None:
        return ""
    text = names.seconds(measurement.seconds)
    return (f"{text} ~", "noisy") if measurement.noisy else text


def comparison_table(rows, with_gpu):
    """CPU against GPU; rows are comparison.headline's or comparison.rows'."""
    times = CPU_TIMES + (GPU_TIMES if with_gpu else ())
    gains = GPU_GAINS if with_gpu else CPU_GAINS
    body = []
    for row in rows:
        line = [names.case(row["sample"]), names.size(row["sample"].size), BITS[row["same_bits"]]]
        line += [time_of(row[key]) for key, *_ in times]
        body.append(line + [speed_up(row[key]) for key, *_ in gains])
    head = ["", "Size", "Bits", *(name for _, name, _ in times + gains)]
    return Table(head, body, ["", "size", "bits", *(name for *_, name in times + gains)])


def crossover_table(results):
    """The sizes from which on the GPU is faster."""
    body = [
        [names.case(sample), *(comparison.first_gain(found[v]) for v in CROSSOVER_VARIANTS)]
        for sample, found in comparison.crossovers(results)
    ]
    head = ["", "With transfers", "With pinned transfers", "Data resident"]
    short = ["GPU faster from (elements)", "with transfers", "pinned", "data resident"]
    return Table(head, body, short)


def peers_table(results):
    """tandem's speed over each peer's."""
    body = [
        [name, speed_up(mean), str(count), names.factor(least), names.factor(most), where]
        for name, mean, count, least, where, most in comparison.peer_rows(results)
    ]
    head = ["", "tandem's speed, geometric mean", "Measurements", "At the least", "At most"]
    short = ["tandem's speed over", "mean", "of", "least", "most", "least in"]
    return Table([*head, "Least in"], body, short)


def operations_table(results, backend):
    """tandem's speed over each peer's on a side by operation, at the largest size of both."""
    found, rows = comparison.peers_by_case(results, backend)

    def cell(measured):
        if measured is None:
            return ""
        text, css = speed_up(measured[1])
        return f"{text} at {names.size(measured[0].size)}", f"{css} wrap"

    body = [[names.case(sample), *(cell(by.get(n)) for n in found)] for sample, by in rows]
    return Table(["", *found], body)


def candidate_row(results, m):
    if m.error:
        return [names.candidate(m), names.size(m.size), (m.error, "bad"), "", "", "", ""]
    share = results.share(m)
    reached = "in cache" if results.in_cache(m) and m.backend == "openmp" else ""
    own = ("equal" if m.equal_bits else "own", "soft")
    return [
        names.candidate(m),
        names.size(m.size),
        (names.seconds(m.seconds) + (" ~" if m.noisy else ""), "strong"),
        (f"{names.seconds(m.fastest)} to {names.seconds(m.slowest)}", "soft"),
        names.rate(m),
        (reached, "soft") if share is None else f"{share:.0%}",
        BITS[m.equal_bits] if m.bits_promised else own,
    ]


def candidates_table(results, case):
    """All measurements of a case."""
    of_case = [m for m in results.all if m.case == case]
    reference = " or ".join(sorted({m.reference for m in of_case if m.reference}))
    bits = f"Bits against {reference or 'the reference'}"
    head = ["", "Size", "Median", "Fastest to slowest", "Rate", "Of the peak", bits]
    return Table(head, [candidate_row(results, m) for m in of_case])
