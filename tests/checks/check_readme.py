#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that README's quick start is examples/quick_start.cpp, which is compiled and run."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES_AT_MOST = 20


def body(source):
    """Returns the example without the comments and blank lines in front of its code."""
    lines = source.splitlines()
    while lines and (not lines[0] or lines[0].startswith("//")):
        del lines[0]
    return "\n".join(lines).strip()


def main():
    example = body((ROOT / "examples" / "quick_start.cpp").read_text())
    blocks = re.findall(r"^```cpp\n(.*?)^```$", (ROOT / "README.md").read_text(), re.S | re.M)
    if example not in [block.strip() for block in blocks]:
        print("README.md has no ```cpp block that equals examples/quick_start.cpp:")
        print(example)
        return 1
    if example.count("\n") + 1 > LINES_AT_MOST:
        print(f"the quick start has more than {LINES_AT_MOST} lines")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
