# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the report's figures as SVG."""

import io
import math
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: E402

from . import names  # noqa: E402
from .comparison import SIDES, crossover, ratio, speedups  # noqa: E402

# Okabe and Ito's colours, which colour-blind readers distinguish; blue for the CPU, green for the
# GPU.
GREY, BLUE, SKY, GREEN, ORANGE, PURPLE, RED = (
    "#7a7a7a",
    "#0072b2",
    "#56b4e9",
    "#009e73",
    "#e69f00",
    "#cc79a7",
    "#d55e00",
)
# Small text in a series' colour, dark enough to read on white (WCAG's level AA).
INKS = {GREEN: "#00694d", ORANGE: "#805800", PURPLE: "#98466f"}
# What the page's style sheet replaces for readers who prefer a dark background.
VARIABLES = {
    "#ffffff": "page",
    "#000000": "ink",
    "#444444": "ink",
    "#888888": "soft",
    "#e4e4e4": "rule",
    "#d4d4d4": "track",
    "#b3b3b3": "naive",
    "#4d4d4d": "tiled",
    GREY: "grey",
    BLUE: "blue",
    SKY: "sky",
    GREEN: "green",
    ORANGE: "orange",
    PURPLE: "purple",
    RED: "red",
    INKS[GREEN]: "green-ink",
    INKS[ORANGE]: "orange-ink",
    INKS[PURPLE]: "purple-ink",
}
STYLES = {
    ("serial", "tandem", "resident"): (GREY, "-", "o"),
    ("openmp", "tandem", "resident"): (BLUE, "-", "o"),
    ("cuda", "tandem", "resident"): (GREEN, "-", "o"),
    ("cuda", "tandem", "to_host"): (GREEN, "-.", "s"),
    ("cuda", "tandem", "pinned"): (PURPLE, "-", "o"),
    ("cuda", "tandem", "pageable"): (ORANGE, "-", "o"),
    ("cuda", "tandem", "naive"): ("#b3b3b3", "-.", "v"),
    ("cuda", "tandem", "tiled"): ("#4d4d4d", "-.", "^"),
}
# The fastest peer on a side at each size; the tables have all of them.
PEER_STYLES = {"openmp": (SKY, "--", "."), "cuda": (RED, "--", ".")}
PEER_NAMES = {"openmp": "fastest peer on the CPU", "cuda": "fastest peer on the GPU"}

plt.rcParams.update(
    {
        "svg.fonttype": "none",  # keeps text as text: small, sharp, searchable
        "svg.hashsalt": "tandem",  # equal figures have equal bytes
        "font.family": "sans-serif",
        "font.sans-serif": ["system-ui", "Helvetica", "Arial", "DejaVu Sans"],
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "#888888",
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.grid": True,
        "grid.color": "#e4e4e4",
        "grid.linewidth": 0.6,
        "lines.markersize": 3.5,
        "lines.linewidth": 1.4,
        "legend.frameon": False,
        "legend.fontsize": 8,
    }
)


def as_svg(figure):
    """The figure as an <svg> element for a page."""
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\n\s*", "\n", svg).replace(" \n", " ")
    svg = re.sub(r' (d|x|y|transform)="[^"]*"', lambda text: rounded(text[0]), svg)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(f": {colour}", f": var(--{variable}, {colour})")
    # The page sets the width, and the figure keeps its proportions.
    svg = re.sub(r' height="[\d.]+pt"', "", svg, count=1)
    return re.sub(r'<svg (.*?)width="[^"]*"', r"<svg \1", svg, count=1)


def rounded(coordinates):
    """Coordinates in hundredths of a point."""

    def shorter(number):
        return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")

    return re.sub(r"-?\d+\.\d{3,}", shorter, coordinates)


def seconds_axis(axis):
    axis.set_major_formatter(FuncFormatter(lambda value, _: names.seconds(value)))
    axis.set_minor_formatter(NullFormatter())


def size_axis(axes, measured, least_share=0.15):
    """Labels a logarithmic axis with the sizes of measurements, one for each size, except oblong
    ones beside squares and cubes, and those too close to a larger one: nearer than `least_share` of
    the axis, more if names are long."""
    axes.set_xscale("log", base=2)
    square = [m for m in measured if len(set(m.size.split("x"))) == 1]
    sizes = sorted(square or measured, key=lambda m: -m.elements)
    texts = [names.size(m.size) for m in sizes]
    long_names = any("x" in text or " of " in text for text in texts)
    share = 0.3 if long_names else 0.2 if any(text.endswith("^3") for text in texts) else 0
    room = max(share, least_share) * math.log(sizes[0].elements / sizes[-1].elements)
    shown = []
    for m in sizes:
        if not shown or math.log(shown[-1].elements / m.elements) > room:
            shown.append(m)
    axes.set_xticks([m.elements for m in shown], labels=[names.size(m.size) for m in shown])
    axes.xaxis.set_minor_formatter(NullFormatter())
    if long_names:
        plt.setp(axes.get_xticklabels(), fontsize=7)


def lines(results, case):
    """Yields (label, style, measurements by size) of a case, in the legend's order."""
    measured = [m for m in results.all if m.case == case and m.seconds]
    for candidate, style in STYLES.items():
        found = [m for m in measured if m.candidate == candidate]
        if found:
            yield names.candidate(found[0]), style, sorted(found, key=lambda m: m.elements)
    for side, style in PEER_STYLES.items():
        peers = [m for m in measured if m.implementation != "tandem" and SIDES[m.backend] == side]
        fastest = {}
        for m in sorted(peers, key=lambda m: (m.elements, -m.seconds)):
            fastest[m.elements] = m
        found = {names.candidate(m) for m in peers}
        if fastest:
            label = found.pop() if len(found) == 1 else PEER_NAMES[side]
            yield label, style, list(fastest.values())


def plot_times(axes, results, case):
    for label, (colour, dash, mark), line in lines(results, case):
        axes.plot(
            [m.elements for m in line],
            [m.seconds for m in line],
            color=colour,
            linestyle=dash,
            marker=mark,
            label=label,
        )
    axes.set_yscale("log")
    seconds_axis(axes.yaxis)
    axes.set_title("Time")


def draw_speedup(axes, candidate, points):
    colour, dash, mark = STYLES[candidate]
    if points:
        axes.plot(*zip(*points), color=colour, linestyle=dash, marker=mark)


def mark_crossover(axes, elements, colour, row):
    """Marks a size and labels it in the given row from the bottom."""
    axes.axvline(elements, color=colour, linewidth=0.8, linestyle=":")
    axes.annotate(
        names.amount(elements),
        (elements, 0.02 + 0.08 * row),
        xycoords=("data", "axes fraction"),
        xytext=(3, 0),
        textcoords="offset points",
        color=INKS.get(colour, colour),
        fontsize=8,
    )


def plot_speedups(axes, results, case):
    """Speed-up over tandem on all CPU threads, with the crossover; over serial without a GPU."""
    gpu = any(m.case == case and m.backend == "cuda" for m in results.all)
    if gpu:
        for row, variant in enumerate(("resident", "to_host", "pinned", "pageable")):
            pairs = speedups(results, case, variant)
            points = [(m.elements, speed) for m, speed in pairs]
            draw_speedup(axes, ("cuda", "tandem", variant), points)
            crossing = crossover(pairs)
            if crossing is not None and crossing > pairs[0][0].elements:
                mark_crossover(axes, crossing, STYLES[("cuda", "tandem", variant)][0], row)
    else:
        sizes = results.sizes(case)
        pairs = [(results.find(case, s, "serial"), results.find(case, s, "openmp")) for s in sizes]
        points = [(fast.elements, ratio(slow, fast)) for slow, fast in pairs if slow and fast]
        draw_speedup(axes, ("openmp", "tandem", "resident"), points)
    axes.axhline(1, color="#444444", linewidth=1)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_title("Speed-up over " + ("the CPU's OpenMP" if gpu else "serial"))


def draw_ceiling(axes, results, case, backend, colour, name):
    """A line at the machine's measured peak for a case on a side."""
    sample = next((m for m in results.all if m.case == case and m.backend == backend), None)
    peak = sample and results.peak(sample)
    if not peak or case[0] == "transfer":  # the link bounds copies, not the memory
        return
    axes.axhline(peak, color=colour, linewidth=1, linestyle=":")
    axes.annotate(
        f"{name}'s peak, {names.rate_of(peak, sample)}",
        (0.01, peak),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        color=INKS.get(colour, colour),
        fontsize=7,
        zorder=1.9,  # above the grid, below what was measured
        bbox={"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none"},
    )


def plot_rates(axes, results, case):
    """Bandwidth or arithmetic rate, with the measured peaks as ceilings. A CPU is above that of its
    memory if its caches hold the data."""
    sample = next(m for m in results.all if m.case == case and m.rate)
    for _, (colour, dash, mark), line in lines(results, case):
        points = [(m.elements, m.rate) for m in line if m.variant != "to_host" and m.rate]
        if points:
            axes.plot(*zip(*points), color=colour, linestyle=dash, marker=mark)
    draw_ceiling(axes, results, case, "openmp", BLUE, "CPU")
    draw_ceiling(axes, results, case, "cuda", GREEN, "GPU")
    axes.set_yscale("log")
    axes.margins(y=0.08)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: names.rate_of(value, sample)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_title("Throughput")


def case_figure(results, case):
    """Plots time, speed-up and throughput against size; None for a case with one size."""
    if len(results.sizes(case)) < 2:
        return None
    sample = next(m for m in results.all if m.case == case and m.seconds)
    has_rate = any(m.rate for m in results.all if m.case == case)
    plots = [plot_times]
    if case[0] != "transfer":
        plots.append(plot_speedups)
    if has_rate:
        plots.append(plot_rates)
    figure, panels = plt.subplots(
        1, len(plots), figsize=(3.8 * len(plots), 3.1), layout="constrained", squeeze=False
    )
    panels = panels[0]
    for plot, axes in zip(plots, panels):
        plot(axes, results, case)
    known = {m.size: m for m in results.all if m.case == case}
    for axes in panels:
        size_axis(axes, [known[size] for size in results.sizes(case)])
    figure.suptitle(
        names.case(sample), x=0.01, ha="left", weight="bold", fontsize=10
    )
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="upper left", bbox_to_anchor=(0, 0), ncol=5
    )
    return as_svg(figure)
