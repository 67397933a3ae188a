#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the code in README and docs/ compiles and prints what the pages say.

Every block fenced as ```cpp in README.md, docs/guide/ and the PAGES below is compiled with the
flags of the build, in one translation unit per page; docs/site/snippets.py says which kinds there
are. Bodies are compiled within the program that the guide shows around them, so a reader who pastes
one there gets a program that compiles. A page with bodies must link to that program. A program
followed by a ```text block, with at most a line of prose in between, is linked with --library and
run if libraries are given, and must print that text.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import compile_commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import snippets

PAGES = ["README.md", "docs/adding-a-backend.md", "docs/debugging.md", "docs/matmul.md",
         "docs/numerics.md", "docs/quick-reference.md"]
# Warnings of g++ and clang about fragments that do not apply to the programs they come from.
WARNINGS = ["-Wno-unused", "-Wno-conversion", "-Wno-sign-conversion", "-Wno-shadow"]
# A snippet for CUDA is for a target that links tandem::default_cuda.
DEVICE_FLAGS = ["--ptx", "-w", "-UTANDEM_DEFAULT_SPACE", "-DTANDEM_DEFAULT_SPACE=cuda"]
ANY_OUTPUT = "*"


class Unit:
    """The snippets of a page for one compiler, as a translation unit."""

    def __init__(self, name, headers):
        self.name = name
        self.text = headers + f"\nnamespace {name} {{\n"
        self.bodies = []  # names of the functions

    def declare(self, code):
        self.text += code

    def add_body(self, line, code, around):
        self.bodies.append(f"snippet_{line}")
        head = around.head.replace("int main()", f"void snippet_{line}()")
        self.text += f"\n{head}{code}\n{around.tail}"

    def source(self, runs=False):
        """Returns the unit's text, with a main that calls all functions if it `runs`."""
        if not runs:
            return self.text + "\n}  // namespace\n"
        calls = "".join(f"  {self.name}::{body}();\n" for body in self.bodies)
        return self.text + f"\n}}  // namespace\n\nint main() {{\n{calls}}}\n"


class Page:
    """The blocks of a page, sorted by how they are compiled."""

    def __init__(self, path, around):
        self.name = str(path.relative_to(ROOT))
        self.stem = self.name.replace("/", "__").removesuffix(".md")
        self.around = around
        unit = self.stem.replace("-", "_")
        self.host = Unit(unit, around.includes)
        self.cuda = Unit(unit, snippets.THRUST + around.includes)
        self.programs = []  # (line, code, expected output or None)
        self.failures = []
        text = path.read_text(encoding="utf-8")
        blocks = list(snippets.blocks_of(text))
        self.count = len(blocks)
        for block in blocks:
            self.add(block, f'#line {block.line} "{self.name}"\n{block.code}')
        if (self.host.bodies or self.cuda.bodies) and snippets.ANCHOR not in text:
            self.failures.append(f"{self.name}: no link to {snippets.ANCHOR}, the program around "
                                 "its snippets")

    def add(self, block, code):
        if block.kind == "program":
            self.programs.append((block.line, code, block.output))
        elif block.kind == "declarations":
            self.host.declare(code)
            self.cuda.declare(code)
        elif block.kind == "cuda":
            self.cuda.add_body(block.line, code, self.around)
        elif block.kind == "body":
            self.host.add_body(block.line, code, self.around)
        else:
            self.failures.append(f"{self.name}:{block.line}: no such kind of snippet: "
                                 f"{block.kind}")


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
    run = subprocess.run([str(source.with_suffix(""))], text=True, timeout=120, cwd=source.parent,
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
        jobs.append((device, source, page.cuda.source(), DEVICE_FLAGS, [], None))
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
    around = snippets.program_around()
    pages = [Page(path, around) for path in paths]
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
