# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's tables for a terminal."""

from . import cases, comparison
from .report_targets import NOTE

CROSSOVER_VARIANTS = ("pageable", "pinned", "resident")


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
        + [comparison.first_gain(by_variant[variant]) or "-" for variant in CROSSOVER_VARIANTS]
        for sample, by_variant in comparison.crossovers(results)
    ]
    head = ["the GPU wins from (elements) on", "with transfers", "pinned", "data there"]
    return aligned(head, body) + "\n" if body else ""


def targets_table(targets):
    """Targets that were not judged have no verdict; the note says why."""
    if not targets:
        return NOTE
    body = []
    for target in targets:
        measured = "not measured"
        if target.measured is not None:
            measured = f"{target.measured:.2f} {target.unit}".strip()
        bound = f"{'<=' if target.unit else '>='} {target.bound:g} {target.unit}".strip()
        body.append(
            [
                target.name,
                cases.size(target),
                measured,
                bound,
                {None: "", True: "kept", False: "MISSED"}[target.passed],
            ]
        )
    table = aligned(["against the peers of this run", "size", "measured", "bound", ""], body)
    return table if all(target.judged for target in targets) else f"{table}\n{NOTE}"
