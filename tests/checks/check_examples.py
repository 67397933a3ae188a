#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests examples/measure: the columns that it writes, and its errors for unusable builds."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("measure", str(ROOT / "examples/measure"))
measure = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure", loader))
loader.exec_module(measure)

TABLE = """| example | shows | lines |
|---|---|---|
| [a](a.cpp) | one | 30 |
| [b](b/main.cpp) | 2 | 40 |
"""


class Columns(unittest.TestCase):
    def test_times_stand_beside_each_example_and_replace_former_ones(self):
        first = measure.with_columns(TABLE, {"a.cpp": ["1 ms", "2 ms"], "b/main.cpp": ["", "3 ms"]})
        self.assertIn("| [a](a.cpp) | one | 30 | 1 ms | 2 ms |\n", first)
        self.assertIn("| [b](b/main.cpp) | 2 | 40 | | 3 ms |\n", first)
        self.assertIn("|---|---|---|---|---|\n", first)
        again = measure.with_columns(first, {"a.cpp": ["4 ms", ""], "b/main.cpp": ["", ""]})
        self.assertIn("| [a](a.cpp) | one | 30 | 4 ms | |\n", again)
        self.assertEqual(again.count("CPU | GPU"), 1)

    def test_every_row_of_the_readme_is_an_example(self):
        rows = [row["path"] for row in measure.ROW.finditer(measure.README.read_text())]
        self.assertGreater(len(rows), 25)
        for path in rows:
            self.assertTrue((ROOT / "examples" / path).is_file(), path)


class Builds(unittest.TestCase):
    def run_on(self, folder):
        command = [sys.executable, "-B", ROOT / "examples/measure", "--build", folder]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_a_folder_without_examples_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_on(folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_program_that_fails_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            examples = pathlib.Path(folder) / "examples"
            examples.mkdir()
            (examples / "libexample.operation_timer.so").touch()
            program = examples / "example.quick_start"
            program.write_text("#!/bin/sh\necho no memory >&2\nexit 1\n")
            program.chmod(0o755)
            done = self.run_on(folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("example.quick_start failed: no memory", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
