#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The count of prose in docs/build reads comments and documents and leaves code alone."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs" / "site"))

import prose


class Prose(unittest.TestCase):
    def accents(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return list(prose.accents(root, files))

    def test_only_comments_of_sources_count(self):
        self.assertEqual(prose.prose_of("core/a.hpp", "int where;  // if x\n").strip(), "if x")
        self.assertEqual(prose.prose_of("perf/a.py", "where = 1  # when `where`\n").strip(), "when")
        self.assertEqual(prose.prose_of("perf/data.txt", "# where\n"), "")

    def test_code_of_documents_does_not_count(self):
        text = "words `np.where`\n```sh\nwhere\n```\nmore\n"
        self.assertEqual(prose.WORD.findall(prose.prose_of("a.md", text)), ["words", "more"])

    def test_a_folder_above_its_limit_is_one_line_that_names_the_worst_files(self):
        lines = self.accents({"core/a.hpp": "// where where where, of its\n// own\n",
                              "core/b.hpp": "// where\n", "tests/c.cpp": "// when\n"})
        self.assertEqual(len(lines), 1)
        self.assertIn("comments in core: \"where\"", lines[0])
        self.assertIn("most in core/a.hpp (3), core/b.hpp (1)", lines[0])

    def test_a_single_occurrence_or_few_among_many_words_are_within_the_limit(self):
        self.assertEqual(self.accents({"core/a.hpp": "// where\n"}), [])
        self.assertEqual(self.accents({"a.md": "where where " + "word " * 1000}), [])

    def test_results_that_programs_wrote_do_not_count(self):
        self.assertEqual(self.accents({"perf/results/a.md": "where where where"}), [])


if __name__ == "__main__":
    unittest.main()
