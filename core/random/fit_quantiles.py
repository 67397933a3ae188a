#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the rational functions and polynomials that random numbers use.

It writes quantile_coefficients.hpp and normal_cubics.hpp, and needs mpmath. Each function
interpolates at Chebyshev points, in 50 digits, and its coefficients are rounded to the type. With
--check it writes nothing, and the exit status says whether the headers are up to date.
"""

import argparse
import functools
import pathlib
import struct
import sys

import mpmath
from mpmath import mp, mpf

mp.dps = 50
FOLDER = pathlib.Path(__file__).parent
SPLIT = mpf("0.75")  # |x| below which x R(x^2) is used, above it a function of the tail
TAIL_FROM = mpf("1.25")  # below sqrt(-log2(1 - SPLIT)), which is sqrt(2)
CENTRE_DEGREES, TAIL_DEGREES, LOG_DEGREE = (7, 7), (12, 12), 8
ROWS_LOG2 = 3  # rows of normal_cubics per octave, as a power of two


def points(a, b, count):
    return [(a + b) / 2 + (b - a) / 2 * mpmath.cos(mpmath.pi * (2 * k + 1) / (2 * count))
            for k in range(count)]


@functools.lru_cache(None)
def two_sided(t):
    """Returns z > 0 with P(|Z| > z) = t for a normal Z."""
    z = mpmath.sqrt(max(-2 * mpmath.log(t), mpf(1) / 4))
    for _ in range(100):
        tail = mpmath.erfc(z / mpmath.sqrt(2))
        slope = -2 * mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi)
        step = mpmath.log(tail / t) * tail / slope
        z -= step
        if abs(step) < mpf(10) ** -45:
            break
    return z


def centre(below_split):
    v = SPLIT ** 2 - below_split
    if abs(v) < mpf(10) ** -45:
        return mpmath.sqrt(mpmath.pi / 2)
    x = mpmath.sqrt(v)
    return mpmath.sqrt(2) * mpmath.erfinv(x) / x


def tail(r):
    return two_sided(mpf(2) ** -((r + TAIL_FROM) ** 2))


def log2_over_f(f):
    return 1 / mpmath.log(2) if f == 0 else mpmath.log(1 + f, 2) / f


def log2_over_s(square):
    """Returns log2((1 + s) / (1 - s)) / s as a function of the square of s."""
    s = mpmath.sqrt(square)
    return 2 / mpmath.log(2) if s == 0 else mpmath.log((1 + s) / (1 - s), 2) / s


def fit(function, a, b, above, below):
    """Returns the coefficients of the numerator and of the denominator, whose constant is 1."""
    count = above + below + 1
    matrix, right = mpmath.matrix(count), mpmath.matrix(count, 1)
    for i, x in enumerate(points(a, b, count)):
        value = function(x)
        for k in range(above + 1):
            matrix[i, k] = x ** k
        for k in range(1, below + 1):
            matrix[i, above + k] = -value * x ** k
        right[i] = value
    solved = list(mpmath.lu_solve(matrix, right))
    return solved[:above + 1], [mpf(1)] + solved[above + 1:]


def rounded(value, name):
    as_double = float(value)
    if name == "double":
        return as_double
    return struct.unpack("f", struct.pack("f", as_double))[0]


def text(value, name):
    return rounded(value, name).hex().replace("0000000p", "p") + ("f" if name == "float" else "")


def line(name, what, values):
    """Returns a function of the type's struct: the polynomial, with a few coefficients per line."""
    texts = [text(value, name) for value in values]
    wide = 4 if name == "float" else 3
    rows = [", ".join(texts[k:k + wide]) for k in range(0, len(texts), wide)]
    arguments = ",\n                  ".join(rows)
    head = f"  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr {name} {what}({name} x)"
    return (f"{head} {{\n"
            f"    return polynomial(x, {arguments});\n  }}")


def worst(function, a, b, above, below, name):
    """Returns log2 of the largest relative error with rounded coefficients, evaluated exactly."""
    above = [mpf(rounded(c, name)) for c in reversed(above)]
    below = [mpf(rounded(c, name)) for c in reversed(below)]
    error = max(abs(mpmath.polyval(above, x) / mpmath.polyval(below, x) / function(x) - 1)
                for x in [a + (b - a) * mpf(k) / 200 for k in range(201)])
    return mpmath.nstr(mpmath.log(error, 2), 4)


def floats():
    low, high = 1 / mpmath.sqrt(2) - 1, mpmath.sqrt(2) - 1
    log_fit = fit(log2_over_f, low, high, LOG_DEGREE, 0)
    error = worst(log2_over_f, low, high, *log_fit, "float")
    return "\n".join([
        f"/// Relative error of log2, as a power of two: {error}.",
        "template <>", "struct quantile_coefficients<float> {",
        line("float", "log2_ratio", log_fit[0]), "};"])


def doubles():
    high = mpmath.sqrt(2) - 1
    middle = (mpf(0), SPLIT ** 2)
    far = (mpmath.sqrt(-mpmath.log(1 - SPLIT, 2)) - TAIL_FROM, mpmath.sqrt(64) - TAIL_FROM)
    span = (mpf(0), (high / (2 + high)) ** 2)
    centre_fit, tail_fit = fit(centre, *middle, *CENTRE_DEGREES), fit(tail, *far, *TAIL_DEGREES)
    log_fit = fit(log2_over_s, *span, LOG_DEGREE, 0)
    errors = [worst(centre, *middle, *centre_fit, "double"), worst(tail, *far, *tail_fit, "double"),
              worst(log2_over_s, *span, *log_fit, "double")]
    return "\n".join([
        f"/// Relative errors, as powers of two: centre {errors[0]}, tail {errors[1]}, log2"
        f" {errors[2]}.",
        "template <>", "struct quantile_coefficients<double> {",
        line("double", "centre_above", centre_fit[0]),
        line("double", "centre_below", centre_fit[1]),
        line("double", "tail_above", tail_fit[0]), line("double", "tail_below", tail_fit[1]),
        line("double", "log2_ratio", log_fit[0]), "};"])


def quantile_over_x(outside):
    """Returns z / x for P(|Z| < z) = x = 1 - outside, which may be below 0."""
    x = 1 - outside
    return two_sided(outside) / x if x > SPLIT else centre(SPLIT ** 2 - x * x)


def cubic(number):
    """Returns the coefficients for the floats whose bits begin with a row's number."""
    rows = 2 ** ROWS_LOG2
    begin = (1 + mpf(number % rows) / rows) * mpf(2) ** (number // rows - 127)
    width = mpf(2) ** (number // rows - 127) / rows
    if begin == 1:  # no q exceeds 1
        return [quantile_over_x(begin), 0, 0, 0]
    made = fit(lambda f: quantile_over_x(begin + f * width), 0, 1, 3, 0)[0]
    return [c / width ** k for k, c in enumerate(made)]


def cubics_header():
    first, last = (127 - 32) << ROWS_LOG2, 127 << ROWS_LOG2  # 2^-32 and 1
    rows = [", ".join(text(value, "float") for value in cubic(number))
            for number in range(first, last + 1)]
    return "\n".join([
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        "// Made by core/random/fit_quantiles.py.", "#pragma once", "",
        "#include <cstdint>", "", "// clang-format off",
        "namespace tandem::detail {", "",
        "/// Coefficients of a polynomial of degree 3, the constant one first.",
        "struct alignas(16) cubic {", "  float of[4];", "};", "",
        "/// The normal quantile of floats: z = x p(d) for P(|Z| < z) = x. The bits of q = 1 - x,",
        "/// from 2^-32 to 1, without the lower row_shift are first_row more than the number of",
        "/// p's row, and d is what the lower ones add.",
        "struct normal_cubics {",
        f"  static constexpr int row_shift = {23 - ROWS_LOG2};",
        f"  static constexpr std::uint32_t first_row = {first};",
        f"  static constexpr int count = {len(rows)};",
        "  cubic rows[count] = {",
        ",\n".join(f"    {{{{{row}}}}}" for row in rows),
        "  };", "};", "", "}  // namespace tandem::detail", ""])


def header():
    return "\n".join([
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        "// Made by core/random/fit_quantiles.py.", "#pragma once", "",
        "#include <tandem/core/numbers/fused.hpp>", "", "// clang-format off",
        "namespace tandem::detail {", "",
        "/// What quantiles.hpp computes the logarithm and the normal quantile of doubles from.",
        "///",
        "/// The quantile of a normal variable at (1 + x) / 2 is x R(c^2 - x^2) for |x| < c, where",
        "/// c is normal_split and R = centre_above / centre_below. Beyond, it is the quotient of",
        "/// the tail's polynomials in r = sqrt(-log2(1 - |x|)) - tail_from, with the sign of x.",
        "/// log2(1 + f) is f log2_ratio(f) for floats and s log2_ratio(s^2), s = f / (2 + f),",
        "/// for doubles, with 1 + f from sqrt(1/2) to sqrt(2).",
        "template <class T>", "struct quantile_coefficients;", "",
        f"inline constexpr double normal_split = {mpmath.nstr(SPLIT, 5)};",
        f"inline constexpr double tail_from = {mpmath.nstr(TAIL_FROM, 5)};", "",
        floats(), "", doubles(), "", "}  // namespace tandem::detail", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    made = {FOLDER / "quantile_coefficients.hpp": header(),
            FOLDER / "normal_cubics.hpp": cubics_header()}
    if parser.parse_args().check:
        return 0 if all(path.read_text(encoding="utf-8") == content
                        for path, content in made.items()) else 1
    for path, content in made.items():
        path.write_text(content, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
