#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the code in README and docs/ compiles and prints what the pages say.

Every block fenced as ```cpp in README.md, docs/guide/ and the PAGES below is compiled with the
flags of the build, in one translation unit per page. Code of other libraries is fenced as ```c++
and not compiled. An HTML comment in front of a block says how it is wrapped:

    <!-- snippet: NAME -->          the body of a function that begins with PRELUDES[NAME]
    <!-- snippet: declarations -->  stands at namespace scope; later blocks of the page see it
    <!-- snippet: cuda -->          as "device", in builds with CUDA alone, compiled by nvcc

Without a comment, a block with an #include is a program, and any other block is a body that begins
with PRELUDES["arrays"]. A program followed by a ```text block, with at most a line of prose in
between, is linked with --library and run if libraries are given, and must print that text.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import compile_commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/debugging.md", "docs/matmul.md", "docs/quick-reference.md"]
BLOCK = re.compile(r"(?:^<!-- snippet: (?P<kind>[a-z]+) -->\n)?^```cpp\n(?P<code>.*?)^```$"
                   r"(?P<output>\n\n(?:[^\n`]+\n\n)?```text\n.*?^```$)?", re.S | re.M)

HEADERS = """#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#include <tandem/dlpack.hpp>
#include <tandem/print.hpp>
#include <tandem/require_in_kernel.hpp>
#include <tandem/tandem.hpp>
"""

# Additional headers for nvcc.
DEVICE_HEADERS = """#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
"""

ARRAYS = """
[[maybe_unused]] const int n = 1 << 10;
[[maybe_unused]] const float a = 2.0f;
tandem::array<float> x({n}, 1.0f), y({n}, 2.0f), z({n}, 3.0f);
[[maybe_unused]] const auto xv = x.const_view();
[[maybe_unused]] const auto yv = y.view();
[[maybe_unused]] const auto zv = z.view();
"""
PRELUDES = {
    "nothing": "",
    "arrays": ARRAYS,
    "space": "[[maybe_unused]] const tandem::build_space space;" + ARRAYS,
    "matrix": """
[[maybe_unused]] const int rows = 48, columns = 64;
[[maybe_unused]] const tandem::build_space space;
tandem::array<float, 2> image({rows, columns}, 1.0f), result({rows, columns}, 0.0f);
[[maybe_unused]] const auto u = image.const_view();
[[maybe_unused]] const auto v = result.view();
""",
    "products": """
[[maybe_unused]] const tandem::build_space space;
tandem::array<float, 2> a({48, 32}, 1.0f), b({32, 64}, 1.0f), c({48, 64}, 1.0f);
tandem::array<float> v({64}, 1.0f);
""",
    "device": """
[[maybe_unused]] const int n = 1 << 10;
[[maybe_unused]] const tandem::cuda space;
tandem::array<float, 1, tandem::cuda> x(tandem::extents<1>(n), 1.0f, space);
tandem::array<float, 1, tandem::cuda> y(tandem::extents<1>(n), 2.0f, space);
[[maybe_unused]] const auto xv = x.const_view();
[[maybe_unused]] const auto yv = y.view();
""",
}
# Warnings of g++ and clang about fragments that do not apply to the programs they come from.
WARNINGS = ["-Wno-unused", "-Wno-conversion", "-Wno-sign-conversion"]
ANY_OUTPUT = "*"


class Unit:
    """The fragments of a page for one compiler, as a translation unit."""

    def __init__(self, name, headers):
        self.name = name
        self.text = headers + f"\nnamespace {name} {{\n"
        self.bodies = []  # names of the functions

    def declare(self, code):
        self.text += code

    def add_body(self, line, prelude, code):
        self.bodies.append(f"snippet_{line}")
        self.text += f"\nvoid snippet_{line}() {{{prelude}\n{code}}}\n"

    def source(self, runs=False):
        """Returns the unit's text, with a main that calls all functions if it `runs`."""
        if not runs:
            return self.text + "\n}  // namespace\n"
        calls = "".join(f"  {self.name}::{body}();\n" for body in self.bodies)
        return self.text + f"\n}}  // namespace\n\nint main() {{\n{calls}}}\n"


class Page:
    """The blocks of a page, sorted by how they are compiled."""

    def __init__(self, path):
        self.name = str(path.relative_to(ROOT))
        self.stem = self.name.replace("/", "__").removesuffix(".md")
        unit = self.stem.replace("-", "_")
        self.host = Unit(unit, HEADERS)
        self.cuda = Unit(unit, DEVICE_HEADERS + HEADERS)
        self.programs = []  # (line, code, expected output or None)
        self.failures = []
        text = path.read_text()
        blocks = list(BLOCK.finditer(text))
        self.count = len(blocks)
        for block in blocks:
            line = text.count("\n", 0, block.start("code")) + 1
            code = f'#line {line} "{self.name}"\n{block["code"]}'
            self.add(line, block["kind"], code, block["output"])

    def add(self, line, kind, code, output):
        if kind is None and re.search("^#include", code, re.M):
            expected = output and output.split("```text\n")[1].removesuffix("```")
            self.programs.append((line, code, expected))
        elif kind == "declarations":
            self.host.declare(code)
            self.cuda.declare(code)
        elif kind == "cuda":
            self.cuda.add_body(line, PRELUDES["device"], code)
        elif (kind or "arrays") in PRELUDES:
            self.host.add_body(line, PRELUDES[kind or "arrays"], code)
        else:
            self.failures.append(f"{self.name}:{line}: no such kind of snippet: {kind}")


def compile_source(entry, source, flags, link=None):
    """Compiles `source` as `entry` is; links with the libraries of `link` unless it is None."""
    arguments = compile_commands.variant(entry, [])
    arguments[arguments.index("-c") + 1] = str(source)
    if link is not None:
        arguments.remove("-c")
        arguments[arguments.index("/dev/null")] = str(source.with_suffix(""))
        flags = [*flags, *link, "-ldl"]
    result = subprocess.run(arguments + flags, cwd=entry["directory"], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env={**os.environ, "LC_ALL": "C"})
    return result.returncode, result.stdout


def check(job):
    """Compiles, and runs if output is expected; returns what is wrong, or None."""
    entry, source, text, flags, libraries, expected = job
    source.write_text(text)
    link = libraries if expected is not None and libraries else None
    if link is None and source.suffix == ".cpp":
        flags = [*flags, "-fsyntax-only"]
    status, messages = compile_source(entry, source, flags, link)
    if status != 0:
        return f"{source.name} does not compile:\n{messages}"
    if link is None:
        return None
    run = subprocess.run([str(source.with_suffix(""))], text=True, timeout=120,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != 0 or expected not in (ANY_OUTPUT, run.stdout):
        return f"{source.name} prints\n{run.stdout}instead of\n{expected}"
    return None


def jobs_of(page, directory, host, device, libraries, run):
    """Returns what must be compiled for one page."""
    jobs = []
    if page.host.bodies:
        flags, output = ([*WARNINGS, "-O0"], ANY_OUTPUT) if run else (WARNINGS, None)
        source = directory / f"{page.stem}.cpp"
        jobs.append((host, source, page.host.source(run), flags, libraries, output))
    if page.cuda.bodies and device is not None:
        source = directory / f"{page.stem}.cu"
        jobs.append((device, source, page.cuda.source(), ["--ptx", "-w"], [], None))
    for line, code, expected in page.programs:
        source = directory / f"{page.stem}_line_{line}.cpp"
        jobs.append((host, source, code, WARNINGS, libraries, expected))
    return jobs


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build directory")
    parser.add_argument("--library", action="append", default=[], help="to link programs with")
    parser.add_argument("--page", action="append", help="check this page alone")
    parser.add_argument("--run", action="store_true",
                        help="also run the bodies of functions, which takes minutes to compile")
    arguments = parser.parse_args()
    build = pathlib.Path(arguments.build).resolve()
    commands = compile_commands.load(build)
    host = commands[str(ROOT / "tests" / "compile_fail" / "loops.cpp")]
    device = commands.get(str(ROOT / "tests" / "compile_fail" / "memory.cu"))
    directory = build / "tests" / "snippets"
    directory.mkdir(parents=True, exist_ok=True)
    paths = [ROOT / name for name in arguments.page or PAGES if (ROOT / name).exists()]
    if not arguments.page:
        paths += sorted((ROOT / "docs" / "guide").glob("*.md"))
    pages = [Page(path) for path in paths]
    jobs = [job for page in pages
            for job in jobs_of(page, directory, host, device, arguments.library,
                               arguments.run)]
    failures = [failure for page in pages for failure in page.failures]
    failures += [failure for failure in compile_commands.in_parallel(check, jobs) if failure]
    blocks = sum(page.count for page in pages)
    skipped = 0 if device is not None else sum(len(page.cuda.bodies) for page in pages)
    print("\n".join(failures + [f"{blocks} snippets in {len(pages)} pages, {skipped} of them for "
                                f"nvcc alone and not compiled, {len(failures)} failures"]))
    return 1 if failures or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
