# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets and their verdicts: one rule for every table. tables.txt lists what is compared with what
and names the few bounds that differ from the rule."""

import dataclasses
import fractions
import math
import pathlib
import re

# The least ratio of speeds by kind of row. "error" is the ratio of errors, of which more is worse.
LEAST = {"peer": 0.97, "limit": 0.95}
MOST_ERROR = 1.0
# The least geometric mean of a family's rows against peers.
LEAST_MEAN = 1.05


@dataclasses.dataclass(frozen=True)
class Target:
    """A comparison of tandem's speed, or of its error, for one problem: a row of tables.txt.

    problem  algorithm/name/type/size, as the benchmark programs print it
    peer     implementation that tandem is compared with, or several, of which the fastest counts
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
    peer: float | None = None  # likewise
    best: str = ""  # the fastest peer
    error: str = ""

    @property
    def ratio(self):
        """The peer's time over tandem's, a ratio of speeds; of errors, tandem's over the peer's."""
        if not self.tandem or not self.peer:
            return None
        return self.tandem / self.peer if self.target.kind == "error" else self.peer / self.tandem

    @property
    def met(self):
        """Whether the ratio, rounded to three decimals, meets the bound; None if unknown."""
        if self.ratio is None or self.target.bound is None:
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
        return [v.ratio for v in self.verdicts if v.target.kind == kind and v.ratio]

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
    """(met, missed, not measured) of the rows that are judged."""
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
    peers = tuple(part["peers"].split())
    return Target(
        heading,
        problem,
        peers if len(peers) > 1 else peers[0],
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
                for one in compared
            )
    return [target for family in rows.values() for target in family]


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
        return found.deviation if target.kind == "error" else found.seconds

    verdict.tandem = measured(target.tandem_key)
    peers = {peer: measured(target.peer_key(peer)) for peer in target.peers}
    peers = {peer: time for peer, time in peers.items() if time}
    if peers:
        verdict.best = min(peers, key=peers.get)
        verdict.peer = peers[verdict.best]
    return verdict
