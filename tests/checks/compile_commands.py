# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repeats command lines of the build with other sources or flags.

Checks that compile something take their command from compile_commands.json, so they use the build's
compiler and flags without a second build system.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess


def load(build_directory):
    """Returns the compile command of every source of the build, by resolved path."""
    entries = json.loads((pathlib.Path(build_directory) / "compile_commands.json").read_text())
    return {str(pathlib.Path(entry["file"]).resolve()): entry for entry in entries}


def variant(entry, extra):
    """Returns `entry`'s arguments with `extra` added and without lasting output."""
    arguments = shlex.split(entry["command"])
    output = arguments.index("-o")
    del arguments[output:output + 2]
    for flag in ("-MD", "-MT", "-MF"):
        if flag in arguments:
            position = arguments.index(flag)
            del arguments[position:position + (1 if flag == "-MD" else 2)]
    return arguments + ["-o", "/dev/null"] + extra


def compile_variant(entry, extra=()):
    """Compiles; returns the exit status and the compiler's messages."""
    result = subprocess.run(variant(entry, list(extra)), cwd=entry["directory"], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env={**os.environ, "LC_ALL": "C"})
    return result.returncode, result.stdout


def precompile(entry, directory):
    """Precompiles <tandem/tandem.hpp> in `directory` for units that g++ compiles as `entry`.

    Returns options that begin a unit with it; units with other flags parse the header itself. None
    for other compilers.
    """
    command = shlex.split(entry["command"])
    compiler = next(word for word in command if pathlib.Path(word).name != "ccache")
    version = subprocess.run([compiler, "--version"], text=True, stdout=subprocess.PIPE, check=True)
    if "Free Software Foundation" not in version.stdout:
        return []
    header = pathlib.Path(directory) / "tandem.hpp"
    header.write_text("#include <tandem/tandem.hpp>\n")
    arguments = variant(entry, [])
    arguments = arguments[arguments.index(compiler):]
    position = arguments.index("-c")
    arguments[position:position + 2] = ["-x", "c++-header", str(header)]
    arguments[arguments.index("/dev/null")] = f"{header}.gch"
    subprocess.run(arguments, cwd=entry["directory"], check=True)
    return ["-include", str(header)]


def in_parallel(function, items):
    """Applies function to every item, as many at a time as the machine has cores, in order."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(function, items))
