#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests perf/python_peers.py: every operation of every library that this Python has is right, a
wrong result is refused, and a missing library is named. Exits with 77 if NumPy is missing.
"""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "perf"
sys.path.insert(0, str(FOLDER))

# A problem for each operation and type; {n} is its size.
PROBLEMS = [
    f"{problem}/{{n}}"
    for problem in (
        "increment/line/f32",
        "vector/add/f32",
        "vector/multiply/f32",
        "vector/triad/f32",
        "loops/copy/f64",
        "reduce/sum/f32",
        "reduce/abs_sum/f32",
        "reduce/max/f32",
        "reduce/dot/f32",
        "scan/inclusive/f32",
        "scan/inclusive/i32",
        "sort/sort/f32",
        "sort/sort/u32",
        "sort/sort/u64",
        "histogram/normal_150/f32",
        "histogram/all_equal_256/i32",
        "histogram/uniform_256/u8",
        "random/uniform/f32",
        "random/normal/f64",
        "matmul/matmul/f32/5x7",
        "matmul/batched/f64/3x5x7",
    )
]


def problem_of(text, size):
    name, of_size = text.format(n=size).rsplit("/", 1)
    if name.count("/") == 3:  # a product has several extents
        name, sides = name.rsplit("/", 1)
        of_size = f"{sides}x{of_size}"
    return (*name.split("/"), of_size)


def names(size):
    return ["/".join((*problem_of(text, size), "openmp/tandem/resident")) for text in PROBLEMS]


class PythonPeers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.compiled = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.compiled.cleanup)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def run_on(self, lines, *options):
        (self.path / "names").write_text("\n".join(lines) + "\n")
        command = [sys.executable, "-B", FOLDER / "python_peers.py", "--names", self.path / "names"]
        environment = {**os.environ, "NUMBA_CACHE_DIR": self.compiled.name}
        command += options
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_every_operation_of_every_library_is_right(self):
        for size in (1, 1000):
            listed = self.run_on(names(size), "--list").split()
            self.assertGreaterEqual(len(listed), len(PROBLEMS))
            out = self.path / "out.json"
            said = self.run_on(listed, "--quick", "--out", out)
            self.assertIn("Peers in Python: NumPy", said)
            lines = json.loads(out.read_text())["benchmarks"]
            self.assertEqual({line["name"] for line in lines}, set(listed))
            self.assertTrue(all(line["real_time"] > 0 for line in lines))

    def test_ten_runs_leave_ten_hashes_of_sums_scans_and_histograms(self):
        listed = self.run_on(names(1 << 20), "--list").split()
        out = self.path / "agreement.json"
        self.run_on(listed, "--agreement", out)
        found = json.loads(out.read_text())["agreement"]
        wanted = [name for name in listed if name.split("/")[0] in ("reduce", "scan", "histogram")]
        self.assertEqual([entry["name"] for entry in found], wanted)
        self.assertTrue(all(len(entry["bits"]) == 10 for entry in found))
        of_numpy = [entry for entry in found if "/numpy/" in entry["name"]]
        self.assertTrue(all(len(set(entry["bits"])) == 1 for entry in of_numpy))

    def test_problems_that_would_fill_the_memory_are_left_out(self):
        large = [f"scan/inclusive/f32/{1 << 30}", f"sort/sort/u64/{1 << 27}"]
        listed = self.run_on([f"{name}/cuda/tandem/resident" for name in large], "--list")
        self.assertEqual(listed, "")

    def test_a_wrong_result_is_refused(self):
        import python_peers
        from harness import libraries, library, problems

        operations = libraries.numpy_library(on_gpu=False).operations
        for text in PROBLEMS:
            problem = problems.make(*problem_of(text, 1000))
            wrong = library.Library(
                "numpy", {problem.operation: lambda d: operations[d.operation](d) + 2}
            )
            with self.assertRaises(problems.WrongResult, msg=text):
                python_peers.prepared(wrong, problem)

    def test_a_missing_library_and_one_that_cannot_use_the_machine_are_named(self):
        import python_peers
        from harness import libraries

        def unusable(on_gpu):
            raise OSError("no driver\nmore about it")

        kept = libraries.is_installed, dict(libraries.MAKERS)
        try:
            libraries.is_installed = lambda name: name in ("numpy", "torch")
            libraries.MAKERS["torch"] = unusable
            keys = [python_peers.Key("reduce", "sum", "f32", "8", "cuda", "torch")]
            said = python_peers.Peers(keys).remarks
        finally:
            libraries.is_installed = kept[0]
            libraries.MAKERS.update(kept[1])
        self.assertEqual(said, ["no Numba", "no CuPy", "no PyTorch on the GPU (no driver)"])

    def test_a_library_that_does_not_fit_another_is_left_out(self):
        import python_peers
        from harness import library

        def fails(_):
            raise AttributeError("module 'numpy' has no attribute 'row_stack'")

        numba = library.Library("numba", {"sum": fails})
        keys = [
            python_peers.Key("reduce", "sum", "f32", str(n), "openmp", "numba") for n in (8, 16)
        ]
        peers = types.SimpleNamespace(of=lambda key: numba)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(list(python_peers.measure(keys, peers, True)), [])
        self.assertEqual(said.getvalue().count("row_stack"), 1)


if __name__ == "__main__":
    if importlib.util.find_spec("numpy") is None:
        print("skipped: there is no NumPy")
        sys.exit(77)
    unittest.main(verbosity=2)
