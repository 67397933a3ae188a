#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a header with every size at which an implementation switches methods.

These are the integer constants of the reduction order and of all tuning tables (policy.hpp), so the
campaign's random sizes follow the tables. Powers of two up to 2^12 and products of two small
constants, such as the elements of a tile, are added.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONSTANT = re.compile(
    r"(?:index_t|std::size_t|std::ptrdiff_t)\{(\d+)\}\s*<<\s*(\d+)|\b(\d+)\s*<<\s*(\d+)|\b(\d+)\b")
LARGEST = 1 << 26


def constants(text):
    code = re.sub(r"//[^\n]*", "", text)
    for base, shift, plain_base, plain_shift, number in CONSTANT.findall(code):
        if number:
            yield int(number)
        else:
            yield int(base or plain_base) << int(shift or plain_shift)


def main():
    sources = [ROOT / "core/contract/reduction_shape.hpp", *ROOT.glob("backends/**/policy.hpp")]
    found = {n for path in sources for n in constants(path.read_text(encoding="utf-8"))}
    small = {n for n in found if 8 <= n <= 512}
    found |= {a * b for a in small for b in small} | {1 << k for k in range(13)}
    numbers = sorted(n for n in found if 1 <= n <= LARGEST)
    lines = ["// Written by tests/fuzz/collect_boundaries.py.", "#pragma once", "",
             "#include <array>", "", "#include <tandem/core/extents.hpp>", "",
             "namespace tandem::fuzz {", "",
             f"inline constexpr std::array<index_t, {len(numbers)}> boundaries = {{"]
    lines += [f"    {', '.join(str(n) for n in numbers[i:i + 10])}," for i in
              range(0, len(numbers), 10)]
    lines += ["};", "", "}  // namespace tandem::fuzz", ""]
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
