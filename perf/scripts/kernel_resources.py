#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the resources of each kernel of a build: registers, spills, stack, shared memory.

Reads the OBJECT.resources files that the build keeps (cmake/record_resources.py). Exit status: 0; 1
when a kernel spills registers to memory without a known reason, or when there is nothing to read.
"""

import argparse
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\w+)'")
MEMORY = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")

NAME_WIDTH = 96

# Kernels that may spill, by prefix of their names, and the reasons.
KNOWN_TO_SPILL = {
    "cub::": "a kernel of CUB",
    "fma_kernel<double,": "fp64 sums take 32 to 128 registers per thread, operands as many",
    "fma_kernel<float, 0, (operand_major)0, (operand_major)0, true,":
        "sm_75 and sm_80, 24 to 48 bytes: 128 sums and two sets of operands leave addresses no "
        "registers",
    "few_rows_kernel<bf16, bf16, true, true, 16,":
        "sm_75 alone, 12 bytes, which has no products of bf16 and never runs it",
    "few_rows_kernel<float, bf16, true, true, 16,": "likewise",
    "matmul_mma_kernel<": "128 registers of sums per thread, and strides, other than on sm_90",
    "matmul_batched_kernel<float,": "sm_120 alone, whose multiprocessors hold 1536 threads",
    "matmul_wgmma_kernel<(tensor_type)3, 1, 128, false, 2, false, true,":
        "8-bit integers with a stored by columns, two blocks per multiprocessor: 8 bytes",
    "reduce_kernel<vector_tile<float, sum<long> >,":
        "floats that are added as 64-bit integers: two registers each, 16 bytes",
    "reduce_kernel<function_tile<grid_load<": "32 terms of a grid in flight, and their indices",
    "reduce_kernel<function_tile<view_load<": "as for a grid",
    "segments_kernel<": "16 or 8 loads per lane in flight: 8 or 16 bytes",
    "sum_kernel<uniform_bin_rule<double>, double>":
        "sm_75 and sm_80 alone, 8 bytes: two 128-bit sums and their bins in 64 registers",
    "sum_global_kernel<uniform_bin_rule<double>, double>": "as for sum_kernel, 4 bytes",
    "reduce_small_kernel<": "operands of a function object in flight, 32 registers per thread",
}

# Likewise by what a template argument names, the type of an operation for example.
KNOWN_OPERATIONS_TO_SPILL = {
    "_by_class<": "the tests' accumulators of 1 KiB per thread, which lie in local memory",
    "sample_circle<": "an example that draws random numbers in each of several terms in flight",
    "marked_sum<": "a test's operation, which looks memory up for each of its two operands",
    "set_next<": "a checked test's, which prints before it traps",
    "bound_function<void, read_next,": "as for set_next",
    "_angles_test_cu_": "a test's tan and sincos of doubles, whose way for large angles is inlined "
    "for each element of a thread: up to 290 bytes",
    "vector_tile<half, maximum<half> >": "20 bytes: sixteen halves of a tile, compared as floats, "
    "under a bound of 128 registers",
    "vector_tile<half, minimum<half> >": "as for the maximum",
}


@dataclass(frozen=True)
class Kernel:
    """A kernel's resources on one architecture, in bytes per thread, of shared memory per block."""

    name: str
    architecture: str
    registers: int
    spills: int  # stored and loaded
    stack: int
    shared: int  # static

    def order(self):
        return (-self.spills, -self.registers, -self.stack, self.name, self.architecture)


def kernels_of(text):
    """Yields the kernels in ptxas's output for one object."""
    entry, memory = None, (0, 0, 0)
    for line in text.splitlines():
        if found := ENTRY.search(line):
            entry, memory = found.groups(), (0, 0, 0)
        elif found := MEMORY.search(line):
            memory = tuple(map(int, found.groups()))
        elif entry and (found := REGISTERS.search(line)):
            shared = SHARED.search(line)
            stack, stored, loaded = memory
            yield Kernel(*entry, int(found[1]), stored + loaded, stack,
                         int(shared[1]) if shared else 0)
            entry = None


def demangled(kernels):
    """Demangled names, without the namespaces that all of them share and without parameters."""
    names = sorted({kernel.name for kernel in kernels})
    listing = subprocess.run(["c++filt"], input="\n".join(names), text=True, check=True,
                             stdout=subprocess.PIPE).stdout.splitlines()
    return {name: shortened(text) for name, text in zip(names, listing)}


def shortened(text):
    text = re.sub(r"^void |\(anonymous namespace\)::", "", text)
    text = re.sub(r"\btandem::(cuda_impl::|detail::)?", "", text)
    # Parameters follow from the template arguments, so they are cut off.
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "<") - (letter == ">" and text[at - 1] != "-")
        if letter == "(" and depth == 0:
            text = text[:at]
            break
    return text


def read(build, folders):
    """All kernels in the build's folders, once per architecture."""
    objects = sorted(path for path in build.rglob("*.resources")
                     if path.with_suffix("").exists()
                     and (not folders or any(folder in str(path) for folder in folders)))
    kernels = set()
    for path in objects:
        kernels.update(kernels_of(path.read_text(encoding="utf-8")))
    return objects, sorted(kernels, key=Kernel.order)


def may_spill(name):
    return (any(name.startswith(known) for known in KNOWN_TO_SPILL)
            or any(known in name for known in KNOWN_OPERATIONS_TO_SPILL))


def print_table(kernels, names):
    print("spills  registers  stack  shared  architecture  kernel")
    for kernel in kernels:
        name = names[kernel.name]
        if len(name) > NAME_WIDTH:
            name = name[:NAME_WIDTH - 2] + ".."
        print(f"{kernel.spills:6}  {kernel.registers:9}  {kernel.stack:5}  {kernel.shared:6}  "
              f"{kernel.architecture:12}  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build directory")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT",
                        help="only objects whose path contains TEXT; may be repeated")
    parser.add_argument("--rows", type=int, default=25, help="kernels to print; 0 for all")
    arguments = parser.parse_args()
    objects, kernels = read(arguments.build, arguments.only)
    if not kernels:
        print(f"{arguments.build}: no *.resources files; build with nvcc and Python")
        return 1
    names = demangled(kernels)
    print_table(kernels[:arguments.rows] if arguments.rows else kernels, names)
    spilling = [kernel for kernel in kernels if kernel.spills]
    wrong = [kernel for kernel in spilling if not may_spill(names[kernel.name])]
    if wrong:
        print("without a known reason:")
        print_table(wrong, names)
    print(f"{len(kernels)} kernels in {len(objects)} objects, {len(spilling)} spill, "
          f"{len(wrong)} without a known reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
