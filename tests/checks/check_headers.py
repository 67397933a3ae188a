#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that each public header compiles alone, included twice, with the project's warnings, and
that tandem compiles after the macros of other libraries (tests/macros)."""

import argparse
import pathlib
import sys

import compile_commands


def check(entry):
    # nvcc has no -fsyntax-only. It parses a whole file before it generates device code, and headers
    # hold templates, so there is little to generate.
    plain = entry["file"].endswith(".cpp")
    flag = "-fsyntax-only" if plain else "--ptx"
    status, messages = compile_commands.compile_variant(entry, [flag])
    name = pathlib.Path(entry["file"]).stem.replace("__", "/")
    return None if status == 0 else f"{name} does not compile:\n{messages}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build directory")
    directory = pathlib.Path(parser.parse_args().build).resolve()
    macros = pathlib.Path(__file__).resolve().parents[1] / "macros"
    units = [directory / "tests" / "headers", macros]
    entries = [entry for path, entry in compile_commands.load(directory).items()
               if pathlib.Path(path).parent in units]
    failures = [failure for failure in compile_commands.in_parallel(check, entries) if failure]
    print("\n".join(failures + [f"{len(entries)} headers, {len(failures)} do not compile"]))
    return 1 if failures or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
