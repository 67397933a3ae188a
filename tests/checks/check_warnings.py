#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that users who ask for many warnings get none from tandem's headers.

Compiles tests/warnings/*.cpp as the build in BUILD does, but with the warnings below and at -O1,
with --all at -O0 and -O2 as well, by the compiler of the build and by those named that are
installed.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import compile_commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "tests" / "warnings").glob("*.cpp"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Wdouble-promotion",
            "-Wconversion", "-Wsign-conversion", "-Wold-style-cast", "-Werror"]
# g++ 12 sees overlap in std::string that is none (GCC bug 105651).
OF_GCC = ["-Wuseless-cast", "-Wno-restrict"]
LEVELS = ["-O1", "-O0", "-O2"]


def compile_with(job):
    """Returns the compiler's messages, or None if there are none."""
    entry, compiler, source, level = job
    arguments = [argument for argument in compile_commands.variant(entry, [])
                 if not argument.startswith(("-W", "-O", "-g"))]
    arguments[0] = compiler
    arguments[arguments.index("-c") + 1] = str(source)
    is_clang = "clang" in os.path.realpath(compiler)
    result = subprocess.run([*arguments, level, *WARNINGS, *([] if is_clang else OF_GCC)],
                            cwd=entry["directory"], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env={**os.environ, "LC_ALL": "C"})
    return result.returncode != 0 and f"{compiler} {level} {source.name}:\n{result.stdout}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build directory")
    parser.add_argument("--compilers", nargs="*", default=[], help="beside the build's")
    parser.add_argument("--all", action="store_true", help="every level of optimisation")
    arguments = parser.parse_args()
    build = pathlib.Path(arguments.build).resolve()
    entry = compile_commands.load(build)[str(ROOT / "tests" / "compile_fail" / "loops.cpp")]
    found = [shutil.which(name) for name in [entry["command"].split()[0], *arguments.compilers]]
    compilers = {os.path.realpath(path): path for path in reversed(found) if path}
    jobs = [(entry, compiler, source, level) for compiler in compilers.values()
            for source in SOURCES for level in (LEVELS if arguments.all else LEVELS[:1])]
    failures = [messages for messages in compile_commands.in_parallel(compile_with, jobs)
                if messages]
    print("\n".join([*failures, f"{len(jobs)} compilations by {', '.join(compilers)}, "
                                f"{len(failures)} with warnings"]))
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
