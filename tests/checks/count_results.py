#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the last line of a test run: `N passed, N failed, N skipped`.

A test binary prints `tandem-tests: passed=N failed=N skipped=N` for its cases; every other CTest
entry counts as one. A binary that crashes before it prints, or finds no case, is a failure.
"""

import argparse
import re
import sys
import xml.etree.ElementTree

SUMMARY = re.compile(r"^tandem-tests: passed=(\d+) failed=(\d+) skipped=(\d+)$", re.MULTILINE)


def counts_of(case, doctest_names):
    """Returns (passed, failed, skipped) of one <testcase> of CTest's JUnit file."""
    status = case.get("status")
    if status != "run" and case.find("skipped") is not None:
        # CTest also writes "skipped" for a program that it could not find.
        wanted = case.find("skipped").get("message", "").startswith("SKIP_")
        return (0, 0, 1) if wanted else (0, 1, 0)
    output = case.findtext("system-out") or ""
    found = SUMMARY.findall(output)
    if not found:
        died = status != "run" or case.get("name").startswith(doctest_names)
        return (0, 1, 0) if died else (1, 0, 0)
    passed, failed, skipped = (sum(column) for column in zip(*(map(int, row) for row in found)))
    if passed + failed + skipped == 0 or (failed == 0 and status != "run"):
        failed += 1
    return passed, failed, skipped


def total(text, doctest_names):
    """Returns the counts of a whole JUnit file, given as text."""
    cases = xml.etree.ElementTree.fromstring(text).iter("testcase")
    rows = [counts_of(case, doctest_names) for case in cases]
    return tuple(sum(column) for column in zip(*rows)) if rows else (0, 1, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("junit", help="file that ctest --output-junit wrote")
    parser.add_argument("--doctest", default="tandem_tests_",
                        help="how the names of entries that print a summary begin")
    arguments = parser.parse_args()
    with open(arguments.junit, encoding="utf-8", errors="replace") as file:
        passed, failed, skipped = total(file.read(), arguments.doctest)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
