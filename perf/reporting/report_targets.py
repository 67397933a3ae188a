# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speeds that tandem has to show against its peers of the same run: on an H200 and its host."""

import dataclasses

from .comparison import ratio


@dataclasses.dataclass
class ReportTarget:
    """A figure and the bound it has to keep. `measured` is None where this run lacks it; `judged`
    says whether the bound was made for such a run."""

    name: str
    bound: float
    measured: float | None
    size: str = ""
    unit: str = (
        ""  # empty: a ratio of speeds, which must not be less; "us": a time, which must not be more
    )

    judged: bool = True

    @property
    def passed(self):
        if self.measured is None or not self.judged:
            return None
        return self.measured <= self.bound if self.unit else self.measured >= self.bound


def against(results, name, bound, case, peer, size=None, variant="resident"):
    """tandem's speed over the peer's, at `size` or at the largest size that has both."""
    backend, implementation = peer
    sizes = [size] if size else reversed(results.sizes(case))
    for tried in sizes:
        speed = ratio(
            results.find(case, tried, backend, implementation),
            results.find(case, tried, backend, variant=variant),
        )
        if speed is not None:
            return ReportTarget(name, bound, speed, tried)
    return ReportTarget(name, bound, None, size or "")


def latency(results):
    found = results.find(("reduce", "sum", "f32"), str(2**16), "cuda", variant="to_host")
    return ReportTarget(
        "GPU: sum f32, result on the host",
        12.0,
        found.seconds * 1e6 if found else None,
        str(2**16),
        "us",
    )


NOTE = (
    "The bounds for speeds against the peers are about full runs on an H200 and 16 threads of its "
    "host. This run is of another kind, so it is not held against them."
)


def for_machine(results, machine):
    """The targets, with those judged that this run can meet; none of a quick run, whose sizes
    they are not about."""
    if machine["quick"]:
        return []
    h200 = any("H200" in gpu["name"] for gpu in machine["gpus"])
    targets = all_targets(results)
    for target in targets:
        target.judged = h200 and (target.name.startswith("GPU") or machine["threads"] >= 16)
    return targets


def all_targets(results):
    """Every target, GPU first. The GPU's have fixed sizes; a CPU's is the largest that ran."""
    large = str(2**27)
    square = "4096x4096x4096"
    matmul_f32 = ("matmul", "matmul", "f32")
    matmul_f64 = ("matmul", "matmul", "f64")
    total = ("reduce", "sum", "f32")
    integers = ("histogram", "uniform_256", "i32")
    floats = ("histogram", "normal_150", "f32")
    return [
        against(results, "GPU: sum f32 over CUB", 0.95, total, ("cuda", "cub"), large),
        latency(results),
        against(
            results,
            "GPU: triad over a raw kernel",
            0.97,
            ("vector", "triad", "f32"),
            ("cuda", "raw"),
            large,
        ),
        against(
            results,
            "GPU: scan i32 over CUB",
            0.95,
            ("scan", "inclusive", "i32"),
            ("cuda", "cub"),
            large,
        ),
        against(
            results,
            "GPU: scan f32 over CUB",
            0.6,
            ("scan", "inclusive", "f32"),
            ("cuda", "cub"),
            large,
        ),
        against(
            results, "GPU: histogram i32, 256 bins, over CUB", 2.0, integers, ("cuda", "cub"), large
        ),
        against(
            results, "GPU: matmul f32 over cuBLAS", 0.75, matmul_f32, ("cuda", "cublas"), square
        ),
        against(
            results, "GPU: matmul f64 over cuBLAS", 0.5, matmul_f64, ("cuda", "cublas"), square
        ),
        against(results, "CPU: sum f32 over omp simd reduction", 1.0, total, ("openmp", "raw")),
        against(results, "CPU: histogram i32 over private bins", 1.0, integers, ("openmp", "raw")),
        against(results, "CPU: histogram f32 over private bins", 1.0, floats, ("openmp", "raw")),
        against(results, "CPU: matmul f32 over OpenBLAS", 0.6, matmul_f32, ("openmp", "openblas")),
    ]
