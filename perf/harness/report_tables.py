# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's tables, for a terminal and for the page."""

from . import comparison, names, peers
from .table import Table

BITS = {None: ("", "soft"), True: ("equal", "good"), False: ("DIFFER", "bad")}
CROSSOVER_VARIANTS = ("pageable", "pinned", "resident")

# (key of a comparison row, heading on the page, on a terminal)
ONE = ("one", "CPU, one thread", "one thread")
# A GPU is compared with the CPU's fastest; without one, all threads are compared with one.
CPU_TIMES = (ONE, ("cpu", "CPU", "CPU"))
THREADS_TIMES = (ONE, ("threads", "CPU, all threads", "all threads"))
CPU_GAINS = (("threads_over_one", "Speed-up by threads", "speed-up"),)
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
    """CPU against GPU; rows are comparison.rows'."""
    has_threads = any(row["threads"] for row in rows)
    times = THREADS_TIMES if has_threads and not with_gpu else CPU_TIMES
    times = [column for column in times if any(row[column[0]] for row in rows)]
    times += GPU_TIMES if with_gpu else ()
    gains = list(GPU_GAINS if with_gpu else CPU_GAINS)
    body = []
    for row in rows:
        line = [names.case(row["sample"]), names.size(row["sample"].size), BITS[row["same_bits"]]]
        line += [time_of(row[key]) for key, *_ in times]
        body.append(line + [speed_up(row[key]) for key, *_ in gains])
    head = ["", "Size", "Bits", *(name for _, name, _ in times + gains)]
    return Table(head, body, ["", "size", "bits", *(name for *_, name in times + gains)])


def row_data(results, rows):
    """For each row of the comparison its size, and whether it is a headline, as attributes that
    the page's selector reads."""
    largest = {(row["sample"].case, row["sample"].size) for row in comparison.headline(results)}
    return [
        f' data-size="{names.size(row["sample"].size)}"'
        + (" data-largest" if (row["sample"].case, row["sample"].size) in largest else "")
        for row in rows
    ]


def crossover_table(results):
    """The sizes from which on the GPU is faster."""
    body = [
        [names.case(sample), *(comparison.pays_in_words(found[v]) for v in CROSSOVER_VARIANTS)]
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


# The operations of README's table.
README_CASES = (
    ("reduce", "sum", "f32"),
    ("scan", "inclusive", "f32"),
    ("histogram", "normal_150", "f32"),
    ("sort", "sort", "f32"),
    ("matmul", "matmul", "f32"),
    ("matmul", "matmul", "f64"),
)


def readme_cells(results, backend):
    """[(tandem's measurement, the fastest peer's, cell)] of README's row of a side: the bars of
    its picture as Markdown, with the size if it is not the usual one."""
    found = {one[0].case: one for one in comparison.headline_against_peers(results, backend)}
    cells = []
    for own, peer, speed in (found[case] for case in README_CASES):
        size = names.size(own.size)
        text = f"{names.factor(speed)} {peers.title(peer.backend, peer.implementation)}"
        text += f", {size}" if size not in ("2^27", "4096^3") else ""
        cells.append((own, peer, text))
    return cells


def outcome(measurement):
    """A time, or that the check failed."""
    failed = measurement and measurement.error
    return ("failed", "bad") if failed else time_of(measurement)


def candidate_row(results, sizes, found):
    """A candidate's times by size; the spread, the rate and the share of the peak at its largest;
    its bits at all sizes."""
    last = next((found[size] for size in sizes[::-1] if size in found), None)
    share = results.share(last) if last and last.seconds else None
    bits = {m.equal_bits for m in found.values() if not m.error}
    promised = any(m.bits_promised for m in found.values())
    spread = last and last.fastest and f"{100 * (last.slowest / last.fastest - 1):.0f} %"
    return [
        names.candidate(next(iter(found.values()))),
        *(outcome(found.get(size)) for size in sizes),
        (spread or "", "soft"),
        names.rate(last) if last else "",
        (f"{share:.0%}" if share else "", ""),
        BITS[False not in bits] if promised else ("equal" if bits == {True} else "other", "soft"),
    ]


def candidates_table(results, case):
    """All measurements of a case: a row for each candidate, a column for each size."""
    sizes = results.sizes(case)
    found = {}
    for m in (m for m in results.all if m.case == case):
        found.setdefault(m.candidate, {})[m.size] = m
    head = ["", *map(names.size, sizes), "Spread", "Rate", "Of peak", "Bits"]
    return Table(head, [candidate_row(results, sizes, by_size) for by_size in found.values()])
