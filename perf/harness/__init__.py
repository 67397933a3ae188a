# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What perf/run measures with and judges by: the peers, the tables of targets, Python's libraries,
and what becomes of the programs' output: results.json, tables and report.html."""
