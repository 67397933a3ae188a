# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One chart of the sizes from which on the GPU is faster, for every operation and for each place
of the data."""

from . import comparison, names
from .advice import PLACES
from .plots import GREEN, ORANGE, PURPLE, NullFormatter, as_svg, plt

COLOURS = {"resident": GREEN, "pinned": PURPLE, "pageable": ORANGE}
MARKS = {"resident": "o", "pinned": "s", "pageable": "D"}
LABELS = {"resident": "data on the GPU", "pinned": "pinned arrays", "pageable": "ordinary arrays"}
# Vertical offsets of the three variants of a row, which keep equal sizes apart.
OFFSETS = {"resident": 0.22, "pinned": 0.0, "pageable": -0.22}


def points(results):
    """[(name, {variant: crossing}, smallest size, largest size)]; a crossing is None for never."""
    found = []
    for sample, by_variant in comparison.crossovers(results):
        crossings = {
            variant: comparison.crossover(pairs) for variant, pairs in by_variant.items() if pairs
        }
        sizes = [m.elements for pairs in by_variant.values() for m, _ in pairs]
        found.append((names.case(sample), crossings, min(sizes), max(sizes)))
    return found


def draw_row(axes, place, crossings, smallest, largest):
    axes.plot([smallest, largest], [place, place], color="#d4d4d4", linewidth=8, zorder=1)
    for variant, crossing in crossings.items():
        if crossing is None:
            continue
        height = place + OFFSETS[variant]
        style = {"color": COLOURS[variant], "zorder": 3}
        axes.plot([crossing, largest], [height, height], linewidth=1.2, **style)
        axes.plot([crossing], [height], marker=MARKS[variant], markersize=4, **style)


def figure_of(results):
    """The chart; None if no operation has three sizes on both sides."""
    rows = points(results)[::-1]
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(8.6, 0.3 * len(rows) + 1.2), layout="constrained")
    for place, (_, crossings, smallest, largest) in enumerate(rows):
        draw_row(axes, place, crossings, smallest, largest)
    for variant, _ in PLACES:
        axes.plot([], [], color=COLOURS[variant], marker=MARKS[variant], label=LABELS[variant])
    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks(range(len(rows)), labels=[name for name, *_ in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.margins(x=0.08)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(
        "elements (of matrices: multiply-adds). Grey: measured; a colour: the GPU is faster,\n"
        "there and above; no colour: at no size"
    )
    axes.set_title("From which size on the GPU is faster than all threads of the CPU")
    figure.legend(loc="upper left", bbox_to_anchor=(0, 0), ncol=3)
    return figure


def svg(results):
    figure = figure_of(results)
    return as_svg(figure) if figure else None
