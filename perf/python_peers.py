#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures NumPy, Numba (njit and cuda.jit), PyTorch and CuPy, as far as this Python has them.

usage: python_peers.py --names FILE --list
           the benchmarks that it can measure of the problems that FILE names, one name of a
           benchmark program per line
       python_peers.py --names FILE --out FILE.json [--quick]
           measures the benchmarks that FILE names
       python_peers.py --names FILE --agreement FILE.json
           runs them ten times and writes their results' hashes

Runs after the benchmark programs, in a separate process, and writes their format. Each library
gets the same data, and its result is checked against NumPy's in double precision before it is
timed. A library that is missing is named and left out.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import statistics
import sys
import warnings

from harness import libraries
from harness.peers import TITLES

RUNS = 10
THREADS = int(os.environ.get("OMP_NUM_THREADS") or len(os.sched_getaffinity(0)))

# Bytes through which a device's rounds rotate, so that its cache does not hold the data, and the
# most sets: smaller problems are bound by their launches.
ROTATED_BYTES = 256 << 20
MOST_SETS = 64
MOST_SECONDS = 1.0  # of all repetitions; a run that takes longer is the only one
# Larger problems would take a host tens of GB, and seconds to sort on one thread.
MOST_ELEMENTS = {"sort": 1 << 24, "streamed_sum": 1 << 30}
MOST_ELEMENTS_ELSEWHERE = 1 << 27


@dataclasses.dataclass(frozen=True)
class Key:
    """The name of a benchmark in parts."""

    algorithm: str
    name: str
    kind: str
    size: str
    backend: str
    implementation: str
    variant: str = "resident"

    @property
    def problem(self):
        return (self.algorithm, self.name, self.kind, self.size)

    def __str__(self):
        return "/".join((*self.problem, self.backend, self.implementation, self.variant))


def read_names(path):
    lines = pathlib.Path(path).read_text().split()
    return [Key(*line.split("/")[:7]) for line in lines if line.count("/") >= 6]


def is_too_large(operation, size):
    return size.isdigit() and int(size) > MOST_ELEMENTS.get(operation, MOST_ELEMENTS_ELSEWHERE)


def candidates(names):
    """The benchmarks of the installed libraries for the problems that the names have."""
    if not libraries.is_installed("numpy"):
        return []
    from harness import problems

    sides = [False, True] if any(key.backend == "cuda" for key in names) else [False]
    installed = [name for name in libraries.MAKERS if libraries.is_installed(name)]
    found = []
    for problem in dict.fromkeys(key.problem for key in names):
        operation = problems.operation_of(*problem[:3])
        if not operation or is_too_large(operation, problem[3]):
            continue
        for on_gpu in sides:
            for name in installed:
                if libraries.solves(name, on_gpu, operation, problem[2]):
                    backend = libraries.backend_of(name, on_gpu, operation)
                    variant = "pageable" if operation == "streamed_sum" else "resident"
                    found.append(Key(*problem, backend, name, variant))
    return found


class Peers:
    """The libraries that are needed, opened once, and what there is to say about the others."""

    def __init__(self, keys):
        wanted = dict.fromkeys((key.implementation, key.backend == "cuda") for key in keys)
        self.opened, self.versions, self.remarks = {}, {}, []
        for name in libraries.MAKERS:
            if not libraries.is_installed(name):
                self.remarks.append(f"no {TITLES[name]}")
        for name, on_gpu in wanted:
            self.open(name, on_gpu)

    def open(self, name, on_gpu):
        if not (libraries.is_installed("numpy") and libraries.is_installed(name)):
            return
        try:
            library = libraries.MAKERS[name](on_gpu)
        except Exception as error:  # whatever a library says that cannot use this machine
            side = "GPU" if on_gpu else "CPU"
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            self.remarks.append(f"no {TITLES[name]} on the {side} ({reason})")
            return
        if library:
            library.set_threads(THREADS)
            self.opened[name, on_gpu] = library
            self.versions[name] = libraries.version_of(name)

    def of(self, key):
        return self.opened.get((key.implementation, key.backend == "cuda"))

    def summary(self):
        return ", ".join(self.versions.values()) or "none"


def loaded(library, problem):
    """The problem with copies of its arrays as the library has them."""
    if problem.is_on_host:
        return problem

    def load(array):
        return None if array is None else library.load(array.copy())

    return dataclasses.replace(
        problem, x=load(problem.x), y=load(problem.y), z=load(problem.z)
    )


def prepared(library, problem):
    """Returns run(round) on checked data. Errors: WrongResult."""
    from harness.problems import WrongResult

    sets = 1
    if library.on_gpu and not problem.is_on_host:
        sets = max(1, min(MOST_SETS, ROTATED_BYTES // max(problem.bytes, 1)))
    data = [loaded(library, problem) for _ in range(sets)]
    solve = library.operations[problem.operation]
    if not problem.check(library.fetch(solve(data[0]))):
        raise WrongResult("wrong result")
    return lambda r: solve(data[r % sets])


def times_of(library, run, quick):
    """Seconds of one run, one value per repetition."""
    once = library.seconds(run, 0, 1)
    if once > MOST_SECONDS:
        return [once]
    once = max(library.seconds(run, 1, 1), 1e-7)
    rounds = max(1, min(1000, int((4e-3 if quick else 20e-3) / once)))
    repetitions = max(1, min(3 if quick else 5, int(MOST_SECONDS / (once * rounds))))
    return [library.seconds(run, r * rounds, rounds) / rounds for r in range(repetitions)]


def by_problem(keys):
    """Yields (problem, its benchmarks), with one problem's data alive at a time."""
    groups = {}
    for key in keys:
        groups.setdefault(key.problem, []).append(key)
    if groups:
        from harness import problems  # needs NumPy, without which there is no benchmark
    for name, group in groups.items():
        problem = problems.make(*name)
        if problem:
            yield problem, group


def measure(keys, peers, quick):
    """Yields the lines of the result file."""
    broken = set()
    for problem, group in by_problem(key for key in keys if peers.of(key)):
        for key in group:
            library = peers.of(key)
            side = (key.implementation, library.on_gpu)
            if side in broken:
                continue
            base = {"name": str(key), "run_type": "iteration"}
            try:
                times = times_of(library, prepared(library, problem), quick)
            except (AttributeError, ImportError) as error:  # of packages that do not fit each other
                broken.add(side)
                print(f"{key}  left out with all of this library's: {error}", file=sys.stderr)
                continue
            except Exception as error:  # each library has its own
                print(f"{key}  {error}", file=sys.stderr)
                yield {**base, "error_occurred": True, "error_message": str(error)}
                continue
            print(f"{key}  {statistics.median(times) * 1e6:.2f} us", flush=True)
            yield from ({**base, "time_unit": "us", "real_time": t * 1e6} for t in times)


def hash_of(result):
    import numpy

    return hashlib.sha256(numpy.ascontiguousarray(result).tobytes()).hexdigest()[:16]


def agreement(keys, peers):
    """[{"name": .., "bits": hashes of ten runs, on one to ten threads}]"""
    found = []
    compared = [k for k in keys if k.algorithm in ("reduce", "scan", "histogram")]
    compared = [k for k in compared if k.size == str(1 << 20) and peers.of(k)]
    for problem, group in by_problem(compared):
        for key in group:
            library = peers.of(key)
            bits = []
            try:
                for threads in range(1, RUNS + 1):
                    library.set_threads(threads)
                    data = loaded(library, problem)
                    bits.append(hash_of(library.fetch(library.operations[problem.operation](data))))
            except Exception as error:  # each library has its own
                print(f"{key}  left out: {error}", file=sys.stderr)
                continue
            finally:
                library.set_threads(THREADS)
            found.append({"name": str(key), "bits": bits})
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", required=True)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out")
    parser.add_argument("--agreement")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    warnings.filterwarnings("ignore", module="numba")
    names = read_names(given.names)
    if given.list:
        for key in candidates(names):
            print(key)
        return 0
    # Numba has at most as many threads as it starts with.
    os.environ["NUMBA_NUM_THREADS"] = str(max(THREADS, RUNS) if given.agreement else THREADS)
    keys = [key for key in names if key.implementation in libraries.MAKERS]
    peers = Peers(keys)
    if given.agreement:
        content = {"agreement": agreement(keys, peers)}
        pathlib.Path(given.agreement).write_text(json.dumps(content))
    if given.out:
        remarks = f" ({', '.join(peers.remarks)})" if peers.remarks else ""
        print(f"Peers in Python: {peers.summary()}{remarks}")
        lines = []
        try:
            for line in measure(keys, peers, given.quick):
                lines.append(line)
        except KeyboardInterrupt:
            print("interrupted: what was measured is kept", file=sys.stderr)
        content = {"context": {"python_peers": peers.summary()}, "benchmarks": lines}
        pathlib.Path(given.out).write_text(json.dumps(content))
        return int(any("error_occurred" in line for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
