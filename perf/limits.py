#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of bars, of the GPU or, with --cpu, of the CPU.

usage: limits.py [--cpu] --list                            the entries to measure, one a line
       limits.py [--cpu] --raw DIR --out DIR [--build-info FILE]
                                                           the table: limits.md and limits.json

Exit status: 0; 1 when a contender failed its check or bits differ that are promised to be equal. A
bar that is missed is a finding and no failure.
"""

import argparse
import json
import pathlib
import sys

from reporting import comparison, console, cpu_limits, limits, limits_page, machine, measurements

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description="Write limits.md and limits.json.")
    parser.add_argument("--cpu", action="store_true", help="the CPU's bars")
    parser.add_argument("--list", action="store_true", help="print the entries and end")
    parser.add_argument("--raw", help="folder with the programs' JSON files")
    parser.add_argument("--out", help="folder for limits.md and limits.json")
    parser.add_argument("--build-info", help="build_info.json of the build that was measured")
    return parser.parse_args()


def print_table(judged):
    for heading, found in limits_page.sections(judged).items():
        print(f"\n{heading}")
        print(console.aligned(limits_page.HEAD, [limits_page.row(one) for one in found]))
    met, missed, unknown = limits_page.counts(judged)
    print(f"\n{met} bars met, {missed} missed, {unknown} not measured")


def main():
    chosen = arguments()
    asked = limits.all_limits(cpu_limits.SECTIONS if chosen.cpu else limits.SECTIONS)
    if chosen.list:
        print("\n".join(limits.entries(asked)))
        return 0
    results = comparison.Results(measurements.read(chosen.raw))
    judged = limits.judge(results, asked)
    described = machine.describe(ROOT, chosen.build_info, False, {})
    repetitions = max((m.repetitions for m in results.all), default=0)
    out = pathlib.Path(chosen.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "limits.md").write_text(limits_page.markdown(judged, described, repetitions, chosen.cpu))
    (out / "limits.json").write_text(
        json.dumps(limits_page.as_json(judged, described), indent=1) + "\n"
    )
    print_table(judged)
    print(f"wrote {out / 'limits.md'} and limits.json")
    return 1 if any(found.error for found in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
