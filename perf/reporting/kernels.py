# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bench of kernels: users' kernels with tandem against the same kernels by hand."""

import math

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


def bar(name, backend):
    """The least ratio of speeds. A team's lanes are a loop on a CPU, which a nest of loops written
    for the CPU may beat."""
    return 0.8 if name.endswith("_by_teams") and backend == "openmp" else 0.97


def split(measurements):
    """(those of the bench of kernels, the others)."""
    kernels = [m for m in measurements if m.algorithm == ALGORITHM]
    return kernels, [m for m in measurements if m.algorithm != ALGORITHM]


def judge(measurements, is_judged=True):
    """A verdict for each kernel that was measured; without bounds unless `is_judged`."""
    wanted = [
        Target(
            HEADINGS[m.backend, m.variant],
            "/".join((*m.case, m.size)),
            "raw",
            bar(m.name, m.backend) if is_judged else None,
            "speed",
            variant=m.variant,
            backend=m.backend,
        )
        for m in measurements
        if m.implementation == "tandem"
    ]
    order = list(HEADINGS.values())
    wanted.sort(key=lambda target: order.index(target.heading))
    return targets.judge(comparison.Results(measurements), wanted)


def means(verdicts):
    """{heading: geometric mean of the ratios} of what was measured."""
    found = {}
    for heading, those in targets_page.sections(verdicts).items():
        logarithms = [math.log(v.ratio) for v in those if v.ratio]
        if logarithms:
            found[heading] = math.exp(sum(logarithms) / len(logarithms))
    return found


def means_text(verdicts):
    parts = [f"{heading} {mean:.3f}" for heading, mean in means(verdicts).items()]
    return f"Geometric means of the ratios: {', '.join(parts)}." if parts else ""


def console_table(verdicts):
    """The table for a terminal, by side; empty where no kernel was measured."""
    if not verdicts:
        return ""
    return f"{console.targets_tables(verdicts, 'kernels')}\n{means_text(verdicts)}\n"


def section(verdicts):
    """The report's section; empty where no kernel was measured."""
    if not verdicts:
        return ""
    classes = {None: "soft", True: "good", False: "bad"}
    parts = [
        "<h2>Users' kernels</h2>",
        f"<p>{page.escaped(INTRODUCTION)} {page.escaped(means_text(verdicts))}</p>",
    ]
    for heading, those in targets_page.sections(verdicts).items():
        rows = []
        for verdict in those:
            *cells, outcome = targets_page.row(verdict, "kernels")
            rows.append([*cells, (outcome, classes[verdict.met])])
        parts.append(f"<h3>{page.escaped(heading)}</h3>")
        parts.append(page.table(list(targets_page.head("kernels")), rows))
    return "".join(parts)
