# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets and their verdicts. The targets themselves are data: gpu_targets.py, cpu_targets.py,
matmul_targets.py and report_targets.py list them."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Target:
    """A bound on tandem's time, or on its error, for one problem.

    heading  section of the table
    problem  algorithm/name/type/size, as the benchmark programs print it
    peer     implementation that tandem is compared with, or several, of which the fastest counts;
             "serial/std" names one on another backend than tandem's; None for a bound on tandem's
             time alone
    bound    None where the ratio is shown but not judged
    sense    what is bounded: "time", tandem's time over the peer's; "speed", the peer's time over
             tandem's; "us", tandem's time in microseconds; "more us", by how many microseconds
             tandem's time exceeds the peer's; "error", tandem's error over the peer's
    variant  variant of the peer, and of tandem unless tandem_variant names another
    """

    heading: str
    problem: str
    peer: str | tuple[str, ...] | None
    bound: float | None
    sense: str = "time"
    variant: str = "resident"
    tandem_variant: str = ""
    backend: str = "cuda"

    @property
    def peers(self):
        """The peers as a tuple, empty without any."""
        if self.peer is None:
            return ()
        return (self.peer,) if isinstance(self.peer, str) else self.peer

    @property
    def tandem_key(self):
        """(backend, implementation, variant) of tandem's measurement."""
        return (self.backend, "tandem", self.tandem_variant or self.variant)

    def peer_key(self, peer):
        """(backend, implementation, variant) of a peer's measurement."""
        backend, _, implementation = peer.rpartition("/")
        return (backend or self.backend, implementation, self.variant)


@dataclasses.dataclass
class Verdict:
    """A target with what a run measured of it; None where the run lacks either side."""

    target: Target
    tandem: float | None = None  # seconds, or the error where that is bounded
    peer: float | None = None  # likewise
    best: str = ""  # the fastest peer
    ratio: float | None = None  # in the sense of the target
    error: str = ""

    @property
    def met(self):
        """Whether the ratio, rounded to two decimals, meets the bound; None where unknown."""
        if self.ratio is None or self.target.bound is None:
            return None
        if self.target.sense == "speed":
            return round(self.ratio, 2) >= self.target.bound
        return round(self.ratio, 2) <= self.target.bound


def listed(sections):
    """All targets of the sections, grouped by heading in the order of first appearance."""
    targets = [target for section in sections for target in section()]
    headings = list(dict.fromkeys(target.heading for target in targets))
    return sorted(targets, key=lambda target: headings.index(target.heading))


def benchmarks(targets):
    """Names of the benchmarks that the targets compare, as the benchmark programs read them."""
    names = []
    for target in targets:
        keys = [target.tandem_key, *(target.peer_key(peer) for peer in target.peers)]
        names += ["/".join((target.problem, *key)) for key in keys]
    return list(dict.fromkeys(names))


def judge(results, targets):
    """The verdict on each target."""
    return [judged(results, target) for target in targets]


def judged(results, target):
    *case, size = target.problem.split("/")
    verdict = Verdict(target)

    def measured(key):
        found = results.by_key.get((tuple(case), size, key))
        if not found:
            return None
        if found.error:
            verdict.error = f"{found.implementation}: {found.error}"
        if found.bits_promised and not found.equal_bits:
            verdict.error = f"{found.implementation}: bits differ"
        return found.deviation if target.sense == "error" else found.seconds

    verdict.tandem = measured(target.tandem_key)
    peers = {peer: measured(target.peer_key(peer)) for peer in target.peers}
    peers = {peer: time for peer, time in peers.items() if time}
    if peers:
        verdict.best = min(peers, key=peers.get)
        verdict.peer = peers[verdict.best]
    if verdict.tandem and (verdict.peer or target.peer is None):
        verdict.ratio = ratio(target.sense, verdict.tandem, verdict.peer)
    return verdict


def ratio(sense, tandem, peer):
    """The number that a target of this sense bounds."""
    if sense == "us":
        return tandem * 1e6
    if sense == "more us":
        return (tandem - peer) * 1e6
    return peer / tandem if sense == "speed" else tandem / peer
