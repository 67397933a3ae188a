#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws docs/floors.svg: the layers, the folders of each backend by layer, and who includes whom.

The arrows are read from the includes, the floors from tests/checks/check_layers.py. With --check it
draws nothing and fails if the picture does not match the source.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "checks"))
import check_layers  # noqa: E402

PICTURE = ROOT / "docs" / "floors.svg"
WIDTH, BOX_HEIGHT, FLOOR_HEIGHT, GAP, MARGIN = 1180, 34, 92, 14, 24
HOUSE_WIDTH = (WIDTH - 3 * MARGIN) // 2
LAYERS = (
    ("distributed", "the same over several GPUs, and for data larger than one"),
    ("algorithms", "what users call"),
    ("backends", "one folder each"),
    ("core/tools", "what watches a program"),
    ("core/contract", "what a backend implements"),
    ("core", "what users name"),
)
STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1b1f24; text-anchor: middle; }
  .narrow { font-size: 12px; }
  .title { font-weight: 600; font-size: 16px; }
  .note { font-size: 12px; fill: #57606a; }
  .room { fill: #ddf4ff; stroke: #0969da; }
  .face { fill: #fff8c5; stroke: #9a6700; }
  .layer { fill: #f6f8fa; stroke: #57606a; }
  path { fill: none; stroke: #57606a; stroke-opacity: .55; marker-end: url(#tip); }
  #tip path { fill: #57606a; stroke: none; }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; }
    text { fill: #e6edf3; } .note { fill: #8b949e; }
    .room { fill: #0c2d6b; stroke: #58a6ff; } .face { fill: #3b2300; stroke: #d29922; }
    .layer { fill: #161b22; stroke: #8b949e; }
    path { stroke: #8b949e; } #tip path { fill: #8b949e; }
  }
"""


def arrows(backend):
    """Pairs (folder, folder that it includes); None stands for the backend's own header."""
    found = set()
    for path, text in check_layers.source_files():
        if check_layers.owner(path) != backend or path.suffix not in check_layers.CODE:
            continue
        for _, header in check_layers.INCLUDE.findall(text):
            target = pathlib.PurePath(header.removeprefix("tandem/"))
            if header.startswith(f"tandem/backends/{backend}/"):
                pair = (check_layers.room(path), check_layers.room(target))
                if pair[0] != pair[1]:
                    found.add(pair)
    return sorted(found, key=str)


def box(x, y, width, text, kind):
    return (f'<rect class="{kind}" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" '
            f'height="{BOX_HEIGHT}" rx="6"/>'
            f'<text class="{"narrow" if width < 90 else "wide"}" x="{x + width / 2:.0f}" '
            f'y="{y + BOX_HEIGHT / 2 + 5:.0f}">{text}</text>')


def house(backend, left, top, floors):
    """One backend: its header on top, its folders below, an arrow for each pair that includes."""
    rows = [(None,), *reversed(check_layers.FLOORS[backend])]
    shapes, places = [], {}
    middle = left + HOUSE_WIDTH / 2
    shapes.append(f'<text class="title" x="{middle:.0f}" y="{top - 14}">backends/{backend}</text>')
    for number, row in enumerate(rows):
        y = top + (floors - len(rows) + number) * FLOOR_HEIGHT
        width = min(130, (HOUSE_WIDTH - (len(row) - 1) * GAP) / len(row))
        x = middle - (len(row) * width + (len(row) - 1) * GAP) / 2
        for name in row:
            places[name] = (x, y, width)
            face = f"{backend}.hpp"
            shapes.append(box(x, y, width, name or face, "room" if name else "face"))
            x += width + GAP
    lines = []
    for upper, lower in arrows(backend):
        x, y, width = places[upper]
        to_x, to_y, to_width = places[lower]
        # Arrows start and end on the side of their other end, so that they fan out along the boxes.
        slant = max(-0.4, min(0.4, (to_x - x) / HOUSE_WIDTH))
        x1, y1 = x + width * (0.5 + slant), y + BOX_HEIGHT
        x2, y2 = to_x + to_width * (0.5 - slant), to_y - 5
        bend = (y2 - y1) * 0.45
        lines.append(f'<path d="M{x1:.0f} {y1:.0f} C{x1:.0f} {y1 + bend:.0f} '
                     f'{x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}"/>')
    return lines + shapes


def layers(top):
    """The layers of the library, each of which includes those below it."""
    shapes = []
    width = WIDTH - 2 * MARGIN
    for number, (name, what) in enumerate(LAYERS):
        y = top + number * (BOX_HEIGHT + 6)
        shapes.append(box(MARGIN, y, width, f"{name}: {what}", "layer"))
    return shapes


def picture():
    floors = 1 + max(len(rows) for rows in check_layers.FLOORS.values())
    top = len(LAYERS) * (BOX_HEIGHT + 6) + 84
    height = top + (floors - 1) * FLOOR_HEIGHT + BOX_HEIGHT + MARGIN
    shapes = layers(MARGIN)
    note = "Each layer includes those below it; an arrow is an include from room to room."
    shapes.append(f'<text class="note" x="{WIDTH / 2:.0f}" y="{top - 44}">{note}</text>')
    for number, backend in enumerate(check_layers.FLOORS):
        left = MARGIN + number * (HOUSE_WIDTH + MARGIN)
        shapes += house(backend, left, top, floors)
    body = "\n".join(shapes)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">
<!-- Written by docs/draw_floors.py -->
<title>The layers of tandem and the floors of its backends</title>
<style>{STYLE}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" \
orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>
{body}
</svg>
"""


def main():
    drawn = picture()
    if "--check" in sys.argv[1:]:
        current = PICTURE.read_text(encoding="utf-8") if PICTURE.exists() else ""
        if current != drawn:
            print("docs/floors.svg does not match the source; run docs/draw_floors.py")
            return 1
        print("docs/floors.svg matches the source")
        return 0
    PICTURE.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
