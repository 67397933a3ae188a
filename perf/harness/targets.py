# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets and their verdicts: one rule for every table. tables.txt lists what is compared with what
and names the few bounds that differ from the rule."""

import dataclasses
import fractions
import math
import pathlib
import re

from . import peers

# The least ratio of speeds by kind of row. "error" is the ratio of errors, of which more is worse.
LEAST = {"peer": 0.97, "limit": 0.95}
MOST_ERROR = 1.0
# The least geometric mean of a family's rows against peers.
LEAST_MEAN = 1.05


@dataclasses.dataclass(frozen=True)
class Target:
    """A comparison of tandem's speed, or of its error, for one problem: a row of tables.txt.

    problem  algorithm/name/type/size, as the benchmark programs print it
    peer     implementation to measure beside tandem, or several. A row of kind "peer" is judged
             against the fastest one that was measured, named here or not; rows of other kinds are
             compared with those named
    variant  variant of the peer, and of tandem unless tandem_variant names another
    least    the least ratio if it differs from the rule's
    """

    heading: str
    problem: str
    peer: str | tuple[str, ...]
    kind: str = "peer"
    variant: str = "resident"
    tandem_variant: str = ""
    backend: str = "cuda"
    least: float | None = None

    @property
    def bound(self):
        """What the ratio is judged by; None if it is only shown."""
        if self.kind == "error":
            return MOST_ERROR
        return self.least if self.least is not None else LEAST.get(self.kind)

    @property
    def peers(self):
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
    """A target with what a run measured of it; None if the run lacks either side."""

    target: Target
    tandem: float | None = None  # seconds, or the error if that is compared
    times: dict = dataclasses.field(default_factory=dict)  # likewise, by peer
    busy: bool = False  # the machine was, so that the row is not judged
    error: str = ""

    @property
    def best(self):
        """The fastest peer; empty if none was measured."""
        return min(self.times, key=self.times.get, default="")

    @property
    def peer(self):
        return self.times.get(self.best)

    @property
    def ratio(self):
        """The peer's time over tandem's, a ratio of speeds; of errors, tandem's over the peer's."""
        if not self.tandem or not self.peer:
            return None
        return self.tandem / self.peer if self.target.kind == "error" else self.peer / self.tandem

    @property
    def met(self):
        """Whether the ratio, rounded to three decimals, meets the bound; None if unknown."""
        if self.ratio is None or self.target.bound is None or self.busy:
            return None
        ratio = round(self.ratio, 3)
        bound = self.target.bound
        return ratio <= bound if self.target.kind == "error" else ratio >= bound


@dataclasses.dataclass
class Family:
    """The verdicts on the rows of one heading."""

    heading: str
    verdicts: list
    least_mean: float = LEAST_MEAN

    def ratios(self, kind):
        of_kind = [v for v in self.verdicts if v.target.kind == kind and not v.busy]
        return [v.ratio for v in of_kind if v.ratio]

    @property
    def mean(self):
        """Geometric mean of the ratios against peers; None without any."""
        found = [math.log(ratio) for ratio in self.ratios("peer")]
        return math.exp(sum(found) / len(found)) if found else None

    @property
    def mean_met(self):
        return None if self.mean is None else round(self.mean, 3) >= self.least_mean


def families(verdicts, least_mean=LEAST_MEAN):
    """The verdicts by heading, in order of first appearance."""
    by_heading = {}
    for verdict in verdicts:
        by_heading.setdefault(verdict.target.heading, []).append(verdict)
    return [Family(heading, found, least_mean) for heading, found in by_heading.items()]


def counts(verdicts):
    """(met, missed, neither) of the rows that are judged."""
    judged = [verdict for verdict in verdicts if verdict.target.bound is not None]
    met = sum(verdict.met is True for verdict in judged)
    missed = sum(verdict.met is False for verdict in judged)
    return met, missed, len(judged) - met - missed


def expanded(pattern):
    """The texts that a pattern like a/{b,c/{d,e}} stands for, the first braces slowest."""
    begin = pattern.find("{")
    if begin < 0:
        return [re.sub(r"2\^(\d+)", lambda power: str(2 ** int(power[1])), pattern)]
    depth, end, options = 0, begin, [begin]
    for at in range(begin, len(pattern)):
        depth += {"{": 1, "}": -1}.get(pattern[at], 0)
        if depth == 0 or (depth == 1 and pattern[at] == ","):
            options.append(at)
        if depth == 0:
            end = at
            break
    parts = [pattern[a + 1 : b] for a, b in zip(options, options[1:])]
    return [
        text for part in parts for text in expanded(pattern[:begin] + part + pattern[end + 1 :])
    ]


AGAINST = re.compile(
    r"((?P<kind>\w+)( (?P<bound>[\d./]+))?: )?"
    r"(?P<peers>.*?)( of (?P<of>\w+))?( in (?P<variant>\w+))?"
)


def row(heading, backend, problem, against):
    """The target of a problem against one entry of a line."""
    part = AGAINST.fullmatch(against).groupdict()
    named = tuple(part["peers"].split())
    return Target(
        heading,
        problem,
        named[0] if len(named) == 1 else named,
        part["kind"] or "peer",
        part["variant"] or "resident",
        part["of"] or "",
        backend,
        float(fractions.Fraction(part["bound"])) if part["bound"] else None,
    )


def table(*names):
    """The rows of tables of tables.txt, grouped by heading in the order of first appearance."""
    rows, texts = {}, {}
    name = heading = backend = ""
    for line in (pathlib.Path(__file__).parent / "tables.txt").read_text().splitlines():
        line = line.partition("#")[0].rstrip()
        line = re.sub(r"\$([A-Z0-9]+)", lambda text: texts[text[1]], line)
        if line.startswith("== "):
            _, name, backend = line.split()
        elif " = " in line:
            key, _, texts[key] = line.strip().partition(" = ")
        elif line.endswith(":"):
            heading = line[:-1]
        elif line and name in names:
            problems, *compared = line.strip().split(" | ")
            rows.setdefault(heading, []).extend(
                row(heading, backend, problem, one)
                for problem in expanded(problems)
                for one in compared or [""]
            )
    return [target for family in rows.values() for target in family]


def benchmarks(targets):
    """Names of the benchmarks that the targets compare, as the benchmark programs read them."""
    names = []
    for target in targets:
        keys = [target.tandem_key, *(target.peer_key(peer) for peer in target.peers)]
        names += ["/".join((target.problem, *key)) for key in keys]
    return list(dict.fromkeys(names))


def judge(results, targets, quiet=False):
    """The verdict on each target; with `quiet`, none on times of a busy machine."""
    return [judged(results, target, quiet) for target in targets]


def measured_peers(results, target):
    """{name: measurement} of what a target compares with: every peer that was measured at its size,
    on its side and with the same included; for other kinds than "peer", those that it names."""
    named = {peer: target.peer_key(peer) for peer in target.peers}
    if target.kind == "peer":
        for case, size, (backend, implementation, variant) in results.by_key:
            side = peers.SIDE_OF[backend] == target.backend and variant == target.variant
            same = "/".join((*case, size)) == target.problem
            if side and same and peers.is_peer(implementation):
                other = "" if backend == target.backend else f"{backend}/"
                name = other + implementation
                named[name] = (backend, implementation, variant)
    *case, size = target.problem.split("/")
    found = {name: results.by_key.get((tuple(case), size, key)) for name, key in named.items()}
    return {name: measurement for name, measurement in found.items() if measurement}


def judged(results, target, quiet=False):
    *case, size = target.problem.split("/")
    verdict = Verdict(target)

    def value(found):
        if found.error:
            verdict.error = f"{found.implementation}: {found.error}"
        if found.bits_promised and not found.equal_bits:
            verdict.error = f"{found.implementation}: bits differ"
        return found.deviation if target.kind == "error" else found.seconds

    own = results.by_key.get((tuple(case), size, target.tandem_key))
    found = measured_peers(results, target)
    verdict.tandem = value(own) if own else None
    times = {peer: value(measurement) for peer, measurement in found.items()}
    verdict.times = {peer: time for peer, time in times.items() if time}
    if quiet and own and verdict.best:
        verdict.busy = own.noisy or found[verdict.best].noisy
    return verdict
