#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that tandem_add_sources costs nothing: its objects have a separately compiled file's code.

tandem_add_sources compiles examples/one_source/kernels.cpp into one object per backend. The check
compares them with the objects that the backend's compiler makes from the file itself: every host
function or, for nvcc, every kernel with its registers and memory.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import compile_commands
import machine_code

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "examples" / "one_source" / "kernels.cpp"
UNIT = re.compile(r"/tandem_sources/example\.one_source/one_source/kernels\.cpp\.(\w+)\.\w+$")


def compile_object(entry, source, output, flags):
    arguments = compile_commands.variant(entry, flags)
    arguments[arguments.index("/dev/null")] = str(output)
    arguments[arguments.index("-c") + 1] = str(source)
    if "-cubin" in flags:
        arguments = [one for one in arguments if one != "-c" and "arch=compute" not in one]
    subprocess.run(arguments, cwd=entry["directory"], check=True)


def contents(path):
    """Returns the code of an object or a cubin, without anything that names its source file."""
    if path.suffix == ".cubin":
        return sorted(machine_code.cubin_kernels(path, "")[0])
    return sorted((machine_code.plain(name), code, [machine_code.plain(one) for one in references])
                  for name, code, references, *_ in machine_code.Functions(path).rows()
                  if not machine_code.REGISTERS.search(name))


def check(backend, entry, folder, architecture):
    """Returns what is wrong with a backend's object, or None."""
    device = entry["file"].endswith(".cu")
    flags = ["-cubin", f"-arch={architecture}"] if device else []
    kind, extension = ("kernels", "cubin") if device else ("functions", "o")
    found = []
    for source, chosen in ((entry["file"], []), (SOURCE, [f"-DTANDEM_DEFAULT_SPACE={backend}"])):
        output = folder / f"{backend}_{len(found)}.{extension}"
        compile_object(entry, source, output, flags + chosen)
        found.append(contents(output))
    one, other = found
    differing = [row[0] for row in one if row not in other]
    differing += [row[0] for row in other if row not in one]
    if differing:
        return f"{backend}: {len(differing)} {kind} differ, {differing[0]} among them"
    if not one:
        return f"{backend}: no {kind} at all"
    print(f"{backend}: {len(one)} {kind} are equal")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="build directory")
    parser.add_argument("--architecture", default="sm_90", help="of the GPU to compile for")
    arguments = parser.parse_args()
    units = {found[1]: entry for path, entry in compile_commands.load(arguments.build).items()
             if (found := UNIT.search(path))}
    with tempfile.TemporaryDirectory() as folder:
        failures = [failure for backend, entry in sorted(units.items())
                    if (failure := check(backend, entry, pathlib.Path(folder),
                                         arguments.architecture))]
    print("\n".join(failures + [f"{len(units)} backends, {len(failures)} differ"]))
    return 1 if failures or not units else 0


if __name__ == "__main__":
    sys.exit(main())
