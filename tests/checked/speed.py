#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the kernels of speed.cpp with tandem::checked, as multiples of the times without it.

    tests/checked/speed.py PLAIN CHECKED [--most N]

PLAIN and CHECKED are the two programs of speed.cpp. They run alternately, and the best times count,
because other work on a machine only adds to them. With --most, a multiple above N is a failure.
"""

import argparse
import os
import subprocess
import sys

TURNS = 5


def times(program):
    quiet = dict(os.environ, TANDEM_CHECKED_REPORT="quiet")
    run = subprocess.run([program], env=quiet, check=True, capture_output=True, text=True)
    return {name: float(seconds) for name, seconds in map(str.split, run.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plain")
    parser.add_argument("checked")
    parser.add_argument("--most", type=float, default=float("inf"))
    asked = parser.parse_args()
    turns = [(times(asked.plain), times(asked.checked)) for _ in range(TURNS)]
    slow = []
    print(f"{'kernel':10} {'plain':>10} {'checked':>10} {'times':>6}")
    for name in turns[0][0]:
        plain = min(turn[0][name] for turn in turns)
        checked = min(turn[1][name] for turn in turns)
        print(f"{name:10} {plain * 1e3:7.3f} ms {checked * 1e3:7.3f} ms {checked / plain:6.1f}")
        if checked > asked.most * plain:
            slow.append(name)
    if slow:
        sys.exit(f"more than {asked.most:g} times as long: {', '.join(slow)}")


if __name__ == "__main__":
    main()
