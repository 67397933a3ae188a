#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the search of the site: which synonyms the tables of the guide give, and in which order
search.js lists results. The second part needs Node.js; without it the check is skipped."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import types
import unittest

SITE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "site"
sys.path.insert(0, str(SITE))
# The two modules of the site that need packages for what is not tested here.
sys.modules["declarations"] = types.SimpleNamespace(ROOT=SITE.parents[1])
sys.modules["markup"] = types.SimpleNamespace(
    url_of_page=lambda path: path.removeprefix("docs/").replace(".md", ".html"))

import synonyms

NODE = shutil.which("node")
NAMES = {name: f"reference/{name}.html" for name in
         ("parallel_scan", "parallel_reduce", "parallel_for", "exclusive", "histogram", "sort",
          "sort_by_key", "copy", "fill", "gather", "scatter", "iota", "count_if", "all_of")}
ROWS = [["parallel_scan", NAMES["parallel_scan"], "function", "Inclusive or exclusive scan.", ""],
        ["parallel_reduce", NAMES["parallel_reduce"], "function", "Combines the terms.", ""],
        ["scan_problem", "reference/scan_problem.html", "internal", "A scan.", ""],
        ["Scans", "guide/scans.html", "guide", "", "Memory that scans consume."],
        ["Scan", "lab/scan.html", "lab notebook", "", "How a scan was made faster."],
        ["sum", "reference/sum.html", "class", "Adds.", ""],
        ["copy", NAMES["copy"], "function", "Copies elements.", "Assumes nothing."]]
TERMS = [["cumulative sum", [NAMES["parallel_scan"]]], ["np.cumsum", [NAMES["parallel_scan"]]],
         ["__syncthreads", ["guide/scans.html"]]]


def search(query):
    """The titles of the results for a query, best first."""
    program = ("const {searchRows} = require(process.argv[1]);"
               "const [rows, terms, query] = JSON.parse(process.argv[2]);"
               "console.log(JSON.stringify(searchRows(rows, terms, query).map((row) => row[0])))")
    run = subprocess.run([NODE, "-e", program, "--", SITE / "search.js",
                          json.dumps([ROWS, TERMS, query])], check=True, capture_output=True,
                         text=True)
    return json.loads(run.stdout)


class Synonyms(unittest.TestCase):
    def terms(self):
        warnings = []
        return dict(synonyms.collect(NAMES, set(), warnings)), warnings

    def test_tables_give_the_names_of_other_libraries(self):
        terms, _ = self.terms()
        for term, name in (("np.cumsum", "parallel_scan"), ("np.bincount", "histogram"),
                           ("thrust::sort", "sort"), ("Kokkos::atomic_add", None)):
            first = NAMES[name] if name else "guide/from-kokkos.html"
            self.assertEqual(terms[term][0], first, term)

    def test_cells_with_as_many_names_go_together(self):
        pairs = dict(synonyms.pairs_of("`thrust::gather`, `sequence`", "`gather`, `iota`", NAMES))
        self.assertEqual(pairs, {"thrust::gather": ["gather"], "sequence": ["iota"]})

    def test_the_same_names_are_the_same(self):
        pairs = dict(synonyms.pairs_of("`thrust::count_if`, `all_of`", "the same names", NAMES))
        self.assertEqual(pairs, {"thrust::count_if": ["count_if"], "all_of": ["all_of"]})

    def test_a_target_that_does_not_exist_is_a_warning(self):
        _, warnings = self.terms()
        self.assertIn("docs/site/synonyms.py: there is no matmul", warnings)
        self.assertNotIn("docs/site/synonyms.py: there is no parallel_scan", warnings)

    def test_no_term_is_there_twice(self):
        terms = [term for words, _ in synonyms.WORDS for term in words.split(", ")]
        self.assertEqual(sorted(set(terms)), sorted(terms))
        for term in terms:
            self.assertTrue(re.search(r"\w", term), term)


@unittest.skipUnless(NODE, "there is no Node.js")
class Ranking(unittest.TestCase):
    def test_a_synonym_finds_the_name(self):
        for query in ("cumulative sum", "Cumulative Sum", "np.cumsum", "np.cumsum(x)", "cumsum"):
            self.assertEqual(search(query)[0], "parallel_scan", query)
        self.assertEqual(search("__syncthreads()")[0], "Scans")

    def test_a_name_is_found_without_its_namespace_and_with_spaces(self):
        for query in ("tandem::parallel_scan", "parallel scan", "std::parallel_scan"):
            self.assertEqual(search(query)[0], "parallel_scan", query)

    def test_words_are_found_at_their_beginning_alone(self):
        self.assertEqual(search("sum")[0], "sum")
        self.assertNotIn("copy", search("sum"))   # Assumes
        self.assertNotIn("Scans", search("sum"))  # consume
        self.assertIn("Scans", search("cons"))

    def test_names_of_users_come_before_internals_and_notes(self):
        self.assertEqual(search("scan"), ["parallel_scan", "Scans", "Scan", "scan_problem"])
        self.assertEqual(search("scan_problem")[0], "scan_problem")

    def test_nothing_is_found_for_nothing(self):
        self.assertEqual(search(" _ "), [])
        self.assertEqual(search("xyzzy"), [])


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)
