#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests how perf/harness rates and compares measurements with known ratios."""

import pathlib
import re
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))

from harness import advice, comparison, figures, measurements, peers
from harness import report_tables, targets, verdicts


def measured(seconds, **others):
    usual = {
        "error": "",
        "bits_promised": False,
        "equal_bits": True,
        "implementation": "tandem",
        "noisy": False,
    }
    return types.SimpleNamespace(seconds=seconds, deviation=seconds, **{**usual, **others})


def verdict(tandem, peer, kind="peer", heading="sums", **others):
    """Returns the verdict on a run that took tandem `tandem` seconds and its peer `peer`."""
    target = targets.Target(heading, "reduce/sum/f32/1024", "cub", kind, **others)
    case = (("reduce", "sum", "f32"), "1024")
    by_key = {
        (*case, ("cuda", "tandem", "resident")): tandem,
        (*case, ("cuda", "cub", "resident")): peer,
    }
    return targets.judged(types.SimpleNamespace(by_key=by_key), target)


class Rows(unittest.TestCase):
    def test_a_peer_may_be_three_hundredths_faster(self):
        self.assertTrue(verdict(measured(100), measured(97)).met)
        self.assertFalse(verdict(measured(1000), measured(969)).met)

    def test_a_limit_may_be_a_twentieth_faster(self):
        self.assertTrue(verdict(measured(100), measured(95), "limit").met)
        self.assertFalse(verdict(measured(1000), measured(949), "limit").met)

    def test_an_error_is_no_larger_than_the_peers(self):
        self.assertTrue(verdict(measured(1e-7), measured(1e-7), "error").met)
        self.assertFalse(verdict(measured(1.01e-7), measured(1e-7), "error").met)

    def test_what_is_shown_or_lacks_a_side_is_not_judged(self):
        self.assertIsNone(verdict(measured(100), measured(1), "shown").met)
        self.assertIsNone(verdict(measured(100), None).met)
        self.assertIsNone(verdict(None, measured(100)).met)

    def test_a_table_may_have_its_own_least_ratio(self):
        self.assertTrue(verdict(measured(100), measured(80), least=0.8).met)

    def test_different_bits_are_an_error(self):
        wrong = verdict(measured(1, bits_promised=True, equal_bits=False), measured(1))
        self.assertEqual(wrong.error, "tandem: bits differ")


class StrongestPeer(unittest.TestCase):
    """A row names its problem; its peers are those that were measured."""

    CASE = (("reduce", "sum", "f32"), "1024")

    def judged(self, others, target=None, quiet=False):
        """Returns the verdict on a tandem of 100 s beside measurements by key."""
        by_key = {("cuda", "tandem", "resident"): measured(100), **others}
        by_key = {(*self.CASE, key): found for key, found in by_key.items()}
        target = target or targets.Target("sums", "reduce/sum/f32/1024", "cub")
        return targets.judged(types.SimpleNamespace(by_key=by_key), target, quiet)

    def test_a_faster_peer_that_the_row_does_not_name_changes_the_verdict(self):
        cub = {("cuda", "cub", "resident"): measured(101)}
        self.assertTrue(self.judged(cub).met)
        verdict = self.judged({**cub, ("cuda", "cupy", "resident"): measured(96)})
        self.assertFalse(verdict.met)
        (entry,) = verdicts.as_json([verdict])
        self.assertEqual((entry["best_peer"], entry["ratio"]), ("cupy", 0.96))
        self.assertEqual(entry["seconds_by_peer"], {"cub": 101, "cupy": 96})
        self.assertIn("CuPy", verdicts.row(verdict, "gpu"))

    def test_a_row_without_peers_is_judged_by_the_fastest_that_was_measured(self):
        (target,) = [t for t in targets.table("report_cpu") if "triad" in t.problem]
        self.assertEqual(target.peers, ())
        key = (("vector", "triad", "f32"), "134217728")
        by_key = {
            (*key, ("openmp", name, "resident")): measured(seconds)
            for name, seconds in (("tandem", 100), ("raw", 128), ("tbb", 94))
        }
        verdict = targets.judged(types.SimpleNamespace(by_key=by_key), target)
        self.assertEqual((verdict.best, verdict.met), ("tbb", False))

    def test_limits_other_sides_and_other_variants_are_no_peers(self):
        verdict = self.judged(
            {
                ("cuda", "read", "resident"): measured(1),
                ("cuda", "cub", "to_host"): measured(1),
                ("openmp", "tbb", "resident"): measured(1),
                ("cuda", "cub", "resident"): measured(100),
            }
        )
        self.assertEqual((verdict.best, verdict.ratio), ("cub", 1))

    def test_a_library_of_one_thread_is_a_peer_of_all_the_cpus_threads(self):
        keys = {
            ("openmp", "tandem", "resident"): measured(100),
            ("openmp", "raw", "resident"): measured(120),
            ("serial", "numpy", "resident"): measured(90),
        }
        target = targets.Target("sums", "reduce/sum/f32/1024", "raw", backend="openmp")
        verdict = self.judged(keys, target)
        self.assertEqual((verdict.best, verdict.ratio), ("serial/numpy", 0.9))
        self.assertEqual(verdicts.peer(verdict), "NumPy")

    def test_times_of_a_busy_machine_have_no_verdict_if_only_quiet_ones_count(self):
        busy = {("cuda", "cub", "resident"): measured(1, noisy=True)}
        self.assertFalse(self.judged(busy).met)
        verdict = self.judged(busy, quiet=True)
        self.assertIsNone(verdict.met)
        self.assertEqual(verdicts.outcome(verdict)[0], "busy ~")
        (family,) = targets.families([verdict])
        self.assertIsNone(family.mean)


def timed(size, backend, seconds, variant="resident", implementation="tandem", slowest=1.0):
    """Returns a sum of `size` floats whose slowest repetition took `slowest` times the median."""
    case = ("reduce", "sum", "f32", str(size), backend, implementation, variant)
    times = {"seconds": seconds, "fastest": seconds, "slowest": slowest * seconds}
    return measurements.Measurement(*case, elements=float(size), **times)


class Comparison(unittest.TestCase):
    CASE = ("reduce", "sum", "f32")

    def test_sentences_tables_and_charts_name_one_size_from_which_the_gpu_pays(self):
        times = ((1 << 12, 1, 2), (1 << 16, 2, 2), (1 << 20, 9, 8), (1 << 24, 30, 20))
        measured = [timed(n, "openmp", cpu) for n, cpu, _ in times]
        results = comparison.Results(measured + [timed(n, "cuda", gpu) for n, _, gpu in times])
        pairs = comparison.speedups(results, self.CASE, "resident")
        self.assertEqual(comparison.pays_from(pairs).elements, 1 << 16)
        self.assertEqual(comparison.pays_in_words(pairs), "2^16")
        self.assertIn("2^16", report_tables.crossover_table(results).text())
        self.assertIn("from 2^16 on", " ".join(advice.about_the_gpu(results)))

    def test_a_gpu_that_loses_at_the_largest_size_pays_at_none(self):
        measured = [timed(n, "openmp", 1) for n in (1 << 12, 1 << 16)]
        measured += [timed(1 << 12, "cuda", 0.5), timed(1 << 16, "cuda", 2)]
        pairs = comparison.speedups(comparison.Results(measured), self.CASE, "resident")
        self.assertIsNone(comparison.pays_from(pairs))
        self.assertEqual(comparison.pays_in_words(pairs), "no size")

    def test_the_gpu_is_compared_with_one_thread_if_threads_contend(self):
        measured = [timed(4096, "openmp", 9), timed(4096, "serial", 3), timed(4096, "cuda", 1)]
        ((_, speed),) = comparison.speedups(comparison.Results(measured), self.CASE, "resident")
        self.assertEqual(speed, 3)
        measured.append(timed(4096, "openmp", 2, variant="threads_1"))
        ((_, speed),) = comparison.speedups(comparison.Results(measured), self.CASE, "resident")
        self.assertEqual(speed, 2)

    def test_threads_are_compared_with_one_of_openmps_and_not_with_serial(self):
        measured = [timed(4096, "openmp", 2), timed(4096, "serial", 900)]
        (row,) = comparison.rows(comparison.Results(measured))
        self.assertIsNone(row["threads_over_one"])
        measured.append(timed(4096, "openmp", 4, variant="threads_1"))
        (row,) = comparison.rows(comparison.Results(measured))
        self.assertEqual(row["threads_over_one"], 2)

    def test_without_a_gpu_the_times_of_the_table_are_those_of_its_speed_up(self):
        measured = [timed(4096, "openmp", 4), timed(4096, "openmp", 2, variant="threads_1")]
        for with_gpu, times in ((False, ["2", "4"]), (True, ["2", "2"])):
            rows = comparison.rows(comparison.Results(measured))
            (line,) = report_tables.comparison_table(rows, with_gpu).texts()
            self.assertEqual([text.split(" ")[0] for text in line[3:5]], times)

    def test_times_of_a_busy_machine_are_no_headline(self):
        measured = [timed(n, "openmp", 4) for n in (1024, 4096)]
        measured += [timed(1024, "cuda", 2), timed(4096, "cuda", 1, slowest=1.5)]
        (row,) = comparison.headline(comparison.Results(measured))
        self.assertEqual(row["sample"].size, "1024")


class Families(unittest.TestCase):
    def test_the_mean_is_over_rows_against_peers_alone(self):
        rows = [
            verdict(measured(1), measured(2)),
            verdict(measured(2), measured(1)),
            verdict(measured(1), measured(9), "limit"),
            verdict(measured(1), measured(9), "shown"),
            verdict(measured(1), measured(3), heading="scans"),
        ]
        sums, scans = targets.families(rows)
        self.assertAlmostEqual(sums.mean, 1)
        self.assertFalse(sums.mean_met)
        self.assertTrue(scans.mean_met)
        self.assertEqual(targets.counts(rows), (3, 1, 0))
        self.assertIn("1 of 2 families' means met", verdicts.summary([sums, scans]))
        self.assertEqual(
            verdicts.family_row(sums), ["sums", "3", "1", "0.500", "1.000", "below 1.05"]
        )

    def test_rows_without_a_target_are_neither_met_nor_missed(self):
        families = targets.families([verdict(measured(2), measured(1), "shown")])
        self.assertNotIn("met", verdicts.text(families, "kernels"))
        families = targets.families([verdict(measured(2), measured(1))])
        self.assertIn("0 rows met, 1 missed", verdicts.text(families, "kernels"))

    def test_limits_alone_have_no_mean(self):
        (family,) = targets.families([verdict(measured(1), measured(1), "limit")])
        self.assertIsNone(family.mean_met)

    def test_kernels_of_teams_have_their_own_rule_on_a_cpu(self):
        def kernel(backend, name):
            return types.SimpleNamespace(backend=backend, name=name)

        self.assertTrue(verdicts.by_teams_on_cpu(kernel("openmp", "nbody_by_teams")))
        self.assertFalse(verdicts.by_teams_on_cpu(kernel("openmp", "nbody")))
        self.assertFalse(verdicts.by_teams_on_cpu(kernel("cuda", "nbody_by_teams")))


class Kernels(unittest.TestCase):
    """The bench of kernels: tandem against the fastest hand-written version."""

    def kernel(self, implementation, seconds, backend="openmp", variant="resident"):
        """Returns the measurement of a version of a kernel."""
        case = ("kernels", "divergence", "f64", "4096", backend, implementation, variant)
        times = {"seconds": seconds, "fastest": seconds, "slowest": seconds}
        return measurements.Measurement(*case, elements=4096.0, **times)

    def test_the_base_is_the_faster_one_of_a_plain_and_a_tuned_version(self):
        plain = [self.kernel("tandem", 100), self.kernel("raw", 120)]
        for tuned, best, ratio in ((90, "raw_tuned", 0.9), (130, "raw", 1.2)):
            (verdict,) = verdicts.of_kernels([*plain, self.kernel("raw_tuned", tuned)])
            self.assertEqual((verdict.best, verdict.ratio), (best, ratio))
        (verdict,) = verdicts.of_kernels(plain)
        self.assertEqual((verdict.best, verdict.ratio), ("raw", 1.2))

    def test_a_tuned_version_has_a_title_on_each_side(self):
        for backend, title in (("openmp", "tuned OpenMP"), ("cuda", "tuned CUDA")):
            versions = [self.kernel("tandem", 2, backend), self.kernel("raw_tuned", 1, backend)]
            (verdict,) = verdicts.of_kernels(versions)
            self.assertEqual(verdicts.peer(verdict), title)

    def test_each_number_of_threads_is_a_family_with_its_own_base(self):
        versions = []
        for variant, slower in (("threads_1", 8), ("resident", 1), ("threads_4", 2)):
            versions.append(self.kernel("tandem", slower, variant=variant))
            versions.append(self.kernel("raw", slower * slower, variant=variant))
        families = verdicts.kernel_families(verdicts.of_kernels(versions))
        self.assertEqual(
            [(family.heading, round(family.mean, 6)) for family in families],
            [("CPU, all threads", 1), ("CPU, 4 threads", 2), ("CPU, one thread", 8)],
        )
        drawn = figures.kernels([v for family in families for v in family.verdicts])
        for family in families:
            self.assertIn(family.heading, drawn)

    def test_a_figure_of_four_columns_is_no_wider_than_one_of_three(self):
        threads = [
            self.kernel(who, 1, variant=variant)
            for variant in ("resident", "threads_4", "threads_1")
            for who in ("tandem", "raw")
        ]
        gpu = [self.kernel(who, 1, "cuda") for who in ("tandem", "raw")]
        widths = []
        for found in (threads, threads + gpu):
            drawn = figures.kernels(verdicts.of_kernels(found))
            widths.append(float(re.search(r'viewBox="0 0 ([\d.]+)', drawn)[1]))
        self.assertLessEqual(widths[1], widths[0])

    def test_candidates_on_4_threads_have_a_title(self):
        self.assertEqual(
            peers.candidate_title("openmp", "raw_tuned", "threads_4"), "tuned OpenMP, 4 threads"
        )


class Lists(unittest.TestCase):
    def test_every_list_names_known_kinds_and_no_row_twice(self):
        for names, least in (
            (("gpu",), 361),
            (("cpu",), 345),
            (("matmul",), 205),
            (("report_gpu", "report_cpu"), 20),
        ):
            listed = targets.table(*names)
            self.assertGreaterEqual(len(listed), least)
            self.assertTrue(all(t.kind in ("peer", "limit", "shown", "error") for t in listed))
            self.assertEqual(len(set(listed)), len(listed))

    def test_every_peer_of_a_row_is_declared(self):
        for target in targets.table("gpu", "cpu", "matmul", "report_gpu", "report_cpu"):
            for peer in target.peers:
                self.assertIn(target.peer_key(peer)[1], peers.TITLES)

    def test_a_pattern_stands_for_its_texts_with_the_first_braces_slowest(self):
        self.assertEqual(
            targets.expanded("a/{b,c/{d,2^3}}/{1,2}"),
            ["a/b/1", "a/b/2", "a/c/d/1", "a/c/d/2", "a/c/8/1", "a/c/8/2"],
        )

    def test_a_line_names_the_kind_the_bound_the_peers_and_the_variants(self):
        row = targets.row("h", "openmp", "p", "limit 10/11: raw serial/std of transform in pinned")
        self.assertEqual((row.kind, row.peers), ("limit", ("raw", "serial/std")))
        self.assertAlmostEqual(row.bound, 10 / 11)
        self.assertEqual(row.tandem_key, ("openmp", "tandem", "transform"))
        self.assertEqual(row.peer_key("serial/std"), ("serial", "std", "pinned"))


if __name__ == "__main__":
    unittest.main()
