#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds calls of the platform's mathematical functions and names the replacement in tandem. Their
last bits differ between the C library and CUDA, and between versions of either.

Reads host object files, in which such a call is an undefined symbol, and PTX compiled with -G, in
which it is still a call. (In optimised device code it is not: nvcc inlines them all.) Fails if it
finds a call that --allow does not name.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

OURS = ("acos asin atan atan2 cbrt cos cosh erf erfc exp exp2 expm1 hypot log log10 log1p log2 pow "
        "sin sincos sinh tan tanh").split()
INSTEAD = {name: f"tandem::{name}" for name in OURS} | {
    "acosh": "tandem::log and tandem::sqrt", "asinh": "tandem::log and tandem::hypot",
    "atanh": "tandem::log1p", "exp10": "tandem::pow(10, x)", "rsqrt": "tandem::rsqrt",
    "sinpi": "tandem::sin", "cospi": "tandem::cos", "sincospi": "tandem::sincos",
    "rcbrt": "1 / tandem::cbrt(x)", "rhypot": "1 / tandem::hypot(x, y)",
    "norm3d": "tandem::sqrt and tandem::fma", "norm4d": "tandem::sqrt and tandem::fma",
    "tgamma": "", "lgamma": "", "lgamma_r": "", "j0": "", "j1": "", "jn": "", "y0": "", "y1": "",
    "yn": "", "normcdf": "tandem::erfc", "normcdfinv": "", "erfinv": "", "erfcinv": "",
    "erfcx": "", "cyl_bessel_i0": "", "cyl_bessel_i1": ""}
# Spellings of the C library, its vector functions, -ffinite-math-only and CUDA's intrinsics.
SPELLINGS = re.compile(r"(?:_ZGV[a-z]\w?\d+v+_)?(?:__)?c?({})([fl]?)(?:_finite)?".format(
    "|".join(sorted(INSTEAD, key=len, reverse=True))))
CALLER = re.compile(r"^[0-9a-f]+ <(.*)>:$")
PLACE = re.compile(r"^(/?\S+:\d+)(?: \(discriminator \d+\))?$")
RELOCATION = re.compile(r"^\s*[0-9a-f]+: R_\w+\s+(.+?)(?:@\w+)?(?:[-+]0x[0-9a-f]+)?$")
# Without optimisation, the wrappers of the C++ library are separate functions.
WRAPPER = re.compile(r"\bstd::(\w+)[<(]")
PTX_CALLER = re.compile(r"^(?:\.visible |\.weak )?(?:\.entry|\.func(?:  \(.*?\))?) (\w+)")
PTX_FILE = re.compile(r'^\s*\.file\s+(\d+) "(.*?)"', re.MULTILINE)
PTX_PLACE = re.compile(r"^\s*\.loc\s+(\d+) (\d+)")


def function_named(symbol):
    """Returns the function that a symbol names, without its type suffix, or None."""
    match = SPELLINGS.fullmatch(symbol)
    return match.group(1) if match else None


def output_of(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def calls_in_object(path, tools):
    """Yields (symbol, caller, place) of each call, or the symbol alone if callers are unknown."""
    undefined = {line.split()[-1].split("@")[0] for line in
                 output_of(tools.nm, "-u", path).splitlines() if line.strip()}
    wanted = {symbol for symbol in undefined if function_named(symbol)}
    located = set()
    caller = place = ""
    if wanted and shutil.which(tools.objdump):
        for line in output_of(tools.objdump, "-drlC", "--no-show-raw-insn", path).splitlines():
            if match := CALLER.match(line):
                caller, place = match.group(1), ""
            elif match := PLACE.match(line):
                # std::exp is inline, so report its caller.
                place = place if "/include/c++/" in line else match.group(1)
            elif match := RELOCATION.match(line):
                if WRAPPER.search(caller.split("(")[0] + "("):
                    continue
                wrapped = WRAPPER.search(match.group(1))
                symbol = wrapped.group(1) if wrapped else match.group(1)
                if function_named(symbol) and (wrapped or symbol in undefined):
                    located.add(function_named(symbol))
                    yield symbol, caller, place
    for symbol in sorted(wanted):
        if function_named(symbol) not in located:
            yield symbol, "", ""


def calls_in_ptx(path):
    text = path.read_text()
    files = dict(PTX_FILE.findall(text))
    caller = place = ""
    is_call = False
    for line in text.splitlines():
        if match := PTX_CALLER.match(line):
            caller, place = match.group(1), ""
        elif match := PTX_PLACE.match(line):
            place = f"{files.get(match.group(1), '?')}:{match.group(2)}"
        elif is_call:
            symbol = line.strip().rstrip(",;")
            # Ignore calls made by CUDA's own functions.
            if function_named(symbol) and not function_named(caller) and caller[:2] != "__":
                yield symbol, demangled(caller), place
        is_call = line.strip().startswith("call")


def demangled(name):
    return output_of("c++filt", name).strip() if shutil.which("c++filt") else name


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="objects (.o) or .ptx")
    parser.add_argument("--allow", nargs="*", default=[], metavar="NAME",
                        help="functions that are meant, as log for log and logf, or parts of the "
                             "names of files that may call any")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--objdump", default="objdump")
    arguments = parser.parse_args()
    found = 0
    for path in arguments.files:
        if any(name in path.name for name in arguments.allow if "." in name):
            continue
        calls = calls_in_ptx(path) if path.suffix == ".ptx" else calls_in_object(path, arguments)
        for symbol, caller, place in dict.fromkeys(calls):
            name = function_named(symbol)
            if name in arguments.allow:
                continue
            found += 1
            where = (f" at {place}" if place else "") + (f" in {caller}" if caller else "")
            hint = f"use {INSTEAD[name]}" if INSTEAD[name] else "tandem has no such function"
            print(f"{path.name}: {symbol} of the platform{where}: {hint}")
    if found:
        print(f"{found} calls whose bits depend on the platform (docs/numerics.md, Functions)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
