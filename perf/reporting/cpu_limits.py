# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU's table of bars: every operation of the OpenMP backend against the best of its peers."""

import functools

from .limits import FLOATS, Limit

Bar = functools.partial(Limit, sense="speed", where="openmp")


def loops():
    """Elementwise loops: through a lambda, and through the algorithms that own their stores."""
    for kind in FLOATS:
        for name in ("triad", "copy", "increment"):
            for exponent in (16, 18, 20, 22, 24, 26, 28):
                problem = f"loops/{name}/{kind}/{2**exponent}"
                yield Bar("Elementwise loops", problem, "raw", 1.0)
                # What is updated in place is in the caches already: nothing can be saved there.
                bound = 1.2 if exponent >= 26 and name != "increment" else 1.0
                yield Bar("transform and copy", problem, "raw", bound, who_how="transform")


def small_loops():
    """What a call costs where no thread is worth waking."""
    row = "Small loops"
    for name in ("triad", "copy", "increment"):
        for exponent in (8, 10, 12):
            problem = f"loops/{name}/f32/{2**exponent}"
            yield Limit(row, problem, "serial/loop", 0.5, "more us", where="openmp")
            yield Bar(row, problem, "raw", 1.0)


def index_types():
    for name in ("int", "unsigned", "long", "size_t"):
        yield Bar("Index types", f"loops/triad_{name}/f32/{2**20}", "raw", 1.0)


SECTIONS = (loops, small_loops, index_types)
