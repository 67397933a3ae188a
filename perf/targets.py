#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists and judges the tables of targets: the GPU's memory-bound operations; with --cpu the CPU's
operations; with --matmul the GPU's matrix products; with --scale several GPUs and operands of the
host.

usage: targets.py [--cpu|--matmul|--scale] --list      the benchmarks to run, one per line
       targets.py [--cpu|--matmul|--scale] --raw DIR --out DIR [--build-info FILE]
                                               the table: targets.md and targets.json, with --matmul
                                               matmul_targets.md and matmul_targets.json, with
                                               --scale scale_targets.md and scale_targets.json

Exit status: 0; 1 when a candidate failed its check or promised bits differ. A missed target is a
finding, not a failure.
"""

import argparse
import json
import pathlib
import sys

from harness import comparison, machine, measurements, targets, verdicts

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description="Write targets.md and targets.json.")
    table = parser.add_mutually_exclusive_group()
    table.add_argument("--cpu", action="store_true", help="the CPU's targets")
    table.add_argument("--matmul", action="store_true", help="the GPU's targets for products")
    table.add_argument("--scale", action="store_true", help="the targets for several GPUs")
    parser.add_argument("--list", action="store_true", help="print the benchmarks and exit")
    parser.add_argument("--raw", help="folder with the programs' JSON files")
    parser.add_argument("--out", help="folder for the table")
    parser.add_argument("--build-info", help="build_info.json of the build that was measured")
    return parser.parse_args()


def write(out, name, text, judged, described):
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.md").write_text(text)
    content = {
        "schema": measurements.SCHEMA,
        "machine": described,
        "targets": verdicts.as_json(judged),
    }
    (out / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")
    print(f"wrote {out / name}.md and {name}.json")


def main():
    chosen = arguments()
    parts = {"cpu": chosen.cpu, "matmul": chosen.matmul, "scale": chosen.scale}
    table = next((part for part, is_chosen in parts.items() if is_chosen), "gpu")
    wanted = targets.table(table)
    if chosen.list:
        print("\n".join(targets.benchmarks(wanted)))
        return 0
    results = comparison.Results(measurements.read(chosen.raw))
    judged = targets.judge(results, wanted)
    families = targets.families(judged)
    print(verdicts.text(families, table))
    described = machine.describe(ROOT, chosen.build_info, False, {})
    repetitions = max((m.repetitions for m in results.all), default=0)
    text = verdicts.markdown(families, described, repetitions, table)
    name = f"{table}_targets" if table in ("matmul", "scale") else "targets"
    write(pathlib.Path(chosen.out), name, text, judged, described)
    return 1 if any(verdict.error for verdict in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
