#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what TANDEM_CHECKED finds by compile line: bounds alone, and races with instrumentation.

Compiles a program as docs/debugging.md shows it, links it with a build's libraries, and runs it.
Objects of different levels must not link.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
#include <cstdio>
#include <tandem/tandem.hpp>

int main(int argc, char**) {
  tandem::array<float> values({64}, 1.0f);
  const auto x = values.view().named("x");
  try {
    if (argc > 1) {
      tandem::parallel_for(64, [=](int i) { x(i % 32) += 1; });
    } else {
      tandem::parallel_teams({4, 16, 0}, [=](tandem::team& t) {
        t.for_each_lane([&](int lane) { x(t.index() * 16 + lane + 1) = 1; });
      });
    }
    std::puts("nothing was found");
  } catch (const tandem::error& e) {
    std::puts(e.what());
  }
}
"""
EXTENT = "view 'x': index 64 of dimension 0 is outside its extent 64"
# Files that link with the program, and include no more than they need.
OTHERS = (
    """
#include <tandem/tandem.hpp>

float total(const tandem::array<float>& x) { return tandem::parallel_reduce(x, tandem::sum{}); }
""",
    """
#include <tandem/core/array.hpp>

using row = tandem::view<float, 1, tandem::layout_right, tandem::host_memory>;
float first(const row& x) { return x(0); }
""",
    """
#include <tandem/core/atomic.hpp>

int count(int& x) { return tandem::atomic_add(x, 1); }
""")
MIXED = "tandem_objects_differ_about_tandem_checked"


def compiled_object(folder, asked, name, text, flags):
    """Returns the object of a file with this text."""
    source = folder / f"{name}.cpp"
    source.write_text(text)
    line = [asked.compiler, "-std=c++20", "-O1", "-ffp-contract=off",
            "-DTANDEM_DEFAULT_SPACE=serial", f"-I{asked.build}/include", *flags]
    made = folder / f"{name}.o"
    subprocess.run([*line, "-c", source, "-o", made], check=True)
    return made


def link_line(folder, asked, objects, libraries):
    named = [f"{asked.build}/libtandem_{name}.a" for name in libraries]
    return [asked.compiler, *objects, *named, "-fopenmp", "-ldl", "-o", folder / "program"]


def compiled(folder, asked, flags, libraries):
    """Returns the program's result, compiled with `flags` and linked without them."""
    made = compiled_object(folder, asked, "program", PROGRAM, flags)
    subprocess.run(link_line(folder, asked, [made], libraries), check=True)
    return folder / "program"


def mixed(folder, asked, levels, libraries, other):
    """Returns what is wrong with the linker's answer to the program and another file, each of its
    level."""
    files = [compiled_object(folder, asked, f"{name}{n}", text, flags)
             for n, (name, text, flags) in enumerate(zip(("program", "other"), (PROGRAM, other),
                                                         levels))]
    for objects in (files, files[::-1]):
        done = subprocess.run(link_line(folder, asked, objects, libraries), text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            return [f"{levels}: objects of different levels are linked"]
        if MIXED not in done.stdout or "undefined" in done.stdout:
            return [f"{levels}: the linker does not say {MIXED} alone:\n{done.stdout}"]
    return []


def output(program, *arguments):
    return subprocess.run([program, *arguments], text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).stdout


def missing(what, text, *parts):
    return [f"{what}: no '{part}' in:\n{text}" for part in parts if part not in text]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--compiler", required=True)
    asked = parser.parse_args()
    libraries = ["openmp", "serial", "core"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bounds = compiled(folder, asked, ["-DTANDEM_CHECKED=1"], libraries)
        failures = missing("bounds", output(bounds), EXTENT,
                           "; in lane 15; in parallel_teams (kernel ", "), team 3")
        failures += missing("bounds", output(bounds, "race"), "nothing was found")
        reports = ["-g", "-fsanitize=thread", "-DTANDEM_CHECKED=1"]
        if "clang" in pathlib.Path(asked.compiler).name:
            reports += ["-gdwarf-4", "-mllvm", "-tsan-instrument-read-before-write"]
        races = compiled(folder, asked, reports,
                         ["openmp", "serial", "checked", "core"])
        failures += missing("races", output(races), EXTENT, "team 3, lane 15", "program.cpp:13",
                            "1 findings")
        failures += missing("races", output(races, "race"), "race: x[", "program.cpp:10")
        unchecked = ["-DTANDEM_CHECKED=0"]
        for one, other in ((unchecked, ["-DTANDEM_CHECKED=1"]), (unchecked, reports),
                           (["-DTANDEM_CHECKED=1"], reports)):
            libraries = ["openmp", "serial", *(["checked"] if other is reports else []), "core"]
            for text in OTHERS:
                failures += mixed(folder, asked, [one, other], libraries, text)
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
