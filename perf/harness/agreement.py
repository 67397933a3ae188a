# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many different results the same operation has in ten runs, of tandem and of its peers."""

import json
import pathlib

from . import names, peers
from .measurements import Measurement
from .table import Table, escaped

HEADING = "Different results in ten runs"
INTRODUCTION = (
    "Each operation runs ten times on the same 2^20 elements: on the CPU with ten threads, with "
    "nine and so on down to one, on the GPU ten times alike. The figure is the number of different "
    "results by their bits; 1 means that all are equal. Libraries that differ are not wrong: they "
    "add in another order each time, and the results differ by rounding. NumPy and Kokkos do not "
    "change their number of threads."
)
NO_GPU = "no GPU here"

# (algorithm, name, type) of the columns.
COLUMNS = (
    ("reduce", "sum", "f32"),
    ("reduce", "abs_sum", "f32"),
    ("scan", "inclusive", "f32"),
    ("scan", "inclusive", "i32"),
    ("histogram", "normal_150", "f32"),
    ("histogram", "uniform_256", "i32"),
)


def read(folder):
    """The [{"name": .., "bits": [..]}] of the programs' files of agreement in `folder`."""
    found = []
    for path in sorted(pathlib.Path(folder).glob("*.agreement.json")):
        try:
            found += json.loads(path.read_text())["agreement"]
        except (ValueError, KeyError, TypeError):
            continue  # the program died
    return found


class Agreement:
    """The bits by implementation, column and side ("cpu" or "gpu")."""

    def __init__(self, entries):
        self.bits, self.names = {}, {}
        for entry in entries:
            *case, _, backend, implementation, variant = entry["name"].split("/")
            side = "gpu" if backend == "cuda" else "cpu"
            self.bits[implementation, tuple(case), side] = entry["bits"]
            sample = Measurement(*case, "", backend, implementation, variant)
            self.names[implementation, side] = names.candidate(sample)

    def counts(self, implementation, sides):
        """The number of different results per column on the sides together; None if a side has
        none."""
        found = []
        for column in COLUMNS:
            bits = [self.bits.get((implementation, column, side)) for side in sides]
            found.append(len(set().union(*bits)) if all(bits) else None)
        return found

    def has_gpu(self):
        return any(side == "gpu" for _, side in self.names)

    def rows(self):
        """[(name, counts)], tandem first; implementations of both sides have a row for both."""
        order = sorted({name for name, _ in self.names}, key=lambda name: (name != "tandem", name))
        found = []
        for name in order:
            sides = [side for side in ("cpu", "gpu") if (name, side) in self.names]
            found += [(self.names[name, side], self.counts(name, [side])) for side in sides]
            title = peers.TITLES[name] if name in peers.ON_BOTH_SIDES else ""
            if len(sides) == 2 and title:
                found.append((f"{title}, CPU and GPU together", self.counts(name, sides)))
            if name == "tandem" and not self.has_gpu():
                found.append(("tandem, GPU", [NO_GPU] * len(COLUMNS)))
        return [(name, counts) for name, counts in found if any(counts)]

    def broken(self):
        """The columns in which tandem has more than one result, as texts."""
        sides = ["cpu", "gpu"] if self.has_gpu() else ["cpu"]
        counts = self.counts("tandem", sides)
        return ["/".join(c) for c, count in zip(COLUMNS, counts) if count and count > 1]


HEAD = ["", "sum", "abs sum", "scan f32", "scan i32", "histogram f32", "histogram i32"]


def cell(count):
    if count is None:
        return ""
    return str(count), {1: "good", NO_GPU: "soft"}.get(count, "strong")


def table(agreement):
    return Table(HEAD, [[name, *map(cell, counts)] for name, counts in agreement.rows()])


def console_table(agreement):
    """The table for a terminal; empty if nothing ran."""
    text = table(agreement).text()
    return f"{HEADING}\n{text}\n" if text else ""


def section(agreement):
    """The report's section; empty if nothing ran."""
    body = table(agreement).html()
    return f"<p>{escaped(INTRODUCTION)}</p>{body}" if body else ""
