# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Selects what tests/mutation/run changes, and which tests should notice.

Paths are globs in which * also matches slashes; the first pattern that matches a file counts.
"""

import fnmatch
import re

SOURCES = ["core/*.[ch]pp", "algorithms/*.hpp", "distributed/*.hpp", "backends/serial/*.[ch]pp",
           "backends/openmp/*.[ch]pp", "include/tandem/*.hpp"]

# (files, lines or None for all of them, why no result can change)
NO_RESULT = [
    ("backends/openmp/*policy.hpp", None, "speed only: when work is shared and in which pieces"),
    ("backends/openmp/threads/loop_history.hpp", None, "speed only: whether a loop forks"),
    ("backends/openmp/loop/adaptive_fork.hpp", None, "speed only: whether a loop forks"),
    ("backends/openmp/cpu/instruction_set.*", None, "a machine runs only what it has"),
    ("backends/openmp/cpu/topology.*", None, "speed only: sizes of caches"),
    ("backends/openmp/cpu/stopwatch.hpp", None, "speed only: a clock"),
    ("backends/openmp/cpu/cache_level.hpp", None, "speed only: how far to prefetch"),
    ("backends/openmp/runtime/cpu_info.cpp", None, "a description for people"),
    ("backends/openmp/threads/core_placement.*", None, "speed only: on which core a thread runs"),
    ("backends/openmp/matmul/plan.*", None, "speed only: how a product is shared"),
    ("backends/openmp/matmul/schedule.cpp", None, "speed only: how a product is shared"),
    ("backends/openmp/matmul/packed_terms/int8/avx512_amx.cpp", None, "few machines can run it"),
    ("core/contract/host/clock.hpp", None, "a clock"),
    ("core/contract/backend_concept.hpp", None, "compiles or does not: tests/compile_fail"),
    ("core/contract/hooks.hpp", None, "compiles or does not: tests/compile_fail"),
    ("core/tools/profiling/*", None, "names and times for tools: tests/profiling"),
    ("core/tools/checked/*", None, "in checked builds alone: tests/checked, a program of its own"),
    ("core/kernel/checked.hpp", None, "in checked builds alone: tests/checked"),
    ("algorithms/detail/checked*.hpp", None, "in checked builds alone: tests/checked"),
    ("core/kernel/link_guard.hpp", None, "links or does not: tests/checked/levels.py"),
    ("core/kernel/link_guard/*", None, "links or does not: tests/checked/levels.py"),
    ("core/math/inverse_pi.hpp", None, "a table that generate_polynomials.py makes"),
    ("core/math/large_angles*", None, "code for AVX2 alone: tandem_angles_v3 and _v4"),
    ("core/math/polynomials.hpp", None, "coefficients that generate_polynomials.py makes"),
    ("core/random/quantile_coefficients.hpp", None, "coefficients that fit_quantiles.py makes"),
    ("core/random/normal_cubics.hpp", None, "coefficients that fit_quantiles.py makes"),
    ("*", r"prefetch|from == data_location|unlikely|huge_page|madvise", "speed only"),
    ("*", r"\b\w*_threads\b|\bfork\w*|\bworth\b", "speed only: how many threads take part"),
    ("*", r"\bexplain\(|__builtin_snprintf", "messages"),
    ("*", r"^\s*(\w+\.)*space\.fence\(\);$", "spaces of the host have nothing to wait for"),
    ("core/space.[ch]pp", r"int (number|units) = 0|memory = 0|snprintf|char size",
     "a description of a device"),
    ("algorithms/support/graph.hpp", r"recorded|recording", "devices alone record"),
    ("algorithms/support/timeit.hpp", r"device_seconds =", "devices alone measure their seconds"),
    ("backends/openmp/cpu/nontemporal_stores.cpp", r"caches\.", "speed only: which stores"),
    ("backends/openmp/histogram/*", r"run_parallel\(", "speed only: how many threads take part"),
]

CORE, ALGORITHMS = "tests/core", "tests/algorithms"
OPENMP = "tests/backends/openmp"
REDUCE = [f"{ALGORITHMS}/parallel_reduce_narrow_test.cpp",
          f"{ALGORITHMS}/parallel_reduce_terms_test.cpp", f"{ALGORITHMS}/golden_test.cpp",
          f"{OPENMP}/reduce/fold_test.cpp", f"{ALGORITHMS}/parallel_reduce_test.cpp",
          f"{ALGORITHMS}/parallel_reduce_combined_test.cpp",
          f"{ALGORITHMS}/parallel_reduce_finished_test.cpp",
          f"{ALGORITHMS}/large_accumulators_test.cpp"]
HISTOGRAM = [f"{ALGORITHMS}/histogram_errors_test.cpp",
             f"{ALGORITHMS}/histogram_runs_test.cpp", f"{ALGORITHMS}/histogram_bytes_test.cpp",
             f"{OPENMP}/histogram/count_test.cpp", f"{OPENMP}/histogram/uniform_pairs_test.cpp",
             f"{ALGORITHMS}/histogram_edges_test.cpp", f"{ALGORITHMS}/histogram_test.cpp",
             f"{ALGORITHMS}/histogram_sums_test.cpp"]
MATMUL = [f"{ALGORITHMS}/matmul_test.cpp", f"{OPENMP}/matmul/kernels_test.cpp",
          f"{ALGORITHMS}/matmul_epilogue_test.cpp", f"{ALGORITHMS}/matmul_mixed_test.cpp",
          f"{ALGORITHMS}/matmul_int8_test.cpp", f"{ALGORITHMS}/matmul_invariance_test.cpp",
          f"{ALGORITHMS}/matmul_sweep_test.cpp"]
FUNCTIONS = [f"{CORE}/math_functions_test.cpp", f"{ALGORITHMS}/functions_test.cpp",
             f"{ALGORITHMS}/angles_test.cpp"]
DEFAULT_SPACE = [f"{ALGORITHMS}/default_space_test.cpp"]
COMPARE = [f"{ALGORITHMS}/compare_test.cpp"]
TEAMS = [f"{ALGORITHMS}/{name}_test.cpp"
         for name in ("parallel_teams", "team_collectives", "team_phases")]
SPACES = [f"{CORE}/space_test.cpp", f"{ALGORITHMS}/space_test.cpp",
          f"{OPENMP}/runtime/space_test.cpp"]
MEMORY = [f"{ALGORITHMS}/out_of_memory_test.cpp", f"{ALGORITHMS}/out_of_memory_matmul_test.cpp"]
RANDOM = [f"{CORE}/random/philox_test.cpp", f"{ALGORITHMS}/fill_random_test.cpp"]
SORT = [f"{ALGORITHMS}/sort_test.cpp", f"{OPENMP}/sort/sort_test.cpp",
        f"{ALGORITHMS}/sort_buckets_test.cpp"]
SCAN = [f"{OPENMP}/scan/kernels_test.cpp", f"{ALGORITHMS}/golden_test.cpp",
        f"{ALGORITHMS}/parallel_scan_test.cpp",
        f"{ALGORITHMS}/large_accumulators_axis_test.cpp"]
SEGMENTS = [f"{ALGORITHMS}/segmented_reduce_test.cpp",
            f"{ALGORITHMS}/segmented_positions_test.cpp",
            f"{ALGORITHMS}/out_of_memory_segments_test.cpp"]
SELECT = [f"{ALGORITHMS}/unique_test.cpp", f"{ALGORITHMS}/copy_if_test.cpp",
          f"{OPENMP}/select/select_test.cpp"]
LOOP = [f"{ALGORITHMS}/transform_test.cpp", f"{ALGORITHMS}/parallel_for_test.cpp",
        f"{OPENMP}/loop/adaptive_fork_test.cpp"]
THREADS = [f"{OPENMP}/threads/{name}_test.cpp"
           for name in ("work_stealing", "small", "exceptions", "nested", "thread_count",
                        "parallel_region", "concurrent_calls", "floating_point_mode", "fork")]
REFUSALS = [f"{ALGORITHMS}/refusals_test.cpp", f"{ALGORITHMS}/argument_errors_test.cpp"]
GROUP_CUT, GROUP_LOOPS, GROUP_REDUCE, GROUP_PRODUCTS, GROUP_SCAN, GROUP_MEMORY, STREAMED = (
    f"tests/distributed/{name}_test.cpp"
    for name in ("group_cut", "group_loops", "group_reduce", "group_products", "group_scan",
                 "group_memory", "streamed"))
EXCHANGED, PRODUCT_TILES, STREAMED_PRODUCTS, STREAMED_CALLS = (
    f"tests/distributed/{name}_test.cpp"
    for name in ("exchanged", "product_tiles", "streamed_products", "streamed_products_calls"))
VIEWS = [f"{CORE}/view/layout_test.cpp", f"{CORE}/view_test.cpp", f"{CORE}/mdspan_test.cpp",
         f"{CORE}/view/overlap_test.cpp", f"{ALGORITHMS}/copy_test.cpp", *REFUSALS]

# (files, tests in the order in which they run)
RELATED = [
    ("include/tandem/print.hpp", [f"{CORE}/print_test.cpp"]),
    ("include/tandem/dlpack.hpp", [f"{CORE}/dlpack_test.cpp"]),
    ("include/tandem/require_in_kernel.hpp", [f"{ALGORITHMS}/team_collectives_test.cpp",
                                              f"{ALGORITHMS}/require_in_kernel_test.cpp"]),
    ("include/tandem/default_space.hpp", DEFAULT_SPACE),
    ("include/tandem/version.hpp", [f"{CORE}/space_test.cpp"]),
    ("include/tandem/distributed.hpp", [GROUP_LOOPS]),
    ("include/tandem/*", LOOP),
    ("core/view/overlap.*", [f"{CORE}/view/overlap_test.cpp", *REFUSALS,
                             f"{ALGORITHMS}/matmul_overlap_test.cpp"]),
    ("core/contract/strided.hpp", [f"{CORE}/view/overlap_test.cpp", f"{ALGORITHMS}/copy_test.cpp",
                                   *REFUSALS]),
    ("core/contract/copy_problem.hpp", [f"{ALGORITHMS}/copy_test.cpp", *REFUSALS]),
    ("core/*reducer*.hpp", [f"{CORE}/reducers_test.cpp", *REDUCE]),
    ("core/tuple.hpp", [f"{CORE}/reducers_test.cpp", *LOOP, *REDUCE]),
    ("core/numbers/fused.hpp", [f"{ALGORITHMS}/fused_test.cpp", f"{CORE}/numbers/gelu_test.cpp"]),
    ("core/numbers/gelu.hpp", [f"{CORE}/numbers/gelu_test.cpp", f"{OPENMP}/matmul/gelu_test.cpp"]),
    ("core/math/elementary.hpp", [f"{CORE}/math_test.cpp", f"{CORE}/reducers_test.cpp",
                                  *FUNCTIONS]),
    ("core/math/rounding.hpp", [f"{CORE}/math_test.cpp", *FUNCTIONS]),
    ("core/math/*", FUNCTIONS),
    ("core/math.hpp", FUNCTIONS),
    ("core/numbers/half.hpp", [f"{CORE}/math_test.cpp",
                               f"{ALGORITHMS}/parallel_reduce_narrow_test.cpp",
                               f"{ALGORITHMS}/matmul_mixed_test.cpp"]),
    ("core/numbers/complex.hpp", [f"{CORE}/numbers/complex_test.cpp",
                                  f"{ALGORITHMS}/complex_test.cpp"]),
    ("core/atomic.hpp", [f"{ALGORITHMS}/atomic_test.cpp",
                         f"{ALGORITHMS}/team_collectives_test.cpp"]),
    ("core/*team*.hpp", [*TEAMS, *MEMORY]),
    ("core/range.hpp", [f"{ALGORITHMS}/parallel_for_test.cpp", *REFUSALS]),
    ("core/constant.hpp", LOOP),
    ("core/random/*", RANDOM),
    ("core/contract/random*", RANDOM),
    ("algorithms/*random.hpp", RANDOM),
    ("algorithms/permutation.hpp", [f"{ALGORITHMS}/permutation_test.cpp"]),
    ("backends/openmp/random/*", [*RANDOM, f"{OPENMP}/random/kernels_test.cpp"]),
    ("core/array.hpp", [*VIEWS, f"{ALGORITHMS}/space_test.cpp",
                        f"{OPENMP}/memory/allocation_test.cpp"]),
    ("core/memory/host_memory*", [f"{CORE}/memory/host_memory_test.cpp",
                              f"{OPENMP}/memory/allocation_test.cpp",
                              f"{ALGORITHMS}/space_test.cpp"]),
    ("core/files/*", [f"{CORE}/files/npy_test.cpp", f"{CORE}/files/mapped_test.cpp"]),
    ("distributed/files/*", ["tests/distributed/files_test.cpp"]),
    ("core/contract/*element_type.hpp", [f"{CORE}/contract/element_type_test.cpp", *HISTOGRAM]),
    ("core/contract/environment.*", [f"{CORE}/contract/environment_test.cpp"]),
    ("core/contract/matmul_types.hpp", [f"{CORE}/contract/element_type_test.cpp"]),
    ("core/contract/*sort*", [f"{CORE}/contract/sort_key_test.cpp", *SORT]),
    ("core/numbers/fixed_point.hpp", [f"{CORE}/numbers/fixed_point_test.cpp",
                              f"{CORE}/contract/histogram_rules_test.cpp",
                              f"{ALGORITHMS}/histogram_sums_test.cpp"]),
    ("core/numbers/order_free_sum.hpp", [f"{ALGORITHMS}/scatter_add_test.cpp"]),
    ("algorithms/scatter_add.hpp", [f"{ALGORITHMS}/scatter_add_test.cpp"]),
    ("core/contract/*histogram*", [f"{CORE}/contract/histogram_bins_test.cpp",
                                   f"{CORE}/contract/histogram_rules_test.cpp", *HISTOGRAM,
                                   f"{ALGORITHMS}/scatter_add_test.cpp"]),
    ("core/contract/*matmul*", MATMUL),
    ("core/contract/segmented*", SEGMENTS),
    ("core/contract/*scan*", SCAN),
    ("core/contract/*select*", SELECT),
    ("core/contract/reduce_axis*", [f"{ALGORITHMS}/parallel_reduce_axis_test.cpp"]),
    ("algorithms/segmented_reduce.hpp", SEGMENTS),
    ("algorithms/segmented_scan.hpp", SEGMENTS),
    ("algorithms/reduce_by_key.hpp", SEGMENTS),
    ("algorithms/multiply.hpp", SEGMENTS),
    ("backends/openmp/segments/*", [*SEGMENTS, f"{OPENMP}/segments/pieces_test.cpp"]),
    ("core/contract/host/event.hpp", SPACES),
    ("core/contract/visit*", [f"{ALGORITHMS}/histogram_test.cpp",
                              f"{ALGORITHMS}/histogram_edges_test.cpp", *SORT]),
    ("core/contract/grid_indices.hpp", [f"{CORE}/contract/grid_indices_test.cpp", *REDUCE]),
    ("core/contract/*", REDUCE),
    ("core/tools/comparison/record*", [*COMPARE, f"{ALGORITHMS}/out_of_memory_values_test.cpp"]),
    ("core/tools/comparison/*", COMPARE),
    ("core/tools/agreement/*", [f"{OPENMP}/threads/floating_point_mode_test.cpp"]),
    ("core/*errors.*", [*MEMORY, *REFUSALS, f"{ALGORITHMS}/team_collectives_test.cpp"]),
    ("core/*space.[ch]pp", SPACES),
    ("core/tools/timing/*", [f"{ALGORITHMS}/timeit_test.cpp"]),
    ("core/memory.hpp", [f"{ALGORITHMS}/operands_test.cpp", *SPACES, *REFUSALS]),
    ("core/view/viewable.hpp", [f"{ALGORITHMS}/operands_test.cpp", *VIEWS]),
    ("core/mdspan.hpp", [f"{CORE}/mdspan_test.cpp"]),
    ("core/kernel/target.hpp", TEAMS),
    ("core/kernel/failure.*", [f"{CORE}/kernel/failure_test.cpp",
                               f"{ALGORITHMS}/team_collectives_test.cpp", *TEAMS, *LOOP]),
    ("core/*", VIEWS),
    ("algorithms/checks/histogram.hpp", [*HISTOGRAM[:1], *REFUSALS, *HISTOGRAM[1:]]),
    ("algorithms/checks/matmul.hpp", [*REFUSALS, f"{ALGORITHMS}/matmul_overlap_test.cpp",
                                      *MATMUL]),
    ("algorithms/checks/sort.hpp", [*REFUSALS, *SORT]),
    ("algorithms/checks/select.hpp", [*REFUSALS, *SELECT]),
    ("algorithms/*gather.hpp", [f"{ALGORITHMS}/gather_test.cpp"]),
    ("algorithms/iota.hpp", [f"{ALGORITHMS}/iota_test.cpp"]),
    ("algorithms/reverse.hpp", [f"{ALGORITHMS}/iota_test.cpp"]),
    ("algorithms/adjacent_difference.hpp", [f"{ALGORITHMS}/iota_test.cpp"]),
    ("algorithms/norms.hpp", [f"{ALGORITHMS}/norms_test.cpp"]),
    ("algorithms/partial_reduce.hpp", [f"{ALGORITHMS}/partial_reduce_test.cpp"]),
    ("algorithms/compare.hpp", COMPARE),
    ("algorithms/support/mirror.hpp", [f"{ALGORITHMS}/array_test.cpp"]),
    ("algorithms/resize.hpp", [f"{ALGORITHMS}/array_test.cpp"]),
    ("algorithms/support/timeit.hpp", [f"{ALGORITHMS}/timeit_test.cpp"]),
    ("algorithms/detail/run.hpp", [f"{ALGORITHMS}/labels_test.cpp",
                                   f"{ALGORITHMS}/out_of_memory_test.cpp", *REFUSALS, *LOOP]),
    ("algorithms/detail/arguments.hpp", [f"{ALGORITHMS}/operands_test.cpp", *REFUSALS, *LOOP]),
    ("algorithms/detail/lines.hpp", [f"{ALGORITHMS}/norms_test.cpp",
                                     f"{ALGORITHMS}/predicates_test.cpp",
                                     f"{ALGORITHMS}/dot_test.cpp", *REDUCE, *REFUSALS]),
    ("algorithms/predicates.hpp", [f"{ALGORITHMS}/predicates_test.cpp"]),
    ("algorithms/*histogram*", [*HISTOGRAM, *REFUSALS]),
    ("algorithms/*matmul*", [*MATMUL, *REFUSALS]),
    ("algorithms/*sort*", [*SORT, *REFUSALS]),
    ("algorithms/nth_element.hpp", [f"{ALGORITHMS}/nth_element_test.cpp"]),
    ("algorithms/generic/scan.hpp", [*SCAN, *SEGMENTS]),
    ("algorithms/*scan*", [*SCAN, *REFUSALS]),
    ("algorithms/*select*", SELECT),
    ("algorithms/unique.hpp", [*SELECT, *REFUSALS]),
    ("algorithms/copy_if.hpp", [*SELECT, *REFUSALS]),
    ("algorithms/generic/reduce_axis.hpp",
     [f"{ALGORITHMS}/parallel_reduce_axis_test.cpp", *SEGMENTS]),
    ("algorithms/*reduce_axis*", [f"{ALGORITHMS}/parallel_reduce_axis_test.cpp", *REFUSALS]),
    ("algorithms/*reduce*", [*REDUCE, *REFUSALS]),
    ("algorithms/argminmax.hpp", REDUCE),
    ("algorithms/dot.hpp", [f"{ALGORITHMS}/dot_test.cpp", *REFUSALS]),
    ("algorithms/support/graph.hpp", [f"{ALGORITHMS}/graph_test.cpp"]),
    ("algorithms/parallel_teams.hpp", [*TEAMS, *REFUSALS]),
    ("algorithms/copy.hpp", [f"{ALGORITHMS}/copy_test.cpp", *REFUSALS]),
    ("algorithms/fill.hpp", [f"{ALGORITHMS}/copy_test.cpp", *REFUSALS]),
    ("algorithms/transform.hpp", [*REFUSALS, *LOOP, *COMPARE]),
    ("algorithms/*", [*REFUSALS, *LOOP]),
    ("distributed/cut/*", [GROUP_CUT, GROUP_REDUCE, GROUP_LOOPS, GROUP_MEMORY]),
    ("distributed/group/*", [GROUP_LOOPS, GROUP_REDUCE, GROUP_PRODUCTS, GROUP_MEMORY]),
    ("distributed/operations/*reduc*", [GROUP_REDUCE, STREAMED]),
    ("distributed/operations/histogram.hpp", [GROUP_PRODUCTS, STREAMED]),
    ("distributed/operations/matmul.hpp", [GROUP_PRODUCTS]),
    ("distributed/operations/parallel_scan.hpp", [GROUP_SCAN, GROUP_MEMORY]),
    ("distributed/operations/parallel_for.hpp", [EXCHANGED, GROUP_LOOPS, GROUP_MEMORY]),
    ("distributed/operations/*", [GROUP_LOOPS, GROUP_MEMORY]),
    ("distributed/stream/product_tiles.hpp", [PRODUCT_TILES, STREAMED_CALLS]),
    ("distributed/stream/box_buffer.hpp", [STREAMED_PRODUCTS, STREAMED_CALLS]),
    ("distributed/stream/matmul.hpp", [STREAMED_PRODUCTS, STREAMED_CALLS]),
    ("distributed/stream/*", [STREAMED, GROUP_MEMORY]),
    ("backends/serial/*reduce*", REDUCE),
    ("backends/serial/*copy*", [f"{ALGORITHMS}/copy_test.cpp"]),
    ("backends/serial/*team*", TEAMS),
    ("backends/serial/serial.*", [*SPACES, f"{OPENMP}/threads/floating_point_mode_test.cpp",
                                  *LOOP]),
    ("backends/serial/*", [*LOOP, *SPACES]),
    ("backends/openmp/runtime/*", [f"{OPENMP}/runtime/space_test.cpp",
                                   f"{OPENMP}/memory/allocation_test.cpp",
                                   f"{OPENMP}/runtime/environment_test.cpp"]),
    ("backends/openmp/histogram/*", HISTOGRAM),
    ("backends/openmp/sort/*", SORT),
    ("backends/openmp/select/*", SELECT),
    ("backends/openmp/matmul/packed_terms/int8/*",
     [f"{OPENMP}/matmul/int8_test.cpp", f"{ALGORITHMS}/matmul_int8_test.cpp"]),
    ("backends/openmp/matmul/packed_terms/*",
     [f"{OPENMP}/matmul/bf16_test.cpp", f"{OPENMP}/matmul/int8_test.cpp",
      f"{ALGORITHMS}/matmul_mixed_test.cpp"]),
    ("backends/openmp/matmul/scratch.hpp", [f"{OPENMP}/matmul/scratch_test.cpp", *MEMORY]),
    ("backends/openmp/matmul/tiled.hpp", [f"{OPENMP}/matmul/tiled_test.cpp", *MATMUL]),
    ("backends/openmp/matmul/*", [f"{OPENMP}/matmul/methods_test.cpp", *MATMUL,
                                  f"{OPENMP}/matmul/widening_test.cpp",
                                  f"{OPENMP}/matmul/round_to_16bit_test.cpp",
                                  f"{OPENMP}/matmul/gelu_test.cpp",
                                  f"{OPENMP}/matmul/schedule_test.cpp"]),
    ("backends/openmp/loop/teams.hpp", TEAMS),
    ("backends/openmp/loop/*", [*LOOP, f"{OPENMP}/cpu/nontemporal_stores_test.cpp"]),
    ("backends/openmp/cpu/*", [f"{OPENMP}/cpu/nontemporal_stores_test.cpp",
                               f"{ALGORITHMS}/transform_test.cpp"]),
    ("backends/openmp/reduce_axis/*", [f"{ALGORITHMS}/parallel_reduce_axis_test.cpp",
                                       f"{OPENMP}/reduce_axis/methods_test.cpp",
                                       f"{ALGORITHMS}/large_accumulators_axis_test.cpp"]),
    ("backends/openmp/scan/*", SCAN),
    ("backends/openmp/threads/scratch.hpp", [*MEMORY, *THREADS]),
    ("backends/openmp/threads/*", [*THREADS, *LOOP]),
    ("backends/openmp/reduce/*", REDUCE),
    ("backends/openmp/memory/*", [f"{ALGORITHMS}/copy_test.cpp",
                                  f"{OPENMP}/memory/allocation_test.cpp",
                                  f"{OPENMP}/cpu/nontemporal_stores_test.cpp"]),
    ("backends/openmp/host_kernels.hpp", [f"{OPENMP}/host_kernels_test.cpp"]),
    ("backends/openmp/*", LOOP),
]


def sources(root):
    """Returns the files that faults are planted in, relative to the repository's root."""
    return sorted({path.relative_to(root).as_posix() for pattern in SOURCES
                   for path in root.rglob(pattern.split("/")[-1])
                   if fnmatch.fnmatch(path.relative_to(root).as_posix(), pattern)})


def why_no_result(mutant, line):
    """Returns why a fault there cannot change a result, or None."""
    for files, lines, reason in NO_RESULT:
        if fnmatch.fnmatch(mutant.path, files) and (lines is None or re.search(lines, line)):
            return reason
    return None


def environments(path):
    """Returns the environments in which the tests of a file run, one after the other."""
    caps = [{"TANDEM_ISA": "avx2"}, {"TANDEM_ISA": "baseline"}]
    return [{}] + (caps if re.search(r"/kernels|packed_terms|/select/|/epilogue", path) else [])


def related_tests(path):
    """Returns the test files that should notice a fault in a source file, in running order."""
    for files, tests in RELATED:
        if fnmatch.fnmatch(path, files):
            # Every algorithm has overloads without a space.
            more = DEFAULT_SPACE if re.fullmatch(r"algorithms/\w+\.hpp", path) else []
            return list(dict.fromkeys([*tests, *more]))
    raise SystemExit(f"scope.py names no tests for {path}")


class Includes:
    """Which files of the repository take part in a test: what it includes, and the library's
    sources that include one of these headers and are in its folder or below."""

    INCLUDE = re.compile(r'^\s*#\s*include\s+(?:<tandem/([^>]+)>|"([^"]+)")', re.MULTILINE)

    def __init__(self, root):
        self.root = root
        self.direct = {}
        self.users = {}  # {header: library sources that include it and are in its folder}
        for source in [path for path in sources(root) if path.endswith(".cpp")]:
            for header in self.reaching(source):
                if source.startswith(header.rpartition("/")[0] + "/"):
                    self.users.setdefault(header, set()).add(source)

    def includes(self, path):
        """Returns what a file includes directly."""
        if path not in self.direct:
            text = (self.root / path).read_text(encoding="utf-8")
            candidates = [
                candidate for ours, other in self.INCLUDE.findall(text)
                for candidate in ([ours, f"include/tandem/{ours}"] if ours else [f"tests/{other}"])]
            self.direct[path] = {name for name in candidates if (self.root / name).is_file()}
        return self.direct[path]

    def reaching(self, file):
        """Returns the file and every file that takes part in it."""
        found, todo = set(), [file]
        while todo:
            path = todo.pop()
            if path not in found:
                found.add(path)
                todo += [*self.includes(path), *self.users.get(path, ())]
        return found


def changes_nothing(path):
    """Whether a file is never changed, because no result depends on it."""
    return any(lines is None and fnmatch.fnmatch(path, files) for files, lines, _ in NO_RESULT)


def check(root):
    """Ends the program if a source has no tests, a named test does not exist, or no test named for
    a source includes it."""
    tests_of = {path: related_tests(path) for path in sources(root)}
    named = sorted({test for tests in tests_of.values() for test in tests})
    for test in named:
        if not (root / test).exists():
            raise SystemExit(f"scope.py names {test}, which does not exist")
    includes = Includes(root)
    reaching = {test: includes.reaching(test) for test in named}
    for path, tests in tests_of.items():
        if not changes_nothing(path) and not any(path in reaching[test] for test in tests):
            raise SystemExit(f"scope.py names tests for {path}, none of which includes it")
