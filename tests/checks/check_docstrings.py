#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the site's docstring reader finds the bounds of paragraphs, rows and code."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs" / "site"))

import docstring

EXAMPLE = """\
Sums x; 0 of none. Reads it
once.

  const auto s = sum(x);

  print(s);

@param x     any rank,
             any stride
T            a number
Agreement    the same bits
Errors: argument_error for no
memory.
Asynchronous on `space`.
"""


class Docstrings(unittest.TestCase):
    def setUp(self):
        self.blocks = docstring.parse(EXAMPLE)

    def test_lines_of_a_paragraph_are_joined(self):
        self.assertEqual(self.blocks[0][:2], ["paragraph", "Sums x; 0 of none. Reads it once."])

    def test_code_keeps_its_empty_lines_and_loses_its_indentation(self):
        self.assertEqual(self.blocks[1], ["code", "const auto s = sum(x);\n\nprint(s);"])

    def test_rows_end_where_the_next_one_begins(self):
        rows = [block[1:3] for block in self.blocks if block[0] == "row"]
        self.assertEqual(rows, [["x", "any rank, any stride"], ["T", "a number"],
                                ["Agreement", "the same bits"],
                                ["Errors", "argument_error for no memory."]])
        self.assertEqual(self.blocks[-1], ["paragraph", "Asynchronous on `space`."])

    def test_parameters_are_told_from_sentences(self):
        signature = "template <class T> T sum(const T& x, int Errors);"
        self.assertTrue(docstring.is_parameter("T", signature))
        self.assertTrue(docstring.is_parameter("x", signature))
        self.assertFalse(docstring.is_parameter("Agreement", signature))
        self.assertFalse(docstring.is_parameter("Errors", signature))

    def test_the_first_sentence_stands_in_lists(self):
        self.assertEqual(docstring.first_sentence(EXAMPLE), "Sums x; 0 of none.")
        self.assertEqual(docstring.first_sentence("@param x  no sentence"), "")

    def test_a_row_tells_the_complexity(self):
        row = "Sums x.\n\n@param x     any rank\nComplexity  reads x once\nBlocks."
        self.assertTrue(docstring.tells_complexity("sum", row, set()))
        self.assertFalse(docstring.tells_complexity("sum", EXAMPLE, {"sum"}))
        self.assertFalse(docstring.tells_complexity("sum", "Sums x.\nComplexity is told.", {"sum"}))

    def test_a_docstring_may_refer_to_one_that_tells_the_complexity(self):
        calls = "Calls sum(space, x) on the default space."
        self.assertTrue(docstring.tells_complexity("sum", calls, {"sum"}))
        self.assertFalse(docstring.tells_complexity("sum", calls, {"dot"}))
        sibling = "Sums y.\n\n@param y  as for x"
        self.assertTrue(docstring.tells_complexity("sum", sibling, {"sum"}))
        self.assertFalse(docstring.tells_complexity("sum", sibling, {"dot"}))

    def test_errors_of_another_function_tell_no_complexity(self):
        errors = "Sums y.\n\ny       any rank\nErrors  those of dot"
        self.assertFalse(docstring.tells_complexity("sum", errors, {"sum", "dot"}))

    def test_rows_become_a_table(self):
        shown = docstring.render(EXAMPLE, "T sum(x)", lambda text, plain=False: f"[{text}]", repr)
        self.assertIn("<p>[Sums x; 0 of none. Reads it once.]</p>", shown)
        self.assertIn("<th><code>[x]</code></th><td>[any rank, any stride]</td>", shown)
        self.assertIn("<th>[Agreement]</th>", shown)


if __name__ == "__main__":
    unittest.main()
