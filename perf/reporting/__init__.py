# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts Google Benchmark's output into results.json, tables and report.html."""
