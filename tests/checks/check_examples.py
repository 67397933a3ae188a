#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests examples/measure: the sizes that it uses, and its errors for unusable builds."""

import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("measure", str(ROOT / "examples/measure"))
measure = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure", loader))
loader.exec_module(measure)

README = (ROOT / "examples/README.md").read_text()


class Table(unittest.TestCase):
    def test_every_row_of_the_readme_is_an_example(self):
        rows = re.findall(r"^\| \[\w+\]\(([\w/]+\.(?:cpp|cu))\) \|", README, re.MULTILINE)
        self.assertGreater(len(rows), 25)
        for path in rows:
            self.assertTrue((ROOT / "examples" / path).is_file(), path)

    def test_the_readme_shows_the_sizes_that_are_measured(self):
        for stem, size in measure.SIZES.items():
            row = re.search(rf"^\| \[{stem}\].*$", README, re.MULTILINE)
            self.assertIsNotNone(row, stem)
            self.assertIn(f"`example.{stem} {size}`", row[0])


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
            program = examples / "example.pagerank"
            program.write_text("#!/bin/sh\necho no memory >&2\nexit 1\n")
            program.chmod(0o755)
            done = self.run_on(folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("example.pagerank failed: no memory", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
