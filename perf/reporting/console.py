# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's tables for a terminal."""

from . import cases, comparison, targets, targets_page
from .report_targets import NOTE

CROSSOVER_VARIANTS = ("pageable", "pinned", "resident")


def aligned(head, rows):
    """Lines of columns, the first aligned to the left, the others to the right."""
    widths = [max(len(row[c]) for row in [head, *rows]) for c in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if c == 0 else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(row, widths))
        )
        for row in [head, *rows]
    )


def comparison_table(rows, with_gpu):
    """The comparison of CPU and GPU; rows are comparison.headline's or comparison.rows'."""
    bits = {None: "", True: "equal", False: "DIFFER"}
    body = []
    for row in rows:
        sample = row["sample"]
        line = [f"{cases.title(sample)}, {sample.type}", cases.size(sample.size)]
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
        ["GPU+transfers", "pinned", "GPU", "speed-up with", "pinned", "without", "bits"]
        if with_gpu
        else ["speed-up", "bits"]
    )
    return aligned(head, body)


def crossover_table(results):
    """The sizes from which on the GPU is faster; empty without a GPU."""
    body = [
        [f"{cases.title(sample)}, {sample.type}"]
        + [comparison.first_gain(by_variant[variant]) or "-" for variant in CROSSOVER_VARIANTS]
        for sample, by_variant in comparison.crossovers(results)
    ]
    head = ["GPU faster from (elements)", "with transfers", "pinned", "data resident"]
    return aligned(head, body) + "\n" if body else ""


def peers_table(results):
    """tandem's speed over each peer's; empty without peers."""
    rows = [
        (name, cases.factor(mean), str(count), cases.factor(least), cases.factor(most), where)
        for name, mean, count, least, where, most in comparison.peer_rows(results)
    ]
    head = ("tandem's speed over", "mean", "of", "least", "most", "least in")
    return aligned(head, rows) + "\n" if rows else ""


def report_targets_table(verdicts):
    """The report's targets, or a note where there are none."""
    if not verdicts:
        return NOTE
    return aligned(targets_page.head("report"), list(targets_page.report_rows(verdicts)))


def targets_tables(families, table):
    """A table of targets by family, then the families and how many are met."""
    parts = []
    for family in families:
        rows = [targets_page.row(verdict, table) for verdict in family.verdicts]
        parts.append(f"\n{family.heading}\n{aligned(targets_page.head(table), rows)}")
    rows = [targets_page.family_row(family) for family in families]
    parts.append(f"\n{aligned(targets_page.FAMILY_HEAD, rows)}")
    return "\n".join((*parts, f"\n{targets_page.summary(families)}"))
