# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names, units and order in the report."""

from . import peers

TITLES = {
    ("increment", "line"): "Increment, 1D",
    ("increment", "plane"): "Increment, 2D",
    ("vector", "add"): "Vector add",
    ("vector", "multiply"): "Elementwise multiply",
    ("vector", "triad"): "Triad, z = x + s y",
    ("atomic", "counter"): "Atomic counter",
    ("reduce", "sum"): "Sum",
    ("reduce", "abs_sum"): "Sum of magnitudes",
    ("axis", "rows"): "Sums of rows",
    ("axis", "columns"): "Sums of columns",
    ("scan", "inclusive"): "Inclusive scan",
    ("histogram", "normal_150"): "Histogram, 150 bins over [-4, 4], normal",
    ("histogram", "uniform_256"): "Histogram, 256 bins, uniform",
    ("histogram", "normal_256"): "Histogram, 256 bins, normal",
    ("histogram", "all_equal_256"): "Histogram, 256 bins, all equal",
    ("sort", "sort"): "Sort",
    ("sort", "sort_by_key"): "Sort by key",
    ("sort", "copy_if"): "copy_if, half kept",
    ("sort", "unique"): "unique",
    ("matmul", "matmul"): "Matrix product",
    ("matmul", "batched"): "Batched matrix products",
    ("transfer", "to_device"): "Copy to the GPU",
    ("transfer", "to_host"): "Copy from the GPU",
}

# Names in sentences, for titles that have commas.
SHORT_NAMES = {
    ("increment", "line"): "increment in 1D",
    ("increment", "plane"): "increment in 2D",
    ("vector", "triad"): "triad",
    ("histogram", "normal_150"): "histogram of 150 bins",
    ("histogram", "uniform_256"): "histogram of 256 bins",
    ("histogram", "normal_256"): "histogram of 256 bins, normal",
    ("histogram", "all_equal_256"): "histogram of equal values",
    ("sort", "copy_if"): "copy_if",
}

# Names of functions, which have no capital.
AS_WRITTEN = ("copy_if", "unique")

# The order of the report, too.
HEADINGS = {
    "increment": "Increment",
    "vector": "Elementwise",
    "atomic": "Atomic counter",
    "reduce": "Sums",
    "axis": "Sums over an axis",
    "scan": "Inclusive scan",
    "histogram": "Histogram",
    "sort": "Sort and select",
    "matmul": "Matrix product",
    "transfer": "Transfers",
}

def title(measurement):
    return TITLES.get((measurement.algorithm, measurement.name), measurement.name)


def short_name(measurement):
    """A case in a sentence: "triad", "sum of magnitudes"."""
    known = title(measurement)
    return SHORT_NAMES.get(
        (measurement.algorithm, measurement.name), known[0].lower() + known[1:]
    )


def case(measurement):
    """A case with its type: "Triad, z = x + s y, f32"."""
    return f"{title(measurement)}, {measurement.type}"


def short_case(measurement):
    """A case with its type where there is little room: "Histogram of 150 bins, f32"."""
    name = short_name(measurement)
    return f"{name[0].upper() if name not in AS_WRITTEN else name[0]}{name[1:]}, {measurement.type}"


def candidate(measurement):
    return peers.candidate_title(*measurement.candidate)


def order(measurement):
    """Sorting key of cases: their order in the report."""
    algorithm = measurement.algorithm
    algorithms, cases = [*HEADINGS, algorithm], [*TITLES, (algorithm, measurement.name)]
    place = algorithms.index(algorithm), cases.index((algorithm, measurement.name))
    return (*place, measurement.type, measurement.elements)


def size(text):
    """2^27 rather than 134217728, 10^6 rather than 1000000, 4096^3 for a cube, 1024 of 128^3 for a
    batch of them."""
    if not text.isdigit():
        *batch, m, k, n = ["", *text.split("x")][-4:] if text.count("x") > 1 else ["", "", ""]
        if m and m == k == n:
            return f"{batch[0]} of {m}^3" if batch[0] else f"{m}^3"
        return " x ".join(text.split("x"))
    number = int(text)
    if number >= 1024 and number & (number - 1) == 0:
        return f"2^{number.bit_length() - 1}"
    zeros = len(text) - len(text.rstrip("0"))
    if zeros >= 3 and text == "1" + "0" * zeros:
        return f"10^{zeros}"
    return f"{number:,}".replace(",", " ")


def seconds(value):
    """A time with three digits and a unit."""
    if value is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            scaled = value / scale
            return f"{scaled:.3g} {unit}" if scaled < 1000 else f"{scaled:.0f} {unit}"
    return f"{value * 1e6:.2f} us"


def rate(measurement):
    """Bandwidth or arithmetic rate with three digits and a unit."""
    return rate_of(measurement.rate, measurement)


def rate_of(value, measurement):
    """A rate in the unit of a measurement."""
    return per_second(value, "FLOP/s" if measurement.flops else "B/s")


def per_second(value, unit):
    if value is None:
        return ""
    prefix, scale = ("T", 1e12) if value >= 1e12 else ("G", 1e9)
    return f"{value / scale:.3g} {prefix}{unit}"


def factor(value):
    if value is None:
        return ""
    digits = ".0f" if value >= 99.5 else ".2g" if value >= 9.95 else ".2f"
    return f"{value:{digits}}x"
