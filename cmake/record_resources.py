#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""record_resources.py NVCC ARGUMENT... compiles and records what ptxas reports for each kernel.

The build calls nvcc through this script (CMAKE_CUDA_COMPILER_LAUNCHER). It writes the output of
`ptxas -v` to OBJECT.resources instead of the terminal; perf/scripts/kernel_resources.py makes a
table of these files. It records nothing for unoptimised code (-G, -Ofc), which keeps its variables
in memory.
"""

import re
import subprocess
import sys

# "ptxas info" lines, and the indented line about stack and spills that follows some of them.
OF_PTXAS = re.compile(r"^ptxas info\s*:|^\s+\d+ bytes stack frame, ")


def main():
    command = sys.argv[1:]
    compiles = "-c" in command and "-o" in command
    if not compiles or any(argument.startswith(("-G", "-Ofc")) for argument in command):
        return subprocess.run(command, check=False).returncode
    done = subprocess.run([*command, "-Xptxas", "-v"], check=False, stderr=subprocess.PIPE)
    resources = []
    for line in done.stderr.decode(errors="replace").splitlines(keepends=True):
        if OF_PTXAS.match(line):
            resources.append(line)
        else:
            sys.stderr.write(line)
    target = command[command.index("-o") + 1]
    if done.returncode == 0 and target != "/dev/null":
        with open(f"{target}.resources", "w", encoding="utf-8") as file:
            file.writelines(resources)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
