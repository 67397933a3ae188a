# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's tables for a terminal."""

from . import cases, comparison
from .bars import NOTE


def aligned(head, rows):
    """Lines of columns: the first to the left, the others to the right."""
    widths = [max(len(row[c]) for row in [head, *rows]) for c in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if c == 0 else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(row, widths))
        )
        for row in [head, *rows]
    )


def comparison_table(rows, with_gpu):
    """rows: of comparison.headline or comparison.rows."""
    bits = {None: "", True: "equal", False: "DIFFER"}
    body = []
    for row in rows:
        sample = row["sample"]
        line = [f"{cases.title(sample)}, {sample.type}", cases.size(sample)]
        sides = ("serial", "cpu")
        sides += ("transfers", "pinned", "gpu") if with_gpu else ()
        line += [cases.seconds(row[side].seconds) if row[side] else "-" for side in sides]
        gains = ("cpu_over_serial",)
        if with_gpu:
            gains = ("transfers_over_cpu", "pinned_over_cpu", "gpu_over_cpu")
        line += [cases.factor(row[gain]) or "-" for gain in gains]
        body.append(line + [bits[row["same_bits"]]])
    head = ["", "size", "serial", "CPU"]
    head += (
        ["GPU+transfers", "pinned", "GPU", "buys with", "pinned", "without", "bits"]
        if with_gpu
        else ["buys", "bits"]
    )
    return aligned(head, body)


def crossover_table(results):
    """Empty without a GPU."""
    body = [
        [f"{cases.title(sample)}, {sample.type}"]
        + [comparison.first_gain(by_how[how]) or "-" for how in ("pageable", "pinned", "resident")]
        for sample, by_how in comparison.crossovers(results)
    ]
    head = ["the GPU wins from (elements) on", "with transfers", "pinned", "data there"]
    return aligned(head, body) + "\n" if body else ""


def bars_table(bars):
    """Bars that were not judged have no verdict; the note says why."""
    if not bars:
        return NOTE
    body = []
    for bar in bars:
        measured = (
            "not measured" if bar.measured is None else f"{bar.measured:.2f} {bar.unit}".strip()
        )
        bound = f"{'<=' if bar.unit else '>='} {bar.bound:g} {bar.unit}".strip()
        body.append(
            [
                bar.name,
                cases.size(bar),
                measured,
                bound,
                {None: "", True: "kept", False: "MISSED"}[bar.passed],
            ]
        )
    table = aligned(["against the peers of this run", "size", "measured", "bound", ""], body)
    return table if all(bar.judged for bar in bars) else f"{table}\n{NOTE}"
