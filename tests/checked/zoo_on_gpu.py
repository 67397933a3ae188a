#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the planted bugs of zoo.cu under NVIDIA's compute-sanitizer and shows who finds which.

    tests/checked/zoo_on_gpu.py build/cuda-release/tests/tandem_zoo_cuda

Each bug runs in a separate process: alone, when an error in the program itself counts as found, and
under each tool. Prints a Markdown table for docs/debugging.md. The column tandem::checked refers to
the same bugs in tests/checked/*_test.cpp.
"""

import argparse
import concurrent.futures
import re
import shutil
import subprocess
import sys

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")
SECONDS = 120


def finds(program, bug, tool):
    """Whether the tool, or without a tool the program itself, reports the bug."""
    under = [] if tool is None else ["compute-sanitizer", "--tool", tool]
    try:
        done = subprocess.run([*under, program, bug], text=True, check=False, timeout=SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return "no end"
    if tool is None:
        return "error" if done.returncode != 0 else "-"
    summary = SUMMARY.search(done.stdout)
    if summary is None:
        return "?"
    return "found" if int(summary[1]) > 0 else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    asked = parser.parse_args()
    if shutil.which("compute-sanitizer") is None:
        sys.exit("there is no compute-sanitizer on PATH; the CUDA toolkit has it")
    names = subprocess.run([asked.program], text=True, check=True, capture_output=True).stdout
    print("| bug | no tool | " + " | ".join(TOOLS) + " | `tandem::checked` |")
    print("|" + "---|" * (len(TOOLS) + 3))
    with concurrent.futures.ThreadPoolExecutor(max_workers=8) as pool:
        asks = {bug: [pool.submit(finds, asked.program, bug, tool) for tool in (None, *TOOLS)]
                for bug in names.splitlines()}
        for bug, answers in asks.items():
            found = " | ".join(answer.result() for answer in answers)
            print(f"| {bug} | {found} | found |", flush=True)


if __name__ == "__main__":
    main()
