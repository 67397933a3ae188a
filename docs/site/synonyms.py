# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What readers type who do not know our names yet: words of the field, and the names of CUDA,
Thrust, Kokkos, Numba and NumPy. The second kind comes from the tables of the guide."""

import re

import markup
from declarations import ROOT

# Terms, separated by commas, and where they lead: public names, or pages of the site.
WORDS = (
    ("cumulative sum, prefix sum, running sum, cumsum, inclusive_scan", "parallel_scan"),
    ("exclusive_scan, exclusive prefix sum", "parallel_scan exclusive"),
    ("sum", "sum parallel_reduce"),
    ("accumulate, fold, total, reduction, transform_reduce, inner loop sum", "parallel_reduce"),
    ("for_each, for loop, foreach, prange, parallel loop, omp parallel for", "parallel_for"),
    ("map, elementwise, vectorize, ufunc", "transform parallel_for"),
    ("zip, several outputs", "tie transform"),
    ("mean, average, variance, standard deviation", "parallel_reduce guide/not-there.html"),
    ("median, quantile, percentile, kth element, top k, partial sort", "nth_element"),
    ("filter, compact, stream compaction, select, mask, where", "copy_if"),
    ("distinct, deduplicate", "unique"),
    ("argsort, sort indices, sort pairs", "sort_by_key"),
    ("group by, groupby, aggregate", "guide/reductions.html#group-by reduce_by_key"),
    ("bincount, binning, count values, hist", "histogram"),
    ("spmv, sparse matrix, csr, crs, sparse", "multiply csr_matrix"),
    ("gemm, sgemm, dgemm, matrix multiplication, matrix product, dense matrix, gemv", "matmul"),
    ("dot product, inner product, sdot", "dot"),
    ("norm, l2 norm, euclidean norm, nrm2", "norm2 asum nrm_inf"),
    ("axpy, saxpy", "transform parallel_for"),
    ("stencil, convolution", "guide/loops.html#a-stencil"),
    ("index_add, scatter add", "scatter_add histogram"),
    ("gaussian, normal distribution, random, random numbers, rand, rng, curand",
     "fill_random random_values philox normal"),
    ("permute, random order", "shuffle random_permutation"),
    ("fp16, float16, __half", "half"),
    ("bfloat16, __nv_bfloat16", "bf16"),
    ("__syncthreads, barrier, syncthreads, sync threads", "guide/teams.html team"),
    ("shared memory, __shared__, local memory, thread block", "guide/teams.html team"),
    ("warp shuffle, __shfl_sync, __ballot_sync, block reduce", "guide/teams.html team"),
    ("threadIdx, blockIdx, blockDim, gridDim", "parallel_for team guide/from-numba.html"),
    ("__global__, kernel launch", "parallel_for guide/first-kernel.html"),
    ("__device__, __host__ __device__, device function", "TANDEM_FUNCTION"),
    ("device lambda, extended lambda", "TANDEM_LAMBDA"),
    ("__constant__, constant memory, lookup table", "constant"),
    ("atomicAdd", "atomic_add scatter_add"),
    ("atomicCAS, compare and swap", "atomic_compare_exchange"),
    ("atomicMin, atomicMax, atomicExch", "atomic_min atomic_max atomic_exchange"),
    ("cudaMalloc, allocate, malloc, device_vector, buffer", "array"),
    ("cudaMemcpy, memcpy, upload, download, host to device", "copy mirror to_vector"),
    ("cudaMallocHost, page-locked, pinned memory", "cuda_pinned"),
    ("cudaStream_t, cudaStreamCreate, cuda stream", "cuda guide/streams-and-graphs.html"),
    ("cudaDeviceSynchronize, cudaStreamSynchronize, synchronize, wait",
     "guide/streams-and-graphs.html cuda"),
    ("cudaEvent_t, cudaEventElapsedTime", "cuda_event elapsed_ms"),
    ("cudaGraph_t", "record graph"),
    ("managed memory, unified memory, cudaMallocManaged, texture, dynamic parallelism, fft, "
     "lapack, hash table, set_union, lower_bound, binary search, merge, iterators, wmma, amd, "
     "rocm, hip, sycl", "guide/not-there.html"),
    ("multi gpu, multiple gpus, several gpus, all gpus, peer to peer, cudaMemcpyPeer",
     "devices guide/larger-than-one-gpu.html"),
    ("mpi, nccl, ranks, cluster, allreduce",
     "guide/larger-than-one-gpu.html#what-is-not-there guide/not-there.html"),
    ("distributed array, partitioned array, pgas, domain decomposition", "sharded"),
    ("halo exchange, ghost cells, neighbour exchange", "exchange halo"),
    ("memory map, mmap, memmap, npy, numpy file", "mapped"),
    ("checkpoint, restart, write to a file, serialise", "save"),
    ("out of core, larger than memory, oversubscription, chunks, does not fit", "streamed"),
    ("number of threads, omp_num_threads, thread count", "openmp guide/linking.html"),
    ("gpu count, list devices", "processor cuda_device"),
    ("benchmark, stopwatch, measure time", "timeit"),
    ("race, race condition, sanitizer, out of bounds, bounds check", "debugging.html"),
    ("reproducible, deterministic, bitwise identical", "guide/agreement.html numerics.html"),
    ("numpy, python", "guide/from-numpy.html"),
    ("pytorch, torch, jax, cupy", "to_dlpack guide/from-numba.html"),
    ("span, mdspan", "to_mdspan from_mdspan view"),
    ("slicing, submatrix, window", "subview slice"),
)
# Pages of the guide whose tables have another library's names on the left and ours on the right.
TABLES = ("docs/guide/from-numpy.md", "docs/guide/from-thrust.md", "docs/guide/from-kokkos.md",
          "docs/guide/from-numba.md")
# Words in the left cells that are no names to search for.
COMMON = {"float", "float32", "with", "kernel", "const", "axis", "size", "destination"}
IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*")


CODE = re.compile(r"`([^`]+)`")


def foreign_names(code):
    """The names of functions and types in another library's code: np.cumsum of np.cumsum(x)."""
    for name in IDENTIFIER.findall(re.sub(r"[(<\[{].*", "", code)):
        name = re.sub(r"^[a-z]\.", "", name)  # a method of an array
        if name not in COMMON and (len(name) > 3 or "." in name or "::" in name):
            yield name


def our_names(code, names):
    """The public names in code, at most three."""
    found = [name for name in re.findall(r"\b[A-Za-z_]\w+", code) if name in names]
    return list(dict.fromkeys(found))[:3]


def pairs_of(left, right, names):
    """(another library's name, [our names]) of a table's row. Cells with as many pieces of code go
    together one by one; a cell without any, such as "the same names", leaves the names as they
    are."""
    theirs, ours = CODE.findall(left), CODE.findall(right)
    if len(theirs) != len(ours):
        ours = [" ".join(ours)] * len(theirs)
    for their, our in zip(theirs, ours):
        for name in foreign_names(their):
            yield name, our_names(our, names) or our_names(re.split(r"\W", name)[-1], names)


def rows_of_tables():
    """(page, left cell, right cell) of the tables."""
    for page in TABLES:
        for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
            cells = line.strip("| ").split(" | ")
            if line.startswith("| ") and len(cells) == 2:
                yield page, *cells


def collect(names, urls, warnings):
    """The list [term, [urls]] for the search; `names` has the url of each public name, `urls` are
    those of the site's pages. A target that the site does not have is a warning."""
    terms = {}

    def add(term, targets):
        known = terms.setdefault(term, [])
        known += [one for one in targets if one not in known]

    for words, targets in WORDS:
        found = []
        for target in targets.split():
            if target not in names and target.partition("#")[0] not in urls:
                warnings.append(f"docs/site/synonyms.py: there is no {target}")
            found.append(names.get(target, target))
        for term in words.split(", "):
            add(term, found)
    for page, left, right in rows_of_tables():
        for term, found in pairs_of(left, right, names):
            add(term, [names[name] for name in found] or [markup.url_of_page(page)])
    return sorted([term, targets] for term, targets in terms.items())
