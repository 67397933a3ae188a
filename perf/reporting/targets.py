# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of targets. On the GPU: every memory-bound operation of the CUDA backend against its
peer or the machine's limit; on the CPU: every operation of the OpenMP backend against the best of
its peers (cpu_targets.py). Both sides of a ratio are measured in turn, in one process."""

import dataclasses

FLOATS = ("f32", "f64")
LARGE = 2**27
SPREADS = ("uniform", "normal", "all_equal")


@dataclasses.dataclass(frozen=True)
class Target:
    """One target.

    row      heading of the table's section
    problem  algorithm/name/type/size, as the benchmark programs name it
    peer     who tandem is held against, with `how` it ran: a name, or several of which the fastest
             counts; None for a bound in microseconds
    bound    of tandem's time over the peer's where `sense` is "time", of the peer's time over
             tandem's where it is "speed", of tandem's microseconds where it is "us", of those that
             it takes longer than the peer where it is "more us", of tandem's error over the peer's
             where it is "error"; None where the ratio is told and not judged
    """

    row: str
    problem: str
    peer: str | tuple[str, ...] | None
    bound: float | None
    sense: str = "time"
    variant: str = "resident"
    tandem_variant: str = ""  # how tandem ran, where not as its peer did
    backend: str = "cuda"

    @property
    def peers(self):
        """Names of all the peers; one before a slash ran elsewhere than tandem: "serial/std"."""
        if self.peer is None:
            return ()
        return (self.peer,) if isinstance(self.peer, str) else self.peer


@dataclasses.dataclass
class Judged:
    """A target with what this run measured; None where it lacks either side."""

    target: Target
    tandem: float | None = None  # seconds; errors where these are judged
    peer: float | None = None  # likewise
    best: str = ""  # the peer that took them
    ratio: float | None = None
    error: str = ""

    @property
    def met(self):
        """Whether the ratio keeps the bound, in the two digits in which bounds are given."""
        if self.ratio is None or self.target.bound is None:
            return None
        if self.target.sense == "speed":
            return round(self.ratio, 2) >= self.target.bound
        return round(self.ratio, 2) <= self.target.bound


def loops():
    """Elementwise loops through a lambda; a hand-written kernel with accesses of 16 bytes."""
    row = "Elementwise loops"
    for name in ("triad", "copy", "increment"):
        for kind in FLOATS:
            for exponent in (20, 22, 24, 27, 28, 30):
                problem = f"loops/{name}/{kind}/{2**exponent}"
                yield Target(row, problem, "raw", 1.0, "speed")
                if name != "increment":
                    yield Target(
                        "transform", problem, "cub", 1.0, "speed", tandem_variant="transform"
                    )
                    yield Target(
                        "Elementwise loops, mutable inputs",
                        problem,
                        "raw",
                        None,
                        "speed",
                        tandem_variant="mutable",
                    )


def shaped_loops():
    row = "Loops over planes, strided and misaligned views"
    for name in ("triad", "copy", "increment"):
        for size in ("1000x1000", "4000x4000", "8192x16384"):
            yield Target(row, f"loops/{name}_plane/f32/{size}", "raw", 0.95, "speed")
        yield Target(row, f"loops/{name}_plane/f32/{2**18}x40", "raw", None, "speed")
        for size in ("1000x1000", "8192x16000"):
            problem = f"loops/{name}_pitched/f32/{size}"
            yield Target(row, problem, "raw", 0.95, "speed")
            yield Target(row, problem, "raw", 0.95, "speed", tandem_variant="strides")
        for form in ("strided", "misaligned"):
            for exponent in (20, 24, 27):
                yield Target(row, f"loops/{name}_{form}/f32/{2**exponent}", "raw", 0.95, "speed")


def launches():
    for name in ("back_to_back", "fence"):
        for size in (8, 512, 4096, 16384, 32000):
            problem = f"launch/{name}/bytes/{size}"
            yield Target("Launch of an empty parallel_for", problem, "raw", 1.05, variant="to_host")


def graphs():
    """Twenty increments; and a mixture of loops, sums, histograms and scans."""
    for name in ("graph", "graph_mix"):
        problem = f"launch/{name}/f32/20"
        yield Target("Graph of 20 small operations", problem, "raw", 1.05, variant="to_host")


def reductions_to_host():
    row = "Reductions, result on the host"
    for name in ("sum", "abs_sum", "max", "dot"):
        for size in (2**10, 2**12, 2**16, 2**20):
            problem = f"reduce/{name}/f32/{size}"
            yield Target(row, problem, "cub", 0.65, variant="to_host")
            yield Target(row, problem, None, 10.5 if size == 2**20 else 8.5, "us", "to_host")


def reductions():
    kinds = {"sum": (*FLOATS, "i32", "i64")}
    for name in ("sum", "abs_sum", "max", "dot"):
        for kind in kinds.get(name, FLOATS):
            for exponent in (20, 24, 27, 30):
                yield Target(
                    "Reductions on the device",
                    f"reduce/{name}/{kind}/{2**exponent}",
                    "cub",
                    0.9 if exponent == 20 else 1.0,
                )


def reductions_against_sum():
    for name in ("argmin", "argmax", "minmax", "several"):
        for exponent in (24, 27):
            problem = f"reduce/{name}/f32/{2**exponent}"
            yield Target("Several results in one pass", problem, "sum", 1.02)
            if name.startswith("arg"):
                yield Target("Several results in one pass", problem, "cub", None)
    yield Target("Ordered reduction", f"reduce/ordered/f32/{LARGE}", "sum", 0.8, "speed")


def reductions_over_an_axis():
    for name in ("rows", "columns"):
        for size in (f"{2**20}x128", f"{2**13}x{2**14}", f"128x{2**20}"):
            problem = f"axis/{name}/f32/{size}"
            yield Target("Sums over an axis", problem, "read", 0.95, "speed")
            yield Target("Sums over an axis", problem, "cub", None, "speed")


def scans():
    for kinds, small, large in ((("i32", "i64"), 0.9, 0.85), (FLOATS, 0.95, 1.0)):
        for name in ("inclusive", "exclusive"):
            for kind in kinds:
                for size, bound in ((2**20, small), (LARGE, large)):
                    row = "Scans of floats, same bits" if kinds == FLOATS else "Scans of integers"
                    yield Target(row, f"scan/{name}/{kind}/{size}", "cub", bound)


def histograms_of_floats():
    row = "Histograms of f32, NumPy's edges"
    for bins in (10, 150, 256):
        for spread in SPREADS:
            problem = f"histogram/{spread}_{bins}/f32/{LARGE}"
            yield Target(row, problem, "cub", 0.9)
            yield Target(row, problem, "read", 0.93, "speed")
    yield Target(row, "histogram/normal_150/f32/1000000", "cub", 0.75)


def histograms_of_integers():
    row = "Histograms of integers"
    for spread in SPREADS:
        for size in (2**25, LARGE):
            problem = f"histogram/{spread}_256/i32/{size}"
            yield Target(row, problem, "cub", 2.5, "speed")
            yield Target(row, problem, "read", 0.93, "speed")
    for bins, bound in ((1000, 10), (4096, 10), (65536, 6), (2**20, 3)):
        for spread in SPREADS:
            problem = f"histogram/{spread}_{bins}/i32/{LARGE}"
            yield Target(row, problem, "cub", bound, "speed")
            yield Target(row, problem, "atomics", 1.0, "speed")


def other_histograms():
    row = "Histograms of bytes, explicit edges, weights"
    for spread in SPREADS:
        yield Target(row, f"histogram/{spread}_256/u8/{LARGE}", "read", 0.9, "speed")
    for name, bound in (("edges_100", 0.7), ("edges_1000", 0.7), ("weighted_256", 0.85)):
        yield Target(row, f"histogram/{name}/f32/{LARGE}", "read", bound, "speed")


def sorts():
    cases = [("sort", kind) for kind in ("u32", "f32", "u64")]
    cases += [("sort_by_key", "u32"), ("unique", "u32"), ("copy_if", "f32")]
    for name, kind in cases:
        for size in (2**20, LARGE):
            yield Target("Sort and select", f"sort/{name}/{kind}/{size}", "cub", 0.98, "speed")


SECTIONS = (
    loops,
    shaped_loops,
    launches,
    graphs,
    reductions_to_host,
    reductions,
    reductions_against_sum,
    reductions_over_an_axis,
    scans,
    histograms_of_floats,
    histograms_of_integers,
    other_histograms,
    sorts,
)


def all_targets(sections=SECTIONS):
    """Every target, those of one heading together, in the order in which headings first appear."""
    listed = [target for section in sections for target in section()]
    headings = list(dict.fromkeys(target.row for target in listed))
    return sorted(listed, key=lambda target: headings.index(target.row))


def place_of(peer, backend):
    """("serial", "std") of "serial/std"; `where` for a peer that names no place of its own."""
    place, _, implementation = peer.rpartition("/")
    return place or backend, implementation


def entries(targets):
    """What the benchmark programs are asked for: tandem's entries and the peers', by their keys."""
    listed = []
    for target in targets:
        variant = target.tandem_variant or target.variant
        listed.append(f"{target.problem}/{target.backend}/tandem/{variant}")
        for peer in target.peers:
            place, implementation = place_of(peer, target.backend)
            listed.append(f"{target.problem}/{place}/{implementation}/{target.variant}")
    return list(dict.fromkeys(listed))


def judge(results, targets):
    """All targets with what was measured."""
    return [judged(results, target) for target in targets]


def judged(results, target):
    *case, size = target.problem.split("/")
    found = Judged(target)

    def measure(backend, implementation, variant):
        measured = results.by_key.get((tuple(case), size, (backend, implementation, variant)))
        if measured and measured.error:
            found.error = f"{implementation}: {measured.error}"
        if measured and measured.bits_promised and not measured.equal_bits:
            found.error = f"{implementation}: bits differ"
        if measured and target.sense == "error":
            return measured.deviation
        return measured.seconds if measured else None

    found.tandem = measure(target.backend, "tandem", target.tandem_variant or target.variant)
    if target.peer is None:
        found.ratio = found.tandem * 1e6 if found.tandem else None
        return found
    taken = {
        peer: measure(*place_of(peer, target.backend), target.variant) for peer in target.peers
    }
    taken = {peer: time for peer, time in taken.items() if time}
    if taken:
        found.best = min(taken, key=taken.get)
        found.peer = taken[found.best]
    if found.tandem and found.peer:
        ratio = found.tandem / found.peer
        found.ratio = 1 / ratio if target.sense == "speed" else ratio
        if target.sense == "more us":
            found.ratio = (found.tandem - found.peer) * 1e6
    return found
