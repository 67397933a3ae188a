# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one format of tables: columns of texts, which a terminal, Markdown and HTML show alike."""

import dataclasses
import html


def escaped(text):
    return html.escape(str(text))


def attribute(name, value):
    return f' {name}="{value}"' if value else ""


@dataclasses.dataclass
class Table:
    """A table. A cell is a text, or a text with a class of the page's style sheet; the first column
    names the row. `short` is the head on a terminal if it differs."""

    head: list
    rows: list
    short: list | None = None

    def __post_init__(self):
        self.rows = [
            [(cell, "") if isinstance(cell, str) else cell for cell in row] for row in self.rows
        ]

    def texts(self):
        return [[text for text, _ in row] for row in self.rows]

    def text(self):
        """Lines for a terminal, the first column aligned to the left, the others to the right; a
        dash stands for an empty cell. Empty without rows."""
        head = self.short or self.head
        body = [[t or ("-" if name else "") for t, name in zip(r, head)] for r in self.texts()]
        lines = [list(head), *body]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if c else cell.ljust(width)
                for c, (cell, width) in enumerate(zip(line, widths))
            )
            for line in lines if self.rows
        )

    def markdown(self, numbers):
        """The columns named in `numbers` are aligned to the right."""
        ruler = ["---:" if name in numbers else "---" for name in self.head]
        return "\n".join(f"| {' | '.join(line)} |" for line in (self.head, ruler, *self.texts()))

    def html(self, data=()):
        """The first column are headers of rows. `data` has attributes for each row, if any. Empty
        without rows."""
        if not self.rows:
            return ""
        head = "".join(f"<th>{escaped(name)}</th>" for name in self.head)
        data = data or [""] * len(self.rows)
        body = "".join(f"<tr{more}>{self.cells(row)}</tr>" for row, more in zip(self.rows, data))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f'<div class="scroll">{table}</div>'

    def cells(self, row):
        first, *others = row
        return f"<th>{escaped(first[0])}</th>" + "".join(
            f'<td{attribute("class", css)}>{escaped(text)}</td>' for text, css in others
        )
