#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces every figure of README, and those of docs/performance.md that README links, to a kept
result: its table and its picture to one results.json, the rest to a kept table or a linked page."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "perf"))
from harness import comparison, measurements, names, page  # noqa: E402
from harness import peers, report_tables, verdicts  # noqa: E402

KEPT = "perf/results/h200/results.json.gz"
TABLES = ("h200/targets", "h200/matmul_targets", "intel_xeon_processor_14_threads/targets")
# The rows of README's table, by the side that they show.
SIDES = {"cuda": "H200", "openmp": "14&nbsp;Xeon threads"}
MONTHS = "January February March April May June July August September October November December"
# docs/performance.md's table of speeds on the H200: (table, operation, size) by column.
RELATIVE = {
    "sum": ("h200/targets", "sum", "2^27"),
    "`dot`": ("h200/targets", "dot", "2^27"),
    "scan": ("h200/targets", "inclusive", "2^27"),
    "sums of rows": ("h200/targets", "rows", "8192 x 16384"),
    "sort": ("h200/targets", "sort", "2^27"),
    "product": ("h200/matmul_targets", "matmul", "4096^3"),
}
# A ratio ("1.25x") or a share ("34 %").
FIGURE = re.compile(r"\b\d+(?:\.\d+)?(?=x\b|\s%|\sto\s\d+\s%)")
LINK = re.compile(r"\[([^\]]*)\]\(([^)#]*)[^)]*\)")


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def spaced(text):
    return text.replace("&nbsp;", " ")


def day_of(date):
    """27 November 2026 of 2026-11-27."""
    year, month, day = (int(part) for part in date[:10].split("-"))
    return f"{day} {MONTHS.split()[month - 1]} {year}"


class Figures:
    """README and the kept results."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.readme = self.text("README.md")
        self.performance = self.text("docs/performance.md").partition("## The figures of README")[2]
        content = measurements.read_content(self.root / KEPT)
        measured = measurements.kept_measurements(content)
        others = [m for m in measured if m.algorithm != verdicts.KERNELS]
        self.machine = content["machine"]
        self.results = comparison.Results(others, self.machine["cache_bytes"], content["peaks"])

    def text(self, path):
        return (self.root / path).read_text()

    def faults(self):
        """What is not traced, in lines."""
        return [
            *self.table_faults(),
            *self.picture_faults(),
            *self.origin_faults(),
            *self.count_faults(),
            *self.relative_faults(),
            *self.other_faults(),
        ]

    def row_of(self, label):
        found = [line for line in self.readme.splitlines() if line.startswith(f"| {label} |")]
        return [spaced(cell) for cell in cells_of(found[0])[1:]] if found else []

    def table_faults(self):
        """Cells of README's table that are not the kept results', of their one commit."""
        _, _, later = self.machine["commit"].partition(";")
        for backend, label in SIDES.items():
            expected = report_tables.readme_cells(self.results, backend)
            row = self.row_of(label)
            for (own, peer, cell), said in zip(expected, row):
                where = f"README's table, {spaced(label)}, {names.case(own)}"
                if said != cell:
                    yield f"{where}: '{said}', and {KEPT} has '{cell}'"
                side = "GPU" if peer.backend == "cuda" else "CPU"
                name = peers.title(peer.backend, peer.implementation)
                if f"{name} on the {side}" in later:
                    yield f"{where}: {name} is of another commit"
            if len(row) != len(expected):
                yield f"README's table, {spaced(label)}: {len(row)} cells, not {len(expected)}"

    def picture_faults(self):
        """Whether README's picture is what the kept results draw."""
        drawn = page.peers_figure(self.results, self.machine, page.FIGURE_STYLE)
        path = KEPT.replace("results.json.gz", "overview.svg")
        if f"({path})" not in self.readme:
            yield f"README does not show {path}"
        if self.text(path) != drawn:
            yield f"{path} is not what perf/report.py draws of {KEPT}"

    def origin_faults(self):
        """The commit, the day and the machine, which the pages must say."""
        commit, day = self.machine["commit"][:7], day_of(self.machine["date"])
        gpu = self.machine["gpus"][0]["name"]
        for where, text in (("README.md", self.readme), ("docs/performance.md", self.performance)):
            for word in (day, gpu) if where == "README.md" else (commit, day, gpu):
                if word not in " ".join(text.split()):
                    yield f"{where} does not say '{word}' of {KEPT}"

    def count_faults(self):
        """How many rows are met, in docs/performance.md beside links to the kept tables."""
        said = " ".join(self.performance.split())
        for name in TABLES:
            text = self.text(f"perf/results/{name}.md")
            met, missed = re.search(r"(\d+) rows met, (\d+) missed", text).groups()
            counts = f"{met} of {int(met) + int(missed)}"
            if not re.search(rf"\[{counts}[^\]]*\]\(../perf/results/{name}.md\)", said):
                yield f"docs/performance.md does not say '{counts}' of {name}.md"

    def ratio(self, table, operation, kind, size):
        """The ratio against peers of a kept table's first row of that name."""
        limits = {peers.TITLES[name] for name in peers.REFERENCES}
        for line in self.text(f"perf/results/{table}.md").splitlines():
            row = cells_of(line)
            if row[:3] == [operation, kind, size] and not limits & set(row):
                return f"{float(row[-3]):.2f}"
        return ""

    def relative_faults(self):
        """The speeds relative to CUB and cuBLAS, of floats and of doubles."""
        lines = [line for line in self.performance.splitlines() if line.startswith("|")]
        heads, said = cells_of(lines[0]), cells_of(lines[2])
        for head, cell in zip(heads, said):
            table, operation, size = RELATIVE[head]
            ratios = [self.ratio(table, operation, kind, size) for kind in ("f32", "f64")]
            expected = "; ".join(ratio for ratio in ratios if ratio)
            if cell != expected:
                yield f"docs/performance.md, {head}: '{cell}', and {table}.md has '{expected}'"

    def other_faults(self):
        """Figures outside the table, which must be a link's words and stand in its page."""
        text = re.sub(r"^```.*?^```$|^\|.*?$", "", self.readme, flags=re.M | re.S)
        linked = {}
        for words, target in LINK.findall(text):
            for figure in FIGURE.findall(words):
                linked.setdefault(figure, []).append(target)
        for figure in FIGURE.findall(text):
            pages = [self.text(target) for target in linked.get(figure, [])]
            if not any(re.search(rf"\b{figure}(x|\s%)", found) for found in pages):
                yield f"README: '{figure}' stands on no page that a link with it names"


class Trace(unittest.TestCase):
    def test_every_figure_is_traced(self):
        self.assertEqual(Figures(ROOT).faults(), [])

    def test_another_figure_is_a_fault(self):
        for old, new in (
            ("PyTorch |", "cuBLAS |"),
            ("1.14x&nbsp;CUB", "1.16x&nbsp;CUB"),
            ("[give up 20", "[give up 19"),
            (day_of("2026-11-29"), day_of("2026-11-26")),
            ("overview.svg", "other.svg"),
        ):
            changed = Figures(ROOT)
            self.assertIn(old, changed.readme)
            changed.readme = changed.readme.replace(old, new)
            self.assertNotEqual(changed.faults(), [], new)

    def test_counts_and_speeds_of_other_tables_are_faults(self):
        for old, new in (("323", "322"), ("1.17", "1.16"), ("cbaa6b4", "0000000")):
            changed = Figures(ROOT)
            self.assertIn(old, changed.performance)
            changed.performance = changed.performance.replace(old, new)
            self.assertNotEqual(changed.faults(), [], new)


if __name__ == "__main__":
    unittest.main()
