# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates measurements: CPU against GPU, agreement, crossover, share of the peak."""

import math

from . import names, peers


class Results:
    """Measurements by problem and candidate, and the measured peaks.

    cache_bytes  size of the processor's last cache, 0 if unknown; data that fits it gets no
                 share of the memory's peak
    peaks        those of an earlier run, if `measurements` has none
    """

    def __init__(self, measurements, cache_bytes=0, peaks=None):
        self.cache_bytes = cache_bytes
        self.all = [m for m in measurements if m.algorithm != "peak"]
        self.all.sort(key=names.order)
        self.peaks = peaks or read_peaks(m for m in measurements if m.algorithm == "peak")
        self.by_key = {(m.case, m.size, m.candidate): m for m in self.all}
        self.by_problem = {}
        for m in self.all:
            self.by_problem.setdefault((m.case, m.size), []).append(m)

    def find(self, case, size, backend, implementation="tandem", variant="resident"):
        """The measurement, or None if it is missing or failed."""
        found = self.by_key.get((case, size, (backend, implementation, variant)))
        return found if found and found.seconds else None

    def of_problem(self, case, size):
        """All measurements of a problem."""
        return self.by_problem.get((case, size), [])

    def cases(self):
        """Cases in the report's order."""
        return list(dict.fromkeys(m.case for m in self.all))

    def sizes(self, case):
        """Sizes of a case, ascending."""
        known = {m.size: m.elements for m in self.all if m.case == case and m.seconds}
        return sorted(known, key=known.get)

    def has_gpu(self):
        return any(m.backend == "cuda" for m in self.all)

    def peak(self, measurement):
        """Measured peak of the machine for such work, in bytes or flops per second."""
        side = self.peaks.get("cuda" if measurement.backend == "cuda" else "openmp", {})
        if measurement.flops:
            kinds = [f"{unit} {measurement.type}" for unit in ("fma", "fma_tensor")]
        else:
            # The fastest traffic of any kind: bandwidth depends on the mixture of reads and writes,
            # and a loop may beat the peak measured for its own mixture.
            kinds = [kind for kind in side if not kind.startswith("fma")]
        return max((side.get(kind, 0) for kind in kinds), default=0) or None

    def in_cache(self, measurement):
        """Whether the processor's caches may hold all data of a loop on the CPU."""
        return (
            measurement.backend != "cuda"
            and not measurement.flops
            and measurement.bytes <= self.cache_bytes
        )

    def share(self, measurement):
        """Fraction of the peak that was reached; None without a model or a peak, for one thread,
        for transfers through the host, and for data that a CPU's caches hold."""
        peak = self.peak(measurement)
        if not peak or not measurement.rate or measurement.backend == "serial":
            return None
        if self.in_cache(measurement) or measurement.variant in peers.THROUGH_HOST:
            return None
        return measurement.rate / peak


def read_peaks(measurements):
    """{"cuda": {"read": bytes/s, "fma f32": flops/s}, "openmp": {...}} of the fastest repetitions,
    since a peak is a maximum."""
    peaks = {}
    for m in measurements:
        if m.rate:
            name = f"{m.name} {m.type}" if m.flops else m.name
            peaks.setdefault(m.backend, {})[name] = m.rate * m.seconds / m.fastest
    return peaks


def ratio(slow, fast):
    """How many times faster `fast` is; None if either is missing."""
    return slow.seconds / fast.seconds if slow and fast else None


def agreement(results, case, size):
    """Whether tandem's results of a problem have equal bits; None if one backend alone ran."""
    tandem = [
        m
        for m in results.all
        if (m.case, m.size, m.implementation) == (case, size, "tandem") and m.bits
    ]
    sides = {m.backend for m in tandem}
    if len(sides) < 2:
        return None
    return len({m.bits for m in tandem}) == 1


def on_cpu(results, case, size):
    """tandem's fastest measurement on the CPU: that of all threads, or of one if threads only
    contend, as for an atomic counter. What the GPU is compared with."""
    found = [results.find(case, size, backend) for backend in ("openmp", "serial")]
    found.append(results.find(case, size, "openmp", variant="threads_1"))
    return min(filter(None, found), key=lambda m: m.seconds, default=None)


# What a row shows beside the CPU's fastest: (backend, variant) of tandem's measurements.
COLUMNS = {
    "one": ("openmp", "threads_1"),
    "threads": ("openmp", "resident"),
    "gpu": ("cuda", "resident"),
    "transfers": ("cuda", "pageable"),
    "pinned": ("cuda", "pinned"),
}
GPU_COLUMNS = ("gpu", "transfers", "pinned")


def rows(results):
    """One row per problem: its times, the GPU's speed-ups, and whether the bits agree. Transfers
    are no problem that a CPU solves."""
    made = []
    for case in (case for case in results.cases() if case[0] != "transfer"):
        for size in results.sizes(case):
            row = {
                name: results.find(case, size, backend, variant=variant)
                for name, (backend, variant) in COLUMNS.items()
            }
            row["cpu"] = on_cpu(results, case, size)
            sample = row["gpu"] or row["cpu"] or row["transfers"]
            if sample is None:
                continue
            row.update(sample=sample, threads_over_one=ratio(row["one"], row["threads"]))
            for name in GPU_COLUMNS:
                row[f"{name}_over_cpu"] = ratio(row["cpu"], row[name])
            row.update(same_bits=agreement(results, case, size))
            made.append(row)
    return made


def is_quiet(row):
    """Whether no time of a row was measured on a busy machine."""
    return not any(row[name] and row[name].noisy for name in ("cpu", *COLUMNS))


def headline(results):
    """Rows for the top of the report: each case at the largest size that CPU and GPU ran while the
    machine was quiet."""
    best = {}
    for row in filter(is_quiet, rows(results)):
        both = row["cpu"] and row["gpu"]
        case = row["sample"].case
        if both or case not in best or not (best[case]["cpu"] and best[case]["gpu"]):
            best[case] = row
    return list(best.values())


def speedups(results, case, variant):
    """[(measurement, speed-up over the CPU's fastest)] of tandem on the GPU by size, ascending,
    without times of a busy machine."""
    pairs = []
    for size in results.sizes(case):
        found = results.find(case, size, "cuda", variant=variant)
        compared = on_cpu(results, case, size)
        speed = ratio(compared, found)
        if speed is not None and not (found.noisy or compared.noisy):
            pairs.append((found, speed))
    return pairs


def pays_from(pairs):
    """The measurement of the smallest size from which on the GPU is faster at every measured size;
    None if it is slower at the largest. What the report says in words, tables and charts."""
    found = None
    for measurement, speed in reversed(pairs):
        if speed < 1:
            break
        found = measurement
    return found


def pays_in_words(pairs):
    """pays_from in words: "2^20", "1000^3", "every size" or "no size"; empty without sizes."""
    if not pairs:
        return ""
    found = pays_from(pairs)
    if found is None:
        return "no size"
    return "every size" if found is pairs[0][0] else names.size(found.size)


def peer_ratios(results):
    """[(tandem's measurement, a peer's of the same problem, ratio of speeds)], without those that
    were measured on a busy machine."""
    found = []
    for peer in results.all:
        if not peers.is_peer(peer.implementation) or not peer.seconds or peer.noisy:
            continue
        own = results.find(peer.case, peer.size, peers.SIDE_OF[peer.backend], variant=peer.variant)
        if own and not own.noisy:
            found.append((own, peer, peer.seconds / own.seconds))
    return found


def against_peers(results, backend):
    """[(tandem's measurement on the backend, the fastest peer's, ratio of speeds)] of every problem
    that a peer solves with as many threads. One of one thread counts if it is faster still."""
    fastest, with_threads = {}, set()
    for own, peer, speed in peer_ratios(results):
        key = (own.case, own.size, own.candidate)
        if own.backend == backend and (key not in fastest or speed < fastest[key][2]):
            fastest[key] = (own, peer, speed)
        if peer.backend == backend:
            with_threads.add(key)
    return [found for key, found in fastest.items() if key in with_threads]


def rivals(results, case, size, backend):
    """The peers' measurements of a problem on a side, on data that is where the side has it."""
    return [
        m
        for m in results.of_problem(case, size)
        if peers.is_peer(m.implementation)
        and peers.SIDE_OF[m.backend] == backend
        and m.variant == "resident"
        and m.seconds
    ]


def headline_against_peers(results, backend):
    """[(tandem's measurement on the backend, the fastest peer's, ratio of speeds)], one for each
    case that a peer solves with as many threads: at the size that the most peers solve, and the
    largest of those, without times of a busy machine."""
    chosen = {}
    for case in (case for case in results.cases() if case[0] != "transfer"):
        for size in results.sizes(case):
            own, found = results.find(case, size, backend), rivals(results, case, size, backend)
            if not own or all(m.backend != backend for m in found):
                continue
            peer = min(found, key=lambda m: m.seconds)
            rank = (len(found), own.elements)
            if not (own.noisy or peer.noisy) and rank > chosen.get(case, ((0, 0), None))[0]:
                chosen[case] = (rank, (own, peer, ratio(peer, own)))
    return [found for _, found in chosen.values()]


def by_peer(results):
    """{a peer's name: [(tandem's measurement, its, ratio of speeds)]}, the CPU's peers first."""
    found = {}
    for own, peer, speed in peer_ratios(results):
        found.setdefault((own.backend == "cuda", names.candidate(peer)), []).append(
            (own, peer, speed)
        )
    return {name: found[on_gpu, name] for on_gpu, name in sorted(found)}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def peer_rows(results):
    """[(a peer's name, geometric mean of tandem's speed over it, number of measurements, least
    ratio, where, most)], the CPU's peers first."""
    rows = []
    for name, found in by_peer(results).items():
        speeds = [speed for *_, speed in found]
        own, _, least = min(found, key=lambda one: one[2])
        where = f"{names.case(own)}, {names.size(own.size)}"
        rows.append((name, geometric_mean(speeds), len(found), least, where, max(speeds)))
    return rows


def peers_by_case(results, backend):
    """(names of the peers on a side, [(sample, {name: (tandem's measurement, ratio)})]) with the
    largest size of each pair."""
    known, rows = {}, {}
    for own, peer, speed in peer_ratios(results):
        if own.backend == backend and own.variant == "resident":
            name = names.candidate(peer)
            known[name] = None
            found = rows.setdefault(own.case, (own, {}))[1]
            if name not in found or own.elements >= found[name][0].elements:
                found[name] = (own, speed)
    return list(known), list(rows.values())


def crossovers(results):
    """[(sample, speed-ups by variant)] of the cases with enough sizes to have a crossover."""
    found = []
    for case in results.cases():
        variants = ("resident", "pinned", "pageable")
        by_variant = {variant: speedups(results, case, variant) for variant in variants}
        if len(by_variant["resident"]) >= 3:
            found.append((by_variant["resident"][0][0], by_variant))
    return found
