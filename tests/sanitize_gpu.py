#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the CUDA test binary under NVIDIA's compute-sanitizer, several processes at a time.

One process takes one tool and the cases of one test file (or one case, --split). A tool slows a
kernel down by a factor of 10 to 1000, mostly on one host thread, so a single run takes hours and
parallel parts take minutes. Prints a line for each part and ends with `N passed, N failed, N
skipped`; a part that found something, failed or ran out of time is a failure.
"""

import argparse
import collections
import concurrent.futures
import html
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

TOOLS = ("racecheck", "memcheck", "initcheck", "synccheck")  # the slowest first

# Cases that differ from others in size only, and would take hours.
LARGE_CASES = "*2^31*,*a part of a product*,*more matrices than a grid*"

# Cases about forked children, in which the tools hang.
WITHOUT_TOOLS = re.compile("^(faults|fork)_test$")

# initcheck does not see stores by tensor copies (TMA), so the results of the kernels that these
# files test count as never written. Every other product is checked.
UNSEEN_BY_INITCHECK = re.compile("^(calls|matmul_invariance|tensor|wgmma)_test$")

# Inputs of a random sweep, reduced for slow tools.
FEW = {"racecheck": "8"}
FEW_ELSE = "24"

FINDINGS = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (.*)")
CASES = re.compile(r"^tandem-tests: passed=(\d+) failed=(\d+)", re.MULTILINE)


def cases_of(binary):
    """Returns the names of the binary's cases by test file."""
    listing = subprocess.run([binary, "--list-test-cases", "--reporters=xml"], text=True,
                             stdout=subprocess.PIPE, check=False).stdout
    cases = collections.defaultdict(list)
    for case, file in re.findall(r'<TestCase name="([^"]*)" filename="([^"]*)"', listing):
        cases[pathlib.Path(file).stem].append(html.unescape(case))
    return dict(sorted(cases.items()))


def parts_of(binary, tools, files, split):
    """Yields (tool, file, case filter) of every process; `files` and `split` are expressions."""
    parts = []
    for tool in tools:
        for name, cases in cases_of(binary).items():
            if not re.search(files, name) or WITHOUT_TOOLS.search(name):
                continue
            if tool == "initcheck" and UNSEEN_BY_INITCHECK.search(name):
                continue
            # doctest's filters are comma-separated lists, in which ? matches any character.
            filters = [case.replace(",", "?") for case in cases]
            alone = split and re.search(split, name)
            parts += [(tool, name, chosen) for chosen in (filters if alone else ["*"])]
    return parts


def run_part(binary, tool, name, cases, out, seconds):
    """Returns (tool, name, whether it is clean, its output, seconds) of one tool over one file."""
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99"]
    command += ["--launch-timeout", "0"]
    # Kernels that fault on purpose run in child processes, where the fault is the expected result.
    command += ["--target-processes", "application-only"]
    if tool == "memcheck":
        command += ["--leak-check", "no"]
    command += [binary, f"--source-file=*/{name}.*", f"--test-case={cases}",
                f"--test-case-exclude={LARGE_CASES}"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1",
                   "TANDEM_TEST_FEW": FEW.get(tool, FEW_ELSE)}
    title = name if cases == "*" else f"{name}: {cases}"
    log = out / (re.sub(r"\W+", "_", f"{tool} {title}")[:120] + ".log")
    begun = time.monotonic()
    with log.open("w") as output:
        # A separate process group to stop: otherwise the tool's child would continue.
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                                   env=environment, start_new_session=True)
        try:
            status = process.wait(timeout=max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
    text = log.read_text(errors="replace")
    said = FINDINGS.findall(text)[-1:] + [f"{p} cases" for p, _ in CASES.findall(text)[-1:]]
    if status is None:
        said = ["out of time"]
    return tool, title, status == 0, ", ".join(said), time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="tandem_tests_cuda")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for the logs")
    parser.add_argument("--tools", default=",".join(TOOLS), help="a comma-separated list")
    parser.add_argument("--files", default=".", help="test files that match, a regular expression")
    parser.add_argument("--split", help="of these files each case runs in a process of its own")
    parser.add_argument("--jobs", type=int, default=min(12, os.cpu_count() or 1))
    parser.add_argument("--seconds", type=float, default=3600, help="for everything together")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + arguments.seconds
    tools = [tool for tool in TOOLS if tool in arguments.tools.split(",")]
    parts = parts_of(arguments.binary, tools, arguments.files, arguments.split)
    clean = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = [pool.submit(lambda part: run_part(arguments.binary, *part, arguments.out,
                                                     end - time.monotonic()), part)
                   for part in parts]
        for finished in concurrent.futures.as_completed(running):
            tool, name, passed, said, seconds = finished.result()
            clean += passed
            print(f"{'clean ' if passed else 'FAILED'} {tool:9} {name:32} {seconds:5.0f} s  {said}",
                  flush=True)
    failed = len(parts) - clean if parts else 1
    print(f"{clean} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
