# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws SVG: texts, lines, dots and bars, logarithmic scales and panels of lines whose ends are
labelled. Classes name colours, which the page's style sheet defines."""

import dataclasses
import math

from .table import escaped

# Pixels that a character of the figures' texts takes, and a line of them.
CHARACTER, LINE = 6.7, 12.5


def short(value):
    """A coordinate in tenths."""
    return f"{value:.1f}".removesuffix(".0")


class Canvas:
    """A figure of a width and a height in pixels; y grows downwards."""

    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def text(self, x, y, text, css="", anchor=""):
        named = f' class="{css}"' if css else ""
        placed = f' text-anchor="{anchor}"' if anchor else ""
        self.parts.append(
            f'<text x="{short(x)}" y="{short(y)}"{named}{placed}>{escaped(text)}</text>'
        )

    def line(self, points, css):
        """A line through points; a single point becomes a dot as wide as the class says."""
        (x, y), *others = points
        rest = "".join(f"L{short(a)} {short(b)}" for a, b in others) or "h0"
        self.parts.append(f'<path class="{css}" d="M{short(x)} {short(y)}{rest}"/>')

    def dots(self, points, css):
        marks = "".join(f"M{short(x)} {short(y)}h0" for x, y in points)
        self.parts.append(f'<path class="dots {css}" d="{marks}"/>')

    def bar(self, x, end, y, height, css):
        left, width = min(x, end), max(abs(end - x), 1)
        self.parts.append(
            f'<rect class="{css}" x="{short(left)}" y="{short(y)}" width="{short(width)}" '
            f'height="{short(height)}"/>'
        )

    def svg(self, style=""):
        """An <svg> element; `style` is the style sheet of a file outside the page."""
        head = f"<style>{style}</style>" if style else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'style="--width:{self.width}px">{head}{"".join(self.parts)}</svg>'
        )


@dataclasses.dataclass
class Scale:
    """A logarithmic scale from values to pixels."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value):
        held = min(max(value, self.low), self.high)
        part = math.log(held / self.low) / math.log(self.high / self.low)
        return self.begin + (self.end - self.begin) * part

    def ticks(self, most=6):
        """Powers of ten, thinned to at most so many; 1, 2 and 5 times them on a short scale."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for step, factors in ((1, (1, 2, 5)), (1, (1,)), (2, (1,)), (3, (1,))):
            powers = [10.0**i for i in range(first, last + 1) if i % step == 0]
            found = [f * p for p in powers for f in factors if self.low <= f * p <= self.high]
            if len(found) <= most:
                break
        return found


def scale_of(values, begin, end, margin=1.15):
    """A scale that holds the values, with room at both ends."""
    return Scale(min(values) / margin, max(values) * margin, begin, end)


@dataclasses.dataclass
class Series:
    """A line of a panel: a label, a class that names its colour, points (x, y)."""

    label: str
    css: str
    points: list


def spread(heights, least=LINE):
    """Heights in the same order, moved apart to at least `least` pixels."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    moved = list(heights)
    for _ in range(60):
        for above, below in zip(order, order[1:]):
            lack = least - (moved[below] - moved[above])
            if lack > 0:
                moved[above] -= lack / 2
                moved[below] += lack / 2
    return moved


def size_labels(axis, sizes):
    """[(place, text)] of the sizes {elements: text} whose labels do not touch, from the largest
    on."""
    shown = []
    for elements, text in sorted(sizes.items(), reverse=True):
        place = axis(elements)
        if not shown or shown[-1][0] - place >= CHARACTER * (len(text) + len(shown[-1][1])) / 2 + 8:
            shown.append((place, text))
    return shown


def panel(title, series, sizes, unit, one=False, ceilings=(), width=390):
    """A figure of lines over sizes, labelled at their ends.

    sizes     {elements: text} of the axis
    unit      unit(value) is the text of a value on the y axis
    one       whether a line marks the value 1
    ceilings  series of two points, drawn behind
    """
    top, height = 30, 210
    label_room = CHARACTER * max(len(s.label) for s in (*series, *ceilings)) + 10
    canvas = Canvas(width, top + height + 22)
    values = [y for s in (*series, *ceilings) for _, y in s.points] + ([1] if one else [])
    up = scale_of(values, top + height, top)
    left = CHARACTER * max((len(unit(value)) for value in up.ticks()), default=0) + 8
    across = scale_of(sizes, left, width - label_room, 1.3)
    canvas.text(0, 13, title, "title")
    for value in up.ticks():
        y = up(value)
        canvas.line([(left, y), (width - label_room, y)], "one" if one and value == 1 else "rule")
        canvas.text(left - 5, y + 4, unit(value), "soft", "end")
    for x, text in size_labels(across, sizes):
        canvas.text(x, top + height + 16, text, "soft", "middle")
    drawn = [[(across(x), up(y)) for x, y in s.points] for s in (*ceilings, *series)]
    for s, points in zip((*ceilings, *series), drawn):
        canvas.line(points, s.css)
        if s in series:
            canvas.dots(points, s.css)
    for s, y in zip((*ceilings, *series), spread([points[-1][1] for points in drawn])):
        canvas.text(width - label_room + 5, y + 4, s.label, s.css.split()[0])
    return canvas.svg()
