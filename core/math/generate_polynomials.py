#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates polynomials.hpp and inverse_pi.hpp of <tandem/core/math.hpp> (needs mpmath).

Each interpolates its function at Chebyshev points, in 80 digits, which is within a small factor of
the best polynomial of its degree; coefficients are then rounded to double. The comment above each
function states its largest error after that rounding, relative to the function that uses it.

    generate_polynomials.py            writes both files
    generate_polynomials.py --check    fails if one of them is out of date
"""

import pathlib
import sys

from mpmath import (asin, atan, cos, erf, erfc, exp, expm1, floor, frexp, ldexp, log, log1p, mp,
                    mpf, pi, sin, sqrt, taylor)

mp.dps = 80
FOLDER = pathlib.Path(__file__).parent


def taylor_safe(function, near_zero, limit=mpf(10)**-20):
    """Returns `function` with its value at 0 wherever it would divide by almost nothing."""
    return lambda x: near_zero if abs(x) < limit else function(x)


def interpolate(function, low, high, degree):
    """Returns the coefficients, constant first, of the polynomial through the Chebyshev points."""
    points = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * degree + 2))
              for i in range(degree + 1)]
    table = [function(x) for x in points]
    for level in range(1, degree + 1):
        for i in range(degree, level - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (points[i] - points[i - level])
    coefficients = [table[degree]]
    for i in range(degree - 1, -1, -1):
        shifted = [mpf(0)] + coefficients
        for j, value in enumerate(coefficients):
            shifted[j] -= points[i] * value
        shifted[0] += table[i]
        coefficients = shifted
    return coefficients


def value_at(coefficients, x):
    result = mpf(0)
    for coefficient in reversed(coefficients):
        result = result * x + coefficient
    return result


def hexadecimal(value):
    return float(value).hex().replace("0x1.0000000000000p", "0x1p")


def scaled_erfc(u):
    """Returns (x + 3) exp(x^2) erfc(x) for u = (x - 3) / (x + 3)."""
    x = 3 * (1 + u) / (1 - u)
    return (x + 3) * exp(x * x) * erfc(x)


# (name, description, function, interval, degree, `weight(x)` that scales an error)
HALF_LN2 = log(2) / 2 * mpf("1.0001")
SQUARE = (sqrt(2) - 1)**2 * mpf("1.0001")
ERFC_TERMS = taylor(scaled_erfc, 0, 3)  # error_function.hpp has each in two parts
FITS = [
    ("exp_tail", "(exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2",
     taylor_safe(lambda r: (expm1(r) - r) / r**2, mpf(1) / 2), -HALF_LN2, HALF_LN2, 10,
     lambda r: r**2 / exp(r)),
    ("exp_quotient", "(exp(r) - 1) / r for |r| <= ln(2) / 2",
     taylor_safe(lambda r: expm1(r) / r, mpf(1)), -HALF_LN2, HALF_LN2, 10, lambda r: r / exp(r)),
    ("exp2_tail", "(2^r - 1) / r for |r| <= 1/2",
     taylor_safe(lambda r: expm1(r * log(2)) / r, log(2)), -mpf(1) / 2, mpf(1) / 2, 11,
     lambda r: r / exp(r * log(2))),
    ("log_tail", "(log((1 + s) / (1 - s)) / s - 2) / z, z = s^2, for |s| <= 3 - sqrt(8)",
     taylor_safe(lambda z: (log1p(2 * sqrt(z) / (1 - sqrt(z))) / sqrt(z) - 2) / z, mpf(2) / 3,
                 mpf(10)**-16),
     mpf(0), (3 - sqrt(8))**2 * mpf("1.001"), 7, lambda z: z / 2),
    ("sin_pi", "sin(pi f) / f, u = f^2, for |f| <= 1/2",
     taylor_safe(lambda u: sin(pi * sqrt(u)) / sqrt(u), pi), mpf(0), mpf("0.2501"), 9,
     lambda u: 1 / pi),
    ("sin_tail", "(sin(r) - r) / r^3, u = r^2, for |r| <= pi/4",
     taylor_safe(lambda u: (sin(sqrt(u)) - sqrt(u)) / sqrt(u)**3, -mpf(1) / 6), mpf(0),
     (pi / 4)**2 * mpf("1.001"), 6, lambda u: u),
    ("cos_tail", "(cos(r) - 1 + r^2 / 2) / r^4, u = r^2, for |r| <= pi/4",
     taylor_safe(lambda u: (cos(sqrt(u)) - 1 + u / 2) / u**2, mpf(1) / 24), mpf(0),
     (pi / 4)**2 * mpf("1.001"), 6, lambda u: u**2),
    ("atan_tail", "(atan(t) - t) / t^3, u = t^2, for |t| <= sqrt(2) - 1",
     taylor_safe(lambda u: (atan(sqrt(u)) - sqrt(u)) / sqrt(u)**3, -mpf(1) / 3), mpf(0), SQUARE,
     14, lambda u: u),
    ("asin_tail", "(asin(t) - t) / t^3, u = t^2, for |t| <= 1/2",
     taylor_safe(lambda u: (asin(sqrt(u)) - sqrt(u)) / sqrt(u)**3, mpf(1) / 6), mpf(0),
     mpf("0.2501"), 14, lambda u: u),
    ("log_tail_from_z3", "(log((1 + s) / (1 - s)) / s - 2 - 2/3 z - 2/5 z^2) / z^3, z = s^2",
     taylor_safe(lambda z: ((log1p(2 * sqrt(z) / (1 - sqrt(z))) / sqrt(z) - 2) / z - mpf(2) / 3
                            - 2 * z / 5) / z**2, mpf(2) / 7, mpf(10)**-16),
     mpf(0), (3 - sqrt(8))**2 * mpf("1.001"), 6, lambda z: z**3 / 2),
    ("exp_tail_from_r3", "(exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= ln(2) / 2",
     taylor_safe(lambda r: (expm1(r) - r - r**2 / 2) / r**3, mpf(1) / 6), -HALF_LN2, HALF_LN2, 10,
     lambda r: r**3 / exp(r)),
    ("erf_quotient", "erf(x) / x - 1, u = x^2, for |x| <= 1",
     taylor_safe(lambda u: erf(sqrt(u)) / sqrt(u) - 1, 2 / sqrt(pi) - 1), mpf(0), mpf("1.001"), 14,
     lambda u: mpf(1)),
    ("erfc_tail_from_u4",
     "((x + 3) exp(x^2) erfc(x) - its Taylor polynomial of degree 3 in u) / u^4 for\n"
     "/// u = (x - 3) / (x + 3) and 1/2 <= x <= 27.5",
     lambda u: (scaled_erfc(u) - value_at(ERFC_TERMS, u)) / u**4, mpf(-5) / 7 - mpf("0.0001"),
     mpf("0.8034"), 20, lambda u: u**4 / scaled_erfc(u)),
]


def function_text(name, meaning, function, low, high, degree, weight):
    coefficients = interpolate(function, low, high, degree)
    coefficients = [mpf(float(value)) for value in coefficients]
    error = max(abs((value_at(coefficients, x) - function(x)) * weight(x))
                for x in [low + (high - low) * i / 500 for i in range(501)])
    bits = int(floor(log(error, 2)) + 1) if error else -200
    print(f"{name}: 2^{float(log(error, 2)):.2f}", file=sys.stderr)
    values = [hexadecimal(value) for value in coefficients]
    lines, line = [], "  return A::polynomial("
    indent = " " * len(line)
    line += "x"
    for value in values:
        if len(line) + len(value) + 4 > 100:
            lines.append(line + ",")
            line = indent + value
        else:
            line += ", " + value
    lines.append(line + ");")
    body = "\n".join(lines)
    return (f"/// {meaning}.\n/// Its error in the function that it serves is below 2^{bits}.\n"
            "template <class A>\n[[gnu::always_inline]] TANDEM_FUNCTION constexpr double "
            f"{name}(double x) {{\n"
            f"{body}\n}}\n")


def cut(value, bits):
    """Returns `value` rounded to `bits` significant bits."""
    fraction, exponent = frexp(value)
    return ldexp(floor(ldexp(fraction, bits) + mpf(1) / 2), exponent - bits)


def multiples_text():
    """Returns 2^(e - 150) / pi modulo 2 in parts; the first two times 24 bits are exact."""
    columns = [[], [], []]
    for exponent in range(255):
        value = ldexp(1 / pi, exponent - 150)
        value -= 2 * floor(value / 2 + mpf(1) / 2)
        high = cut(value, 29)
        middle = cut(value - high, 29)
        for column, part in zip(columns, (high, middle, value - high - middle)):
            column.append(hexadecimal(part))
    values = [value for column in columns for value in [*column, "0"]]
    body = ",\n".join("    " + ", ".join(values[i:i + 3])
                       for i in range(0, len(values), 3))
    return ("/// 2^(e - 150) / pi modulo 2 for the biased exponents e of floats, in three parts"
            " that are 256\n/// elements apart: the first two have at most 29 bits, so that their"
            " products with the 24 of a\n/// float are exact.\n"
            "struct multiples_of_inverse_pi {\n  double parts[768] = {\n"
            f"{body}\n  }};\n}};\n")


def text():
    functions = "\n".join(function_text(*fit) for fit in FITS)
    return f"""// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Made by generate_polynomials.py; change that script, not this file.
#pragma once

#include <tandem/config.hpp>

// `A` says how a polynomial is evaluated (arithmetic.hpp).

namespace tandem::detail::math {{

// clang-format off
{functions}
// clang-format on
}}  // namespace tandem::detail::math
"""


def table_text():
    return f"""// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Made by generate_polynomials.py; change that script, not this file.
#pragma once

namespace tandem::detail::math {{

// clang-format off
{multiples_text()}
// clang-format on
}}  // namespace tandem::detail::math
"""


def main():
    stale = 0
    for name, made in (("polynomials.hpp", text()), ("inverse_pi.hpp", table_text())):
        target = FOLDER / name
        if "--check" not in sys.argv:
            target.write_text(made, encoding="utf-8")
        elif target.read_text(encoding="utf-8") != made:
            print(f"{target} is not what {pathlib.Path(__file__).name} makes")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
