# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the benchmark programs' JSON files, and results.json as perf/run wrote it."""

import dataclasses
import gzip
import json
import math
import pathlib
import statistics

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
# Repetitions that differ by more show that something else used the machine.
NOISY = 1.3


class Unreadable(Exception):
    """Input that holds no results; the text says which and why."""


@dataclasses.dataclass
class Measurement:
    """One benchmark: the median of its repetitions, and the outcome of its check."""

    algorithm: str
    name: str
    type: str
    size: str
    backend: str  # serial, openmp, cuda
    implementation: str  # tandem, raw, cub, ...
    variant: str  # what the time includes (resident, to_host, pinned), or which call (transform)
    elements: float = 0.0
    bytes: float = 0.0
    flops: float = 0.0
    seconds: float | None = None
    fastest: float | None = None
    slowest: float | None = None
    repetitions: int = 0
    bits: str = ""  # hash of the result
    deviation: float | None = None  # relative error of the result if it was computed
    reference: str = ""  # backend that computed the reference
    equal_bits: bool | None = None
    bits_promised: bool = False
    error: str = ""

    @property
    def case(self):
        return (self.algorithm, self.name, self.type)

    @property
    def rate(self):
        """Bytes or flops per second by the problem's model; None for problems without one."""
        amount = self.flops or self.bytes
        return amount / self.seconds if amount and self.seconds else None

    @property
    def candidate(self):
        return (self.backend, self.implementation, self.variant)

    @property
    def noisy(self):
        """Whether the slowest repetition took much longer than the fastest."""
        return bool(self.fastest) and self.slowest > NOISY * self.fastest


def programs(folder):
    """The content of each JSON file of `folder` that a benchmark program has completed."""
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            content = json.loads(path.read_text())
        except json.JSONDecodeError:
            continue  # the program died
        if isinstance(content, dict) and isinstance(content.get("benchmarks"), list):
            yield path, content


def read(folder):
    """All measurements in the JSON files of `folder`, in the order in which they ran.

    Errors: Unreadable if a benchmark's name is not one of these programs'.
    """
    found = {}
    for path, content in programs(folder):
        for run in content["benchmarks"]:
            name = tuple(str(run.get("name", "")).split("/")[:7])
            if len(name) < 7:
                raise Unreadable(f"{path}: '{run.get('name')}' is no name of tandem's benchmarks")
            found.setdefault(name, []).append(run)
    return complete([from_repetitions(runs) for runs in found.values()])


def complete(measured):
    """Gives measurements whose program knows no model of the problem that of another's."""
    models = {(m.case, m.size): (m.bytes, m.flops) for m in measured if m.bytes or m.flops}
    for m in measured:
        if not m.elements and not m.error:
            m.elements = float(math.prod(int(side) for side in m.size.split("x")))
            m.bytes, m.flops = models.get((m.case, m.size), (0.0, 0.0))
    return measured


def read_context(folder):
    """The programs' contexts, which name their libraries, merged into one dictionary."""
    context = {}
    for _, content in programs(folder):
        context.update(content.get("context", {}))
    return context


SCHEMA = 3


def read_content(path):
    """What a results.json holds, compressed or not.

    Errors: Unreadable if the file is missing or holds something else.
    """
    path = pathlib.Path(path)
    try:
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        content = json.loads(text)
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path}: {error}") from error
    if not isinstance(content, dict) or "measurements" not in content:
        raise Unreadable(f"{path}: no results.json of perf/run (it has no 'measurements')")
    if content.get("schema") != SCHEMA:
        raise Unreadable(f"{path}: schema {content.get('schema')}, and this program knows {SCHEMA}")
    return content


def kept_measurements(content):
    """The measurements of read_content's content."""
    known = {field.name for field in dataclasses.fields(Measurement)}
    return [
        Measurement(**{key: value for key, value in entry.items() if key in known})
        for entry in content["measurements"]
    ]


def from_repetitions(runs):
    """Combines the repetitions of one benchmark."""
    first = runs[0]
    result = Measurement(*first["name"].split("/")[:7])
    failed = next((run for run in runs if run.get("error_occurred")), None)
    if failed:
        result.error = failed.get("error_message", "failed")
        return result
    times = [run["real_time"] * UNITS[run["time_unit"]] for run in runs]
    result.seconds, result.repetitions = statistics.median(times), len(times)
    result.fastest, result.slowest = min(times), max(times)
    for counter in ("elements", "bytes", "flops"):
        setattr(result, counter, first.get(counter, 0.0))
    notes = dict(note.split("=") for note in first.get("label", "").split() if "=" in note)
    result.bits = notes.get("bits", "")
    result.deviation = float(notes["deviation"]) if "deviation" in notes else None
    result.reference = notes.get("reference", "")
    result.equal_bits = notes["equal"] == "yes" if "equal" in notes else None
    result.bits_promised = notes.get("promised") == "yes"
    return result
