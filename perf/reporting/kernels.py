# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bench of kernels: users' kernels with tandem against the same kernels by hand."""

from . import comparison, console, page, targets, targets_page
from .targets import Target

ALGORITHM = "kernels"
HEADINGS = {
    ("openmp", "resident"): "CPU, all threads",
    ("openmp", "threads_1"): "CPU, one thread",
    ("cuda", "resident"): "GPU",
}
INTRODUCTION = (
    "Each kernel is written once with tandem and once by hand for OpenMP and for CUDA, with the "
    "same arithmetic. The two versions take turns in one process, on the same arrays, and their "
    "results are compared before they are timed. The ratio is the hand-written version's time over "
    "tandem's."
)

# The least ratio on a CPU for kernels of teams: their lanes are a loop there, which a nest of loops
# written for the CPU may beat.
LEAST_BY_TEAMS = 0.8
# The least geometric mean of a side.
LEAST_MEAN = 1.0


def split(measurements):
    """(those of the bench of kernels, the others)."""
    kernels = [m for m in measurements if m.algorithm == ALGORITHM]
    return kernels, [m for m in measurements if m.algorithm != ALGORITHM]


def by_teams_on_cpu(measurement):
    return measurement.backend == "openmp" and measurement.name.endswith("_by_teams")


def judge(measurements, is_judged=True):
    """A verdict for each kernel that was measured; rows are only shown unless `is_judged`."""
    wanted = [
        Target(
            HEADINGS[m.backend, m.variant],
            "/".join((*m.case, m.size)),
            "raw",
            "peer" if is_judged else "shown",
            variant=m.variant,
            backend=m.backend,
            least=LEAST_BY_TEAMS if is_judged and by_teams_on_cpu(m) else None,
        )
        for m in measurements
        if m.implementation == "tandem"
    ]
    order = list(HEADINGS.values())
    wanted.sort(key=lambda target: order.index(target.heading))
    return targets.judge(comparison.Results(measurements), wanted)


def families(verdicts):
    return targets.families(verdicts, LEAST_MEAN)


def means_text(verdicts):
    """The geometric means of the sides, and which of them are too low."""
    parts = [
        f"{family.heading} {family.mean:.3f}"
        + ("" if family.mean_met else f" (below {LEAST_MEAN:.2f})")
        for family in families(verdicts)
        if family.mean
    ]
    return f"Geometric means of the ratios: {', '.join(parts)}." if parts else ""


def console_table(verdicts):
    """The table for a terminal, by side; empty where no kernel was measured."""
    if not verdicts:
        return ""
    return f"{console.targets_tables(families(verdicts), 'kernels')}\n"


def section(verdicts):
    """The report's section; empty where no kernel was measured."""
    if not verdicts:
        return ""
    classes = {None: "soft", True: "good", False: "bad"}
    parts = [
        f"<p>{page.escaped(INTRODUCTION)} {page.escaped(means_text(verdicts))}</p>",
    ]
    for family in families(verdicts):
        rows = []
        for verdict in family.verdicts:
            *cells, outcome = targets_page.row(verdict, "kernels")
            rows.append([*cells, (outcome, classes[verdict.met])])
        parts.append(f"<h3>{page.escaped(family.heading)}</h3>")
        parts.append(page.table(list(targets_page.head("kernels")), rows))
    return "".join(parts)
