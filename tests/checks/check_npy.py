#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that tandem reads files that NumPy writes, and NumPy those that tandem writes.

Writes arrays of every type in each version of the format, lets a test case read them and save their
elements, and compares what NumPy reads. Exits with 77, as skipped, if there is no NumPy.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    np = None

TYPES = ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
CASE = "files: NumPy's arrays of every type*"


def write_files(folder):
    """Writes files that tandem reads (TYPE, version) and some that it refuses (refused)."""
    for name in TYPES:
        np.save(folder / f"{name}.npy", np.arange(15).reshape(5, 3).astype(name))
    for major in (1, 2, 3):
        with open(folder / f"version{major}.npy", "wb") as file:
            np.lib.format.write_array(file, np.arange(7, dtype="<f4"), version=(major, 0))
    plane = np.zeros((3, 4), "<f4")
    refused = {"order": np.asfortranarray(plane), "endian": plane.astype(">f4"),
               "type": plane.astype("<f8"), "rank": plane.ravel(),
               "structs": np.zeros((3, 4), [("a", "<f4"), ("b", "<i4")])}
    for name, array in refused.items():
        np.save(folder / f"refused_{name}.npy", array)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", required=True, help="the program that has the test case")
    arguments = parser.parse_args()
    if np is None:
        print("skipped: there is no NumPy")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_files(folder)
        subprocess.run([arguments.tests, f"--test-case={CASE}"], check=True,
                       env={**os.environ, "TANDEM_TEST_NPY": name})
        for name in TYPES:
            wanted = np.load(folder / f"{name}.npy")
            found = np.load(folder / f"{name}.saved.npy")
            assert found.dtype == wanted.dtype and found.shape == wanted.shape, name
            assert np.array_equal(found, wanted), (name, found)
            again = np.load(folder / f"{name}.saved.npy", mmap_mode="r")
            assert np.array_equal(again, wanted), name
    print(f"NumPy {np.__version__}: files of {len(TYPES)} types cross both ways")
    return 0


if __name__ == "__main__":
    sys.exit(main())
