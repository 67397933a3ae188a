#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that count_results.py counts what CTest writes, and no skipped test as passed."""

import sys

import count_results


def case(name, status, output="", inside=""):
    return (f'<testcase name="{name}" status="{status}">{inside}'
            f"<system-out>{output}</system-out></testcase>")


SUMMARY = "tandem-tests: passed={} failed={} skipped={}\n"
EXAMPLES = [
    ("cases of a binary are added", case("tandem_tests_host", "run", SUMMARY.format(7, 0, 2)),
     (7, 0, 2)),
    ("another entry counts as one", case("check_layers", "run"), (1, 0, 0)),
    ("a failed entry counts as one", case("check_layers", "fail"), (0, 1, 0)),
    ("an entry that asks to be skipped",
     case("example", "notrun", "", "<skipped message='SKIP_RETURN_CODE=77'/>"), (0, 0, 1)),
    ("an entry that could not start",
     case("example", "notrun", "", "<skipped message='Unable to find executable'/>"), (0, 1, 0)),
    ("an entry that was not run", case("example", "notrun"), (0, 1, 0)),
    ("a binary that died before its summary", case("tandem_tests_host", "fail"), (0, 1, 0)),
    ("a binary that ran but said nothing", case("tandem_tests_host", "run"), (0, 1, 0)),
    ("a binary whose filter found no case",
     case("tandem_tests_host", "run", SUMMARY.format(0, 0, 0)), (0, 1, 0)),
    ("a binary that crashed after its summary",
     case("tandem_tests_host", "fail", SUMMARY.format(3, 0, 0)), (3, 1, 0)),
    ("failures of a binary are its own count",
     case("tandem_tests_host", "fail", SUMMARY.format(3, 2, 0)), (3, 2, 0)),
    ("no entry at all", "", (0, 1, 0)),
]


def main():
    failures = 0
    for name, entries, expected in EXAMPLES:
        actual = count_results.total(f"<testsuite>{entries}</testsuite>", "tandem_tests_")
        if actual != expected:
            print(f"{name}: counted {actual}, not {expected}")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
