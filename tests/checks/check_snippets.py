#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code in README and in the pages of docs/ compiles, and prints what the pages say.

Every block that is fenced as ```cpp in README.md, docs/guide/ and the PAGES below is compiled with
the flags of the build. One translation unit per page holds them all; code of other libraries is
fenced as ```c++ and not compiled. A comment of HTML in front of a block says how it is wrapped:

    <!-- snippet: NAME -->          the body of a function that begins with PRELUDES[NAME]
    <!-- snippet: continues -->     goes on in the function of the block before it
    <!-- snippet: declarations -->  stands at namespace scope; later blocks of the page see it
    <!-- snippet: cuda -->          as "device", in builds with CUDA alone, compiled by nvcc
    <!-- snippet: part -->          an excerpt with ellipses, which is not compiled

Without a comment, a block with an #include is a program, and any other one a body that begins with
PRELUDES["arrays"]. A program that a ```text block follows, at most a line of prose between them, is
linked with --library and run where these are given, and has to print that text.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import compile_commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/matmul.md", "docs/quick-reference.md"]
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
#include <tandem/tandem.hpp>
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
# What g++ and clang say of fragments, but not of the programs that they come from.
WARNINGS = ["-Wno-unused", "-Wno-conversion", "-Wno-sign-conversion"]
ANY_OUTPUT = "*"


class Page:
    """The blocks of a page, sorted into translation units."""

    def __init__(self, path):
        self.name = str(path.relative_to(ROOT))
        self.stem = self.name.replace("/", "__").removesuffix(".md")
        self.programs = []    # (line, code, expected output or None)
        self.host = []        # pieces of the translation unit for the host's compiler
        self.cuda = []        # and of that for nvcc
        self.failures = []
        self.count = 0
        open_body = None
        text = path.read_text()
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start("code")) + 1
            kind, code = match["kind"], f'#line {line} "{self.name}"\n{match["code"]}'
            self.count += 1
            if kind is None and re.search("^#include", code, re.M):
                expected = match["output"]
                if expected is not None:
                    expected = expected.split("```text\n")[1].removesuffix("```")
                self.programs.append((line, code, expected))
            elif kind == "part":
                self.count -= 1
            elif kind == "declarations":
                self.host.append([code])
                self.cuda.append([code])
            elif kind == "continues" and open_body is not None:
                open_body.append(code)
            elif kind == "cuda" or (kind or "arrays") in PRELUDES:
                prelude = PRELUDES["device" if kind == "cuda" else kind or "arrays"]
                open_body = [f"\nvoid snippet_{line}() {{{prelude}\n", code]
                (self.cuda if kind == "cuda" else self.host).append(open_body)
            else:
                self.failures.append(f"{self.name}:{line}: no such kind of snippet: {kind}")

    def unit(self, pieces, runs=False):
        """The text of a translation unit, or None where there is nothing to compile; with a main
        that calls all bodies if it `runs`."""
        bodies = [piece for piece in pieces if piece[0].startswith("\nvoid snippet_")]
        if not bodies:
            return None
        text = HEADERS + f"\nnamespace {self.stem.replace('-', '_')} {{\n"
        text += "".join("".join(piece) + ("}\n" if piece in bodies else "") for piece in pieces)
        calls = "".join(re.search(r"snippet_\d+\(\)", body[0])[0] + ";\n" for body in bodies)
        if runs:
            text += f"\nvoid run_all() {{\n{calls}}}\n"
        text += "\n}  // namespace\n"
        if runs:
            text += f"\nint main() {{ {self.stem.replace('-', '_')}::run_all(); }}\n"
        return text


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
    """Compiles, and runs where output is expected; returns what is wrong, or None."""
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
    """What has to be compiled for one page."""
    jobs = []
    unit = page.unit(page.host, run)
    if unit is not None:
        flags, output = ([*WARNINGS, "-O0"], ANY_OUTPUT) if run else (WARNINGS, None)
        jobs.append((host, directory / f"{page.stem}.cpp", unit, flags, libraries, output))
    unit = page.unit(page.cuda)
    if unit is not None and device is not None:
        jobs.append((device, directory / f"{page.stem}.cu", unit, ["--ptx", "-w"], [], None))
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
    skipped = 0 if device is not None else sum(
        piece[0].startswith("\nvoid") for page in pages for piece in page.cuda)
    print("\n".join(failures + [f"{blocks} snippets in {len(pages)} pages, {skipped} of them for "
                                f"nvcc alone and not compiled, {len(failures)} failures"]))
    return 1 if failures or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
