#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that flags and modes that change bits are refused unless TANDEM_AGREEMENT=0 allows them.

Compiles tests/agreement/report.cpp with several sets of flags and every installed compiler, and
runs it if it compiles; likewise report.cu with nvcc if the build has CUDA. Compares the output of
the compiler or program. Without a GPU, cases that need its arithmetic are only compiled.
"""

import argparse
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import compile_commands

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "agreement"
X86 = platform.machine() == "x86_64"
FUSES = ["-ffp-contract=fast"] + (["-mfma"] if X86 else [])
GIVEN_UP = ["-UTANDEM_AGREEMENT", "-DTANDEM_AGREEMENT=0"]
REFUSED = "error: .*tandem: -ffast-math, -Ofast and their parts change results"
MODE = "this thread flushes subnormal numbers to zero or does not round to nearest"

# (compilers, flags, flags for linking only, the program's argument, expected output)
CASES = [
    ("g++ clang++", [], [], "", "agrees"),
    ("g++ clang++", ["-ffast-math"], [], "", REFUSED),
    ("g++ clang++", ["-Ofast"], [], "", REFUSED),
    ("g++ clang++", ["-ffinite-math-only"], [], "", REFUSED),
    ("g++", ["-funsafe-math-optimizations"], [], "", REFUSED),
    ("g++", ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"], [], "", REFUSED),
    ("g++", ["-freciprocal-math"], [], "", REFUSED),
    ("g++", ["-fno-signed-zeros"], [], "", REFUSED),
    ("g++", ["-fsingle-precision-constant"], [], "", REFUSED),
    # clang has no macro for these flags, so the arithmetic has to reveal them.
    ("clang++", ["-funsafe-math-optimizations"], [], "", "compiled to reorder sums"),
    ("clang++", ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"], [], "",
     "compiled to reorder sums"),
    ("clang++", ["-freciprocal-math"], [], "", "compiled to multiply by reciprocals"),
    ("clang++", ["-fno-signed-zeros"], [], "", "compiled without the sign of zero"),
    ("clang++", ["-fno-honor-nans"], [], "", "compiled without NaN"),
    ("g++ clang++", FUSES, [], "", r"report.cpp was compiled to fuse a \* b \+ c"),
    ("g++ clang++", FUSES + ["-ffp-contract=off"], [], "", "agrees"),
    ("g++ clang++", FUSES + GIVEN_UP, [], "", "agrees"),
    ("g++ clang++", ["-ffast-math"] + GIVEN_UP, [], "", "agrees"),
    ("g++ clang++", [], [], "round-up", MODE),
    ("g++ clang++", [], [], "flush-to-zero", MODE),
    ("g++ clang++", GIVEN_UP, [], "flush-to-zero", "agrees"),
]
if X86:
    CASES += [
        ("g++", ["-mfpmath=387"], [], "", "computes in a wider type than float"),
        ("g++ clang++", [], ["-ffast-math"], "", MODE),
        ("g++ clang++", [], [], "denormals-are-zero", MODE),
    ]

EXPORTED = ["--fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false"]
REFUSED_BY_PTXAS = "tandem_refuses_use_fast_math_and_ftz_unless_TANDEM_AGREEMENT_is_0"

# Cases for nvcc: (flags, expected output; if the program prints it, it needs a GPU)
NVCC_CASES = [
    (EXPORTED, "agrees"),
    (["--use_fast_math"], REFUSED_BY_PTXAS),
    (["--use_fast_math", *EXPORTED], REFUSED_BY_PTXAS),
    (["--fmad=false", "-ftz=true"], REFUSED_BY_PTXAS),
    ([], r"report.cu was compiled to fuse a . b . c(.|\n)*report.cu was compiled to fuse"),
    (["--fmad=false", "-prec-div=false"], "report.cu was compiled for approximate division"),
    (["--use_fast_math", *GIVEN_UP], "agrees"),
]


def can_run(flags):
    """Whether this processor has the instructions that `flags` enable."""
    return "-mfma" not in flags or " fma " in pathlib.Path("/proc/cpuinfo").read_text()


def said(compiler, source, flags, link_flags, argument):
    """Returns the compiler's messages, or what the program prints."""
    with tempfile.TemporaryDirectory() as directory:
        binary = pathlib.Path(directory) / "report"
        unit = f"{binary}.o"
        for command in ([compiler, "-std=c++20", *flags, "-c", str(SOURCES / source), "-o", unit],
                        [compiler, unit, *link_flags, "-o", str(binary)]):
            result = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT)
            if result.returncode != 0:
                return result.stdout
        return subprocess.run([binary, argument], text=True, stdout=subprocess.PIPE).stdout


def jobs_of(arguments):
    """Yields (compiler, source, flags, link flags, the program's argument, expected output)."""
    common = ["-DTANDEM_AGREEMENT=1", f"-I{arguments.build}/include"]
    core = f"{arguments.build}/libtandem_core.a"
    for compilers, flags, link_flags, argument, expected in CASES:
        for compiler in compilers.split():
            if shutil.which(compiler) and can_run(flags):
                yield (compiler, "report.cpp", ["-O2", "-ffp-contract=off", *common, *flags],
                       [core, *link_flags], argument, expected)
    if not arguments.nvcc:
        return
    common += ["--extended-lambda", f"-arch={arguments.architecture}",
               "-Xcompiler=-fopenmp,-ffp-contract=off"]
    libraries = [f"{arguments.build}/libtandem_{name}.a"
                 for name in ("cuda", "openmp", "serial", "core")]
    for flags, expected in NVCC_CASES:
        if expected != REFUSED_BY_PTXAS:
            expected += "|^no device$"
        yield (arguments.nvcc, "report.cu", [*common, *flags], [*libraries, "-lgomp"], "", expected)


def check(job):
    compiler, source, flags, link_flags, argument, expected = job
    text = said(compiler, source, flags, link_flags, argument)
    if re.search(expected, text):
        return None
    case = " ".join([compiler, source, *flags, *link_flags, argument])
    return f"{case}: not '{expected}' but\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build directory")
    parser.add_argument("--nvcc", help="path of nvcc")
    parser.add_argument("--architecture", default="sm_90", help="what nvcc compiles for")
    jobs = list(jobs_of(parser.parse_args()))
    failures = [failure for failure in compile_commands.in_parallel(check, jobs) if failure]
    print("\n".join(failures + [f"{len(jobs)} programs, {len(failures)} not as they must be"]))
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
