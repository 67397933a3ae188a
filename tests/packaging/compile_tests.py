#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that test files compile in builds of other backends than this one.

Parses the given sources as the build in BUILD compiles them, without making objects.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "checks"))

import compile_commands  # noqa: E402


def main():
    build, *sources = sys.argv[1:]
    commands = compile_commands.load(build)
    failures = 0
    for source in sources:
        status, messages = compile_commands.compile_variant(commands[str(ROOT / source)],
                                                            ["-fsyntax-only"])
        if status != 0:
            failures += 1
            print(f"{source}:\n{messages}")
    print(f"{len(sources)} files, {failures} do not compile")
    return 1 if failures or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
