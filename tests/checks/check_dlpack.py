#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that NumPy and PyTorch read tandem's DLPack tensors, and tandem theirs, without a copy.

PyTorch's tensors in GPU memory are exchanged too, if there is a GPU. Exits with 77, as skipped, if
there is neither PyTorch nor a NumPy with from_dlpack.
"""

import argparse
import ctypes
import gc
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    np.from_dlpack  # pylint: disable=pointless-statement
except (ImportError, AttributeError):
    np = None
try:
    import torch
    from torch.utils import dlpack as torch_dlpack
except ImportError:
    torch = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "dlpack" / "exchange.cpp"
NAME = b"dltensor"
CPU = (1, 0)

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
rename = ctypes.pythonapi.PyCapsule_SetName
rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = ctypes.c_char_p(b"used_dltensor")


class Tensor:
    """An object with the methods that np.from_dlpack needs."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __dlpack__(self, **_):
        return new_capsule(self.pointer, NAME, None)

    def __dlpack_device__(self):
        return CPU


def compile_library(compiler, include, folder):
    library = pathlib.Path(folder) / "exchange.so"
    core = [path for path in sorted((ROOT / "core").rglob("*.cpp"))
            if path.parent.name not in ("math", "checked")
            and path.name != "with_bounds_checks.cpp"]  # of objects that are compiled otherwise
    subprocess.run([compiler, "-std=c++20", "-O1", "-shared", "-fPIC", "-ffp-contract=off",
                    f"-I{include}", SOURCE, *core, "-o", library], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.make_matrix.restype = ctypes.c_void_p
    loaded.make_vector.restype = ctypes.c_void_p
    loaded.sum_and_double.restype = ctypes.c_double
    loaded.sum_and_double.argtypes = [ctypes.c_void_p]
    loaded.hand_back.restype = ctypes.c_void_p
    loaded.hand_back.argtypes = [ctypes.c_void_p]
    return loaded


def check_export(library):
    matrix = np.from_dlpack(Tensor(library.make_matrix()))
    assert matrix.dtype == np.float32 and matrix.shape == (3, 4)
    assert np.array_equal(matrix, np.arange(12, dtype=np.float32).reshape(4, 3).T)
    part = matrix[1:, 2]
    del matrix
    gc.collect()
    assert library.times_freed() == 0, "freed while NumPy still has a part of it"
    del part
    gc.collect()
    assert library.times_freed() == 1
    wanted = [np.array([1, 2, 255], np.uint8), np.array([-1, 2, 3], np.int64),
              np.array([1.5], np.float16), np.array([1 - 2j], np.complex128)]
    for kind, values in enumerate(wanted):
        got = np.from_dlpack(Tensor(library.make_vector(kind)))
        assert got.dtype == values.dtype and np.array_equal(got, values), (got, values)


def give(library, capsule):
    """Hands an array over to the library and returns its sum."""
    result = library.sum_and_double(pointer_of(capsule, NAME))
    if result != -1:
        rename(capsule, USED)
    return result


def check_import(library):
    whole = np.arange(60.0).reshape(6, 10)
    before = whole.copy()
    part = whole[::2, 1:9]
    assert give(library, part.__dlpack__()) == before[::2, 1:9].sum()
    before[::2, 1:9] *= 2
    assert np.array_equal(whole, before)
    assert give(library, whole.astype(np.float32).__dlpack__()) == -1
    assert give(library, whole.reshape(-1).__dlpack__()) == -1


def to_torch(pointer):
    return torch_dlpack.from_dlpack(new_capsule(pointer, NAME, None))


def check_torch(library):
    freed = library.times_freed()
    matrix = to_torch(library.make_matrix())
    assert torch.equal(matrix, torch.arange(12, dtype=torch.float32).reshape(4, 3).T)
    assert matrix.stride() == (1, 3) and library.times_freed() == freed
    del matrix
    gc.collect()
    assert library.times_freed() == freed + 1
    wanted = [torch.tensor([1, 2, 255], dtype=torch.uint8), torch.tensor([-1, 2, 3]),
              torch.tensor([1.5], dtype=torch.float16),
              torch.tensor([1 - 2j], dtype=torch.complex128)]
    for kind, values in enumerate(wanted):
        got = to_torch(library.make_vector(kind))
        assert got.dtype == values.dtype and torch.equal(got, values), (got, values)
    whole = torch.arange(60, dtype=torch.float64).reshape(6, 10)
    before = whole.clone()
    assert give(library, torch_dlpack.to_dlpack(whole[::2, 1:9])) == before[::2, 1:9].sum()
    before[::2, 1:9] *= 2
    assert torch.equal(whole, before)


def check_torch_on_device(library):
    there = torch.arange(12, dtype=torch.float64, device="cuda").reshape(3, 4).T
    assert give(library, torch_dlpack.to_dlpack(there)) == -1, "the host cannot reach it"
    capsule = torch_dlpack.to_dlpack(there)
    back = to_torch(library.hand_back(pointer_of(capsule, NAME)))
    rename(capsule, USED)
    assert back.data_ptr() == there.data_ptr() and back.device == there.device
    assert torch.equal(back, there)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True, help="the folder that holds tandem/")
    arguments = parser.parse_args()
    if np is None and torch is None:
        print("skipped: there is neither PyTorch nor a NumPy with from_dlpack")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        library = compile_library(arguments.compiler, arguments.include, folder)
        if np is not None:
            check_export(library)
            check_import(library)
            print(f"NumPy {np.__version__}: tensors cross both ways")
        if torch is not None:
            check_torch(library)
            print(f"PyTorch {torch.__version__}: tensors cross both ways")
            if torch.cuda.is_available():
                check_torch_on_device(library)
                print(f"PyTorch {torch.__version__}: those of a GPU, too")
    return 0


if __name__ == "__main__":
    sys.exit(main())
