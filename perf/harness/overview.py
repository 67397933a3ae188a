# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's overview of the GPU's speed-ups: every case at its largest size.

Without a GPU it shows the speed-ups of OpenMP over one thread.
"""

from . import names
from .plots import GREEN, INKS, ORANGE, PURPLE, FuncFormatter, as_svg, plt

# Placement of a point's label: offset in points, horizontal and vertical alignment.
LEFT = ((-6, 0), "right", "center")
ABOVE = ((0, 5), "center", "bottom")
RIGHT = ((6, 0), "left", "center")

GPU_SERIES = (
    ("gpu_over_cpu", "data on the GPU", GREEN, RIGHT),
    ("pinned_over_cpu", "transfers included, pinned arrays of the host", PURPLE, ABOVE),
    ("transfers_over_cpu", "transfers included, ordinary arrays of the host", ORANGE, LEFT),
)
CPU_SERIES = (("cpu_over_serial", "OpenMP over serial", GREEN, RIGHT),)


def series_of(rows):
    return GPU_SERIES if any(row["gpu_over_cpu"] for row in rows) else CPU_SERIES


def draw_series(axes, rows, key, label, colour, side):
    points = [(row[key], place) for place, row in enumerate(rows) if row[key]]
    if not points:
        return
    axes.scatter(*zip(*points), color=colour, s=40, zorder=3, label=label)
    distance, across, along = side
    for value, place in points:
        axes.annotate(
            names.factor(value),
            (value, place),
            xytext=distance,
            textcoords="offset points",
            ha=across,
            va=along,
            color=INKS[colour],
            fontsize=7.5,
            # Not crossed by the line of 1x and the grid.
            bbox={"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none"},
        )


def draw(rows, title):
    """Draws one line per case, from its slowest variant to its fastest; None without cases."""
    series = series_of(rows)
    rows = [row for row in rows if row[series[0][0]]][::-1]
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(8.6, 0.4 * len(rows) + 1.3), layout="constrained")
    for place, row in enumerate(rows):
        ends = [row[key] for key, *_ in series if row[key]]
        axes.plot([min(ends), max(ends)], [place, place], color="#d4d4d4", linewidth=2, zorder=1)
    for one in series:
        draw_series(axes, rows, *one)
    axes.axvline(1, color="#444444", linewidth=1, zorder=2)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
    axes.set_yticks(list(range(len(rows))), labels=[name_of(row["sample"]) for row in rows])
    axes.set_ylim(-0.5, len(rows) - 0.3)
    axes.margins(x=0.09)
    axes.grid(axis="y", visible=False)
    axes.set_title(title)
    figure.legend(loc="upper left", bbox_to_anchor=(0, 0), ncol=len(series))
    return figure


def name_of(sample):
    return f"{names.title(sample)}, {sample.type}, {names.size(sample.size)}"


def title_of(rows):
    if series_of(rows) is GPU_SERIES:
        return "Speed-up of the GPU over all threads of the CPU; left of 1x the CPU is faster"
    return "Speed-up of the OpenMP backend over the serial one"


def svg(rows):
    """Draws all rows as an <svg> element."""
    figure = draw(rows, title_of(rows))
    return as_svg(figure) if figure else None
