#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests how perf/harness/targets.py rates measurements with known ratios.
"""

import pathlib
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))

from harness import peers, targets, verdicts


def measured(seconds, **others):
    usual = {"error": "", "bits_promised": False, "equal_bits": True, "implementation": "tandem"}
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

    def test_limits_alone_have_no_mean(self):
        (family,) = targets.families([verdict(measured(1), measured(1), "limit")])
        self.assertIsNone(family.mean_met)

    def test_kernels_of_teams_have_their_own_rule_on_a_cpu(self):
        def kernel(backend, name):
            return types.SimpleNamespace(backend=backend, name=name)

        self.assertTrue(verdicts.by_teams_on_cpu(kernel("openmp", "nbody_by_teams")))
        self.assertFalse(verdicts.by_teams_on_cpu(kernel("openmp", "nbody")))
        self.assertFalse(verdicts.by_teams_on_cpu(kernel("cuda", "nbody_by_teams")))


class Lists(unittest.TestCase):
    def test_every_list_names_known_kinds_and_no_row_twice(self):
        for names, least in (
            (("gpu",), 361),
            (("cpu",), 345),
            (("matmul",), 182),
            (("report_gpu", "report_cpu"), 12),
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
