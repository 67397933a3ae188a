#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of targets: the GPU's memory-bound operations; with --cpu the CPU's operations; with
--matmul the GPU's matrix products.

usage: targets.py [--cpu|--matmul] --list      the entries to measure, one a line
       targets.py [--cpu|--matmul] --raw DIR --out DIR [--build-info FILE]
                                              the table: targets.md and targets.json, with --matmul
                                              matmul_targets.md and matmul_targets.json

Exit status: 0; 1 when a candidate failed its check or bits differ that are promised to be equal. A
target that is missed is a finding and no failure.
"""

import argparse
import json
import pathlib
import sys

from reporting import (
    comparison,
    console,
    cpu_targets,
    targets,
    targets_page,
    machine,
    matmul_targets,
    measurements,
)

SECTIONS = {
    "gpu": targets.SECTIONS,
    "cpu": cpu_targets.SECTIONS,
    "matmul": matmul_targets.SECTIONS,
}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description="Write targets.md and targets.json.")
    table = parser.add_mutually_exclusive_group()
    table.add_argument("--cpu", action="store_true", help="the CPU's targets")
    table.add_argument("--matmul", action="store_true", help="targets for matrix products")
    parser.add_argument("--list", action="store_true", help="print the entries and end")
    parser.add_argument("--raw", help="folder with the programs' JSON files")
    parser.add_argument("--out", help="folder for the table")
    parser.add_argument("--build-info", help="build_info.json of the build that was measured")
    return parser.parse_args()


def print_table(judged, table):
    for heading, found in targets_page.sections(judged).items():
        print(f"\n{heading}")
        rows = [targets_page.row(one, table) for one in found]
        print(console.aligned(targets_page.head(table), rows))
    met, missed, unknown = targets_page.counts(judged)
    print(f"\n{met} targets met, {missed} missed, {unknown} not measured")


def main():
    chosen = arguments()
    table = "cpu" if chosen.cpu else "matmul" if chosen.matmul else "gpu"
    asked = targets.all_targets(SECTIONS[table])
    if chosen.list:
        print("\n".join(targets.entries(asked)))
        return 0
    results = comparison.Results(measurements.read(chosen.raw))
    judged = targets.judge(results, asked)
    described = machine.describe(ROOT, chosen.build_info, False, {})
    repetitions = max((m.repetitions for m in results.all), default=0)
    out = pathlib.Path(chosen.out)
    out.mkdir(parents=True, exist_ok=True)
    name = "matmul_targets" if chosen.matmul else "targets"
    (out / f"{name}.md").write_text(targets_page.markdown(judged, described, repetitions, table))
    (out / f"{name}.json").write_text(
        json.dumps(targets_page.as_json(judged, described), indent=1) + "\n"
    )
    print_table(judged, table)
    print(f"wrote {out / name}.md and {name}.json")
    return 1 if any(found.error for found in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
