#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates wgmma.cuh: inline assembly takes no parameter pack, so every register is spelled out.

    backends/cuda/ptx/generate_wgmma.py            writes wgmma.cuh beside this file
    backends/cuda/ptx/generate_wgmma.py --check    exits with 1 if the file differs
"""

import pathlib
import sys
import textwrap

# Accumulators per thread (half the columns of a tile) by type, and those for which a may be in
# registers.
ACCUMULATORS = {"float": (16, 32, 64, 96, 128), "int": (16, 64, 128)}
A_IN_REGISTERS = {"float": (16, 32, 64, 128), "int": (16, 64, 128)}
CONSTRAINT = {"float": "+f", "int": "+r"}

# The part of the instruction's name after the shape's n, and its operands after scale-d. Only
# 16-bit elements have a choice of order: 1 for an operand whose k is the outer index.
KINDS = {"tf32": ("k8.f32.tf32.tf32", ", 1, 1"), "int8": ("k32.s32.s8.s8", "")}
KINDS_OF_16_BITS = {"bf16": "k16.f32.bf16.bf16", "half": "k16.f32.f16.f16"}

HEADER = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Made by generate_wgmma.py; edit that instead.
#pragma once

#include <cstdint>

/// The warpgroup matrix multiply of sm_90a. Sections are cited by their PTX ISA title.
namespace tandem::cuda_impl::ptx {

/// Orders the warpgroup's earlier accesses to accumulators and shared memory before wgmma. Required
/// before the first wgmma, and after other instructions have written accumulators. "wgmma.fence".
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Commits the wgmma issued so far as a group. "wgmma.commit_group".
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most `Pending` of the most recent groups are in flight. "wgmma.wait_group".
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

// clang-format off

/// Element types in the form that wgmma expects: the end of the instruction's name, and its last
/// operands, which are scale factors of 1 and, for 16-bit elements, whether a and b are MN-major.
"""

DOCUMENTATION = """
/// d += a * b for 64 rows and twice as many columns as d has elements; a and b are matrix
/// descriptors of shared memory. If not `accumulate`, d starts at 0. Integers wrap modulo 2^32.
///
/// Thread t holds rows r = 16 (t / 32) + t % 32 / 4 and r + 8. For j = 0, 1, .., it holds columns
/// 8 j + 2 (t % 4) and the next one: d[4 j], d[4 j + 1] of row r and d[4 j + 2], d[4 j + 3] of row
/// r + 8. "wgmma.mma_async".
///
/// If `a` is in registers, it must not change until the product has completed. For 32-bit elements,
/// thread t holds terms k = t % 4 and k + 4: a[0] is (r, k), a[1] (r + 8, k), a[2] (r, k + 4), a[3]
/// (r + 8, k + 4). For bytes it holds terms k = 4 (t % 4) to k + 3 and k + 16 to k + 19, four per
/// word, in the same order. "Register Fragments".
"""


def kinds():
    """Returns the structs that name an element type and the order of its operands."""
    lines = []
    for element, (types, order) in KINDS.items():
        lines += [f"struct wgmma_{element} {{", f'  static constexpr char types[] = "{types}";',
                  f'  static constexpr char order[] = "{order}";', "};"]
    lines += ["template <bool AKMajor, bool BKMajor>", "struct wgmma_order;"]
    for a in (1, 0):
        for b in (1, 0):
            lines += ["template <>", f"struct wgmma_order<{bool(a)}, {bool(b)}> {{".lower(),
                      f'  static constexpr char order[] = ", 1, 1, {1 - a}, {1 - b}";', "};"]
    for element, types in KINDS_OF_16_BITS.items():
        lines += ["template <bool AKMajor, bool BKMajor>",
                  f"struct wgmma_{element} : wgmma_order<AKMajor, BKMajor> {{",
                  f'  static constexpr char types[] = "{types}";', "};"]
    return lines


def wrapped(items, indent, width):
    """Wraps comma-separated items into lines of at most `width` columns."""
    text = ", ".join(item.replace(" ", "\0") for item in items)
    lines = textwrap.wrap(text, width, initial_indent=" " * indent, subsequent_indent=" " * indent,
                          break_long_words=False)
    return [line.replace("\0", " ") for line in lines]


def wgmma(element, count, in_registers):
    """Returns the overload for `count` sums of `element`, with a in registers or shared memory."""
    if in_registers:
        a_type = "const std::uint32_t (&a)[4]"
        a = "{" + ", ".join(f"%{count + i}" for i in range(4)) + "}"
        a_operands = [f'"r"(a[{i}])' for i in range(4)]
    else:
        a_type, a, a_operands = "std::uint64_t a", f"%{count}", ['"l"(a)']
    b = count + len(a_operands)
    *names, last_names = wrapped([f"%{i}" for i in range(count)], 0, 90)
    sums = wrapped([f'"{CONSTRAINT[element]}"(d[{i}])' for i in range(count)], 8, 100)
    inputs = wrapped([*a_operands, '"l"(b)', '"r"(static_cast<int>(accumulate))',
                      '"C"(Kind::types)', '"C"(Kind::order)'], 8, 88)
    return ["template <class Kind>",
            f"__device__ __forceinline__ void wgmma({element} (&d)[{count}], {a_type},",
            "                                      std::uint64_t b, bool accumulate) {",
            "  asm volatile(",
            f'      "{{\\n\\t.reg .pred p;\\n\\tsetp.ne.b32 p, %{b + 1}, 0;\\n\\t"',
            f'      "wgmma.mma_async.sync.aligned.m64n{2 * count}%{b + 2} {{"',
            *(f'      "{line} "' for line in names), f'      "{last_names}"',
            f'      "}}, {a}, %{b}, p%{b + 3};\\n\\t}}"',
            "      :" + sums[0][7:], *sums[1:],
            "      :" + inputs[0][7:], *inputs[1:-1], inputs[-1] + ");", "}"]


def generated():
    lines = [*HEADER.splitlines(), *kinds(), *DOCUMENTATION.splitlines()]
    for in_registers, counts in ((False, ACCUMULATORS), (True, A_IN_REGISTERS)):
        for element in counts:
            for count in counts[element]:
                lines += wgmma(element, count, in_registers) + [""]
    lines += ["// clang-format on", "", "}  // namespace tandem::cuda_impl::ptx"]
    return "\n".join(lines) + "\n"


def main():
    target = pathlib.Path(__file__).with_name("wgmma.cuh")
    if sys.argv[1:] == ["--check"]:
        if target.read_text() != generated():
            sys.exit(f"{target} is not what {pathlib.Path(__file__).name} makes")
    else:
        target.write_text(generated())


if __name__ == "__main__":
    main()
