# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The declaration of every peer: how the benchmark programs and Python's libraries call an
implementation, and what tables call it."""

# {implementation: title}, or a title for each side, the CPU's and the GPU's.
TITLES = {
    "tandem": "tandem",
    "raw": ("hand-written OpenMP", "hand-written CUDA"),
    "raw_tuned": ("tuned OpenMP", "tuned CUDA"),
    "loop": "one thread's loop",
    "std": "standard library",
    "gnu": "GNU parallel mode",
    "mt19937": "std::mt19937 per thread",
    "tbb": "TBB",
    "kokkos": "Kokkos",
    "hwy": "Highway",
    "openblas": "OpenBLAS",
    "blis": "BLIS",
    "onednn": "oneDNN",
    "cub": "CUB",
    "cublas": "cuBLAS",
    "cublaslt": "cublasLt",
    "cublasxt": "cublasXt",
    "curand_philox": "cuRAND, Philox",
    "curand_xorwow": "cuRAND, XORWOW",
    "cusparse": "cuSPARSE",
    "cusparse_alg1": "cuSPARSE, CSR_ALG1",
    "cusparse_alg2": "cuSPARSE, CSR_ALG2",
    "atomics": "global atomics",
    "read": "reading alone",
    "sum": "tandem's plain sum",
    "copy": "tandem's copy",
    "fill": "tandem's fill",
    "max": "tandem's max",
    "floats": "tandem's floats",
    "one_gpu": "tandem on one GPU",
    "link": "the link alone",
    "numpy": "NumPy",
    "numba": "Numba",
    "torch": "PyTorch",
    "cupy": "CuPy",
}
# What rows are compared with that solves no problem, or another one: limits, and one thread's loop.
REFERENCES = ("read", "sum", "copy", "fill", "max", "floats", "one_gpu", "link", "loop")
# The side of tandem with which a peer on a backend is compared: a library of one thread is an
# alternative to all of the CPU's.
SIDE_OF = {"serial": "openmp", "openmp": "openmp", "cuda": "cuda"}
# One library on both sides.
ON_BOTH_SIDES = ("tandem", "numba", "torch")

# What a variant adds to a title.
VARIANTS = {
    "resident": "",
    "to_host": ", result on the host",
    "pinned": ", with pinned transfers",
    "pageable": ", with transfers",
    "naive": ", naive kernel",
    "tiled": ", tiled kernel",
    "threads_1": ", one thread",
    "threads_4": ", 4 threads",
}
# Variants whose time includes transfers from and to the host.
THROUGH_HOST = ("pageable", "pinned")
COPIES = {
    "pinned": "cudaMemcpyAsync, pinned arrays",
    "pageable": "cudaMemcpyAsync, ordinary arrays",
}
SIDES = {"serial": "serial", "openmp": "OpenMP", "cuda": "GPU"}


def is_peer(implementation):
    """Whether it solves the problems that tandem solves."""
    return implementation != "tandem" and implementation not in REFERENCES


def title(backend, implementation):
    """The name in a table of one side: "NumPy", "hand-written CUDA"."""
    name = TITLES.get(implementation, f"{backend}/{implementation}")
    return name if isinstance(name, str) else name[backend == "cuda"]


def candidate_title(backend, implementation, variant):
    """The name among the candidates of both sides: "tandem, GPU, result on the host"."""
    if implementation not in TITLES or variant not in VARIANTS:
        return f"{backend} {implementation} {variant}"
    if implementation == "raw" and variant in COPIES:
        return COPIES[variant]
    name = title(backend, implementation)
    if implementation in ON_BOTH_SIDES:
        side = "CPU" if backend == "openmp" and name != "tandem" else SIDES[backend]
        name = f"{name}, {side}"
    return name + VARIANTS[variant]
