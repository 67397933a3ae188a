# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the benchmark programs' JSON files."""

import dataclasses
import json
import pathlib
import statistics

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


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
    deviation: float | None = None  # relative error of the result, where it was computed
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


def read(folder):
    """All measurements in the JSON files of `folder`, in the order in which they ran."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            runs = json.loads(path.read_text())["benchmarks"]
        except (json.JSONDecodeError, KeyError):
            continue  # no valid file: no benchmark matched, or the program died
        for run in runs:
            if run.get("run_type", "iteration") == "iteration":
                found.setdefault(tuple(run["name"].split("/")[:7]), []).append(run)
    return [from_repetitions(runs) for runs in found.values()]


def read_context(folder):
    """The programs' contexts, which name their libraries, merged into one dictionary."""
    context = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            context.update(json.loads(path.read_text())["context"])
        except (json.JSONDecodeError, KeyError):
            continue
    return context


def from_repetitions(runs):
    """Combines the repetitions of one benchmark."""
    first = runs[0]
    result = Measurement(*first["name"].split("/")[:7])
    failed = next((run for run in runs if run.get("error_occurred")), None)
    if failed:
        result.error = failed.get("error_message", "failed")
        return result
    times = [run["real_time"] * UNITS[run["time_unit"]] for run in runs]
    result.seconds, result.fastest, result.slowest = (
        statistics.median(times),
        min(times),
        max(times),
    )
    result.repetitions = len(times)
    result.elements, result.bytes, result.flops = (
        first.get(counter, 0.0) for counter in ("elements", "bytes", "flops")
    )
    notes = dict(note.split("=") for note in first.get("label", "").split() if "=" in note)
    result.bits = notes.get("bits", "")
    result.deviation = float(notes["deviation"]) if "deviation" in notes else None
    result.reference = notes.get("reference", "")
    result.equal_bits = notes["equal"] == "yes" if "equal" in notes else None
    result.bits_promised = notes.get("promised") == "yes"
    return result
