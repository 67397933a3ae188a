# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""overview.svg, the README's picture: the GPU's speed-up by size for one operation of each kind,
with transfers and without. Without a GPU it shows the speed-ups of OpenMP over one thread."""

import math
import re

from matplotlib.ticker import LogLocator

from . import page
from .comparison import ratio, speedups
from .plots import GREEN, ORANGE, PURPLE, FuncFormatter, as_svg, plt, size_axis

# One of each kind, with its title; those with fewer than two sizes on both sides are left out.
CASES = {
    ("reduce", "sum", "f32"): "Sum of floats",
    ("histogram", "normal_150", "f32"): "Histogram of floats, 150 bins",
    ("sort", "sort", "u32"): "Sort of 32-bit integers",
    ("matmul", "matmul", "f32"): "Product of square matrices",
}
# (variant of the GPU's measurements, label, colour, mark)
PLACES = (
    ("resident", "data on the GPU", GREEN, "o"),
    ("pinned", "with transfers, pinned arrays of the host", PURPLE, "s"),
    ("pageable", "with transfers, ordinary arrays of the host", ORANGE, "D"),
)


def over_serial(results, case):
    """[(measurement, speed-up of OpenMP over serial)] by size."""
    found = []
    for size in results.sizes(case):
        serial, threads = results.find(case, size, "serial"), results.find(case, size, "openmp")
        speed = ratio(serial, threads)
        if speed is not None and not (serial.noisy or threads.noisy):
            found.append((threads, speed))
    return found


def series_of(results, case):
    """[(label, colour, mark, [(measurement, speed-up)])] of a case."""
    if not results.has_gpu():
        return [("OpenMP over serial", GREEN, "o", shown(over_serial(results, case)))]
    return [
        (label, colour, mark, shown(speedups(results, case, variant)))
        for variant, label, colour, mark in PLACES
    ]


def shown(pairs):
    """Those of lines and square matrices, without a size close to the next: 10^6 beside 2^20."""
    square = [pair for pair in pairs if len(set(pair[0].size.split("x"))) == 1]
    following = [m.elements for m, _ in square[1:]] + [math.inf]
    return [pair for pair, after in zip(square, following) if after > 1.1 * pair[0].elements]


def draw_panel(axes, case, series):
    for label, colour, mark, pairs in series:
        points = [(m.elements, speed) for m, speed in pairs]
        if points:
            axes.plot(*zip(*points), color=colour, marker=mark, label=label)
    axes.axhline(1, color="#444444", linewidth=1)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(numticks=9))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
    size_axis(axes, [m for m, _ in series[0][3]], least_share=0.24)
    plt.setp(axes.get_xticklabels(), fontsize=7.5)
    axes.set_title(CASES[case], fontsize=9)


def title_of(results, machine):
    processor = re.sub(r"\(.*?\)| Processor$", "", machine["processor"])
    threads = f"{machine['threads']} threads of {processor}"
    if not results.has_gpu():
        return f"Speed-up of {threads} over one by size"
    gpu = machine["gpus"][0]["name"] if machine["gpus"] else "GPU"
    return f"Speed-up of {gpu} over {threads} by size; below 1x the CPU is faster"


def picture(results, machine):
    """The picture as an SVG file's text; None if nothing can be compared."""
    found = [(case, series_of(results, case)) for case in CASES if case in results.cases()]
    found = [(case, series) for case, series in found if len(series[0][3]) >= 2]
    if not found:
        return None
    figure, panels = plt.subplots(
        1,
        len(found),
        figsize=(2.2 * len(found), 1.9),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    for axes, (case, series) in zip(panels.flat, found):
        draw_panel(axes, case, series)
    figure.suptitle(title_of(results, machine), x=0.01, ha="left", fontsize=9.5)
    figure.legend(
        *panels.flat[0].get_legend_handles_labels(),
        loc="upper left",
        bbox_to_anchor=(0, 0),
        ncol=len(PLACES),
    )
    style = f"<style>{page.COLOURS} text {{ fill: var(--ink); }}</style>"
    return as_svg(figure).replace(">", f">{style}", 1)
