#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that wrong uses do not compile and that the compiler says why.

A file of tests/compile_fail/ compiles without changes. Each of its `#if CASE == n` blocks holds one
wrong use after a line `// expect: TEXT`. Compiling with -DCASE=n must fail with TEXT, a regular
expression, in the compiler's first error line; few more errors may follow. `TEXT|TEXT` gives the
wordings of several compilers; `// expect in a note: TEXT` is for text that a compiler can only
print below that line. A following line `// flags: FLAGS` adds to the command. g++ says at most
MOST_LINES in all, which a user can read; clang and nvcc add notes about every candidate and
instantiation.
"""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import compile_commands

CASE = re.compile(r"^#(?:el)?if CASE == (\d+)\n// expect( in a note)?: (.+)\n"
                  r"(?:// flags: (.+)\n)?", re.MULTILINE)
ERROR = re.compile(r"^\S+: (?:fatal )?error\b", re.MULTILINE)
MOST_LINES = 20  # including the include chain
MOST_ERRORS = 4


def flags(entry, case, added):
    """The options that select `case`; the host compiler can refuse it with its front end alone."""
    return [f"-DCASE={case}", *(["-fsyntax-only"] if is_plain(entry) else []), *added.split()]


def is_plain(entry):
    """Whether the host compiler alone compiles the entry."""
    return entry["file"].endswith(".cpp")


def wrong_message(messages, expected, in_a_note):
    """Returns what is wrong with a compiler's answer to a wrong use, or None."""
    errors = [messages[found.start():].split("\n", 1)[0] for found in ERROR.finditer(messages)]
    if not errors:
        return "the compiler names no error"
    if not re.search(expected, messages if in_a_note else errors[0]):
        return f"the compiler does not say '{expected}' first"
    if len(errors) > MOST_ERRORS:
        return f"the compiler reports {len(errors)} errors, where one explains"
    return None


def is_gcc(entry):
    """Whether g++ compiles the entry."""
    version = subprocess.run([shlex.split(entry["command"])[0], "--version"], text=True,
                             stdout=subprocess.PIPE, check=True).stdout
    return "Free Software Foundation" in version


def check(job):
    entry, case, in_a_note, expected, added, precompiled = job
    options = flags(entry, case, added) + ([] if added else precompiled)
    status, messages = compile_commands.compile_variant(entry, options)
    name = f"{pathlib.Path(entry['file']).name} case {case}"
    if case == 0:
        return None if status == 0 else f"{name}: the file without a case must compile:\n{messages}"
    if status == 0:
        return f"{name}: compiles, though it must not"
    wrong = wrong_message(messages, expected, in_a_note)
    if wrong:
        return f"{name}: {wrong}:\n{messages}"
    count = len(messages.splitlines())
    if count > MOST_LINES and is_gcc(entry):
        return f"{name}: the compiler says {count} lines, more than {MOST_LINES}:\n{messages}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build directory")
    sources = pathlib.Path(__file__).resolve().parents[1] / "compile_fail"
    jobs = []
    entries = {path: entry
               for path, entry in compile_commands.load(parser.parse_args().build).items()
               if pathlib.Path(path).parent == sources}
    with tempfile.TemporaryDirectory() as directory:
        plain = next(entry for entry in entries.values() if is_plain(entry))
        precompiled = compile_commands.precompile(plain, directory)
        for path, entry in entries.items():
            text = pathlib.Path(path).read_text()
            cases = CASE.findall(text)
            # What a file defines before the header must be seen by it.
            defines = "#define" in text.split("#include <tandem/")[0]
            options = precompiled if is_plain(entry) and not defines else []
            jobs += [(entry, 0, "", "", "", options)]
            jobs += [(entry, int(case), *rest, options) for case, *rest in cases]
        failures = [failure for failure in compile_commands.in_parallel(check, jobs) if failure]
    print("\n".join(failures + [f"{len(jobs)} compilations, {len(failures)} not as they must be"]))
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
