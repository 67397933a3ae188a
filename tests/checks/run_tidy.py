#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy over the library and prints each finding once.

The units are the backends' sources that the build compiles, an example, the tests' main function,
and generated sources that include the remaining headers, one per group. A unit per header would
analyse the standard library's templates again for each. With --all, every example is a unit, and so
is every instruction set for which a kernel's source is compiled again.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import compile_commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = re.compile(r"((?:backends|core(?!/tools/checked))/.+|examples/\w+|tests/support/main)"
                     r"\.cpp")
MORE_EXAMPLES = re.compile(r"examples/(?!quick_start).*")
HEADER_GROUPS = ("core", "algorithms", "distributed", *sorted(f"backends/{path.name}" for path in
                                               (ROOT / "backends").iterdir()), "tests/support")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
FINDING = re.compile(r"(?P<path>/[^:]+):(?P<place>\d+:\d+): (?P<text>(?:warning|error): .*)"
                     r"|(?:warning|error): .* \[[\w.,-]+\]")

# clang does not know some of g++'s warnings, nor an attribute's arguments in g++'s omp.h, which
# replaces the header of clang's OpenMP runtime. -fno-unsafe-math-optimizations turns on
# -ftrapping-math in clang, and a later flag turns it off again.
EXTRA_ARGUMENTS = ("-Wno-unknown-warning-option", "-Wno-overriding-t-option",
                   "-D__malloc__(...)=__malloc__")


def included_files(path, build):
    """Returns the repository's files that the file at `path` includes."""
    for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
        for directory in (path.parent, build / "include", ROOT):
            if (directory / header).is_file():
                yield (directory / header).resolve()
                break


def reached_from(paths, build):
    """Returns `paths` and every file of the repository that they include, even indirectly."""
    reached, waiting = set(), list(paths)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += included_files(path, build)
    return reached


def header_unit(headers, like, path):
    """Writes a source at `path` that includes `headers`, compiled like the entry `like`."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f'#include "{header}"\n' for header in headers))
    arguments = [str(path) if part == like["file"] else part
                 for part in shlex.split(like["command"])]
    return {**like, "file": str(path), "command": shlex.join(arguments)}


def is_repeated(path):
    """Whether the code of a source is in another unit: that of kernels for a baseline, or the
    headers that examples include."""
    folder = (ROOT / path).parent
    of_kernels = (pathlib.Path(path).stem.startswith("avx") and folder.name == "kernels"
                  and (folder / "baseline.cpp").exists())
    return of_kernels or MORE_EXAMPLES.fullmatch(path) is not None


def find_units(build, every):
    """Returns the compile commands of what is analysed."""
    entries = compile_commands.load(build)
    relative = {path: os.path.relpath(path, ROOT) for path in entries}
    units = [entry for path, entry in entries.items() if SOURCES.fullmatch(relative[path])
             and (every or not is_repeated(relative[path]))]
    reached = reached_from([pathlib.Path(unit["file"]) for unit in units], build)
    like = entries[str(ROOT / "tests/support/main.cpp")]
    for group in HEADER_GROUPS:
        rest = sorted(set((ROOT / group).rglob("*.hpp")) - reached)
        if rest:
            path = build / "clang-tidy" / f"{group.replace('/', '_')}_headers.cpp"
            units.append(header_unit(rest, like, path))
    return units


def write_commands(units, build):
    """Writes the units' compile commands for clang-tidy; returns their directory."""
    compiler = shlex.split(units[0]["command"])[0]
    own = subprocess.run([compiler, "-print-file-name=include"], text=True, check=True,
                         stdout=subprocess.PIPE).stdout.strip()
    of_tests = build.resolve() / "tests/backends_of/tandem_tests_host"
    extra = shlex.join([*EXTRA_ARGUMENTS, f"-I{of_tests}", "-idirafter", own])
    units = [{**unit, "command": f"{unit['command']} {extra}"} for unit in units]
    directory = build / "clang-tidy"
    directory.mkdir(exist_ok=True)
    (directory / "compile_commands.json").write_text(json.dumps(units, indent=1))
    return directory


def split_findings(output):
    """Yields (first line, whole text) of each finding in clang-tidy's output, with paths in the
    tree."""
    finding = []
    for line in output.splitlines() + [None]:
        match = line and FINDING.fullmatch(line)
        if (line is None or match) and finding:
            yield finding[0], "\n".join(finding)
            finding = []
        if match and match["path"]:
            path = os.path.relpath(pathlib.Path(match["path"]).resolve(), ROOT)
            line = f"{path}:{match['place']}: {match['text']}"
        if line is not None:
            finding.append(line)


def analyse(program, directory, unit):
    """Returns the findings in one unit by their first lines."""
    result = subprocess.run([program, "--quiet", "-p", str(directory), unit["file"]], cwd=ROOT,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    findings = dict(split_findings(result.stdout))
    if result.returncode != 0 and not findings:
        findings[unit["file"]] = f"{unit['file']}: clang-tidy failed:\n{result.stderr}"
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build directory")
    parser.add_argument("--program", default="clang-tidy-16")
    parser.add_argument("--all", action="store_true", help="also units of code that others include")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    units = find_units(build, options.all)
    directory = write_commands(units, build)
    findings = {}
    for found in compile_commands.in_parallel(
            lambda unit: analyse(options.program, directory, unit), units):
        findings.update(found)
    for _, finding in sorted(findings.items()):
        print(finding)
    print(f"{len(units)} files, {len(findings)} findings")
    return 1 if findings or not units else 0


if __name__ == "__main__":
    sys.exit(main())
