# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run says to somebody who asks: does the GPU pay for my sizes, and does tandem cost me
anything against what I use? In sentences, for the top of the report and the end of the console."""

import math

from . import comparison, names

# (variant of the GPU's measurements, place of the data)
PLACES = (
    ("resident", "data that is on the GPU already"),
    ("pinned", "data that comes from pinned arrays of the host and goes back"),
    ("pageable", "data that comes from ordinary arrays of the host and goes back"),
)
SIDES = (("openmp", "CPU"), ("cuda", "GPU"))


def joined(parts):
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def name_of(sample):
    return f"{names.short_name(sample)} ({sample.type})"


def names_of(samples):
    """Their names, with the types of each in one pair of brackets."""
    types = {}
    for sample in samples:
        types.setdefault(names.short_name(sample), []).append(sample.type)
    return [f"{name} ({', '.join(found)})" for name, found in types.items()]


def place_of(sample, pairs):
    """(sorting key, words) for the size from which on the GPU is faster, rounded up: to a power of
    ten for elements, to a power of two for the side of matrices."""
    crossing = comparison.crossover(pairs)
    if crossing is None:
        return (math.inf, "at no size")
    if crossing == pairs[0][0].elements:
        return (0, "at every size")
    if sample.case[:2] == ("matmul", "matmul"):
        side = 2 ** math.ceil(math.log2(crossing ** (1 / 3)))
        return (crossing, f"from {side}^3 on")
    decade = 10 ** math.ceil(math.log10(crossing))
    unit = "multiply-adds" if sample.flops else "elements"
    return (decade, f"from {names.amount(decade)} {unit} on")


def gains(results, variant):
    """[(in words from which size on the GPU is faster, the cases)], the best ones first."""
    found = {}
    for sample, by_variant in comparison.crossovers(results):
        if by_variant[variant]:
            found.setdefault(place_of(sample, by_variant[variant]), []).append(sample)
    return [(words, found[key, words]) for key, words in sorted(found)]


def about_the_gpu(results):
    """Sentences on when the GPU is faster than all threads of the CPU."""
    sentences = []
    for variant, place in PLACES:
        found = gains(results, variant)
        parts = []
        for words, samples in found:
            listed = joined(names_of(samples))
            if words == "at no size" and len(samples) > 4 and len(found) > 1:
                listed = f"the other {len(samples)} cases"
            parts.append(f"{words}: {listed}")
        if parts:
            sentences.append(f"With {place}, the GPU is faster {'; '.join(parts)}.")
    return sentences


def about_transfers(results):
    """A sentence on the speed of copies between the host and the GPU, of the largest ones."""
    parts = []
    for variant, arrays in (("pinned", "pinned arrays"), ("pageable", "ordinary arrays")):
        rates = []
        for way, words in (("to_device", "to the GPU"), ("to_host", "from it")):
            case = ("transfer", way, "f32")
            sizes = results.sizes(case)
            found = sizes and results.find(case, sizes[-1], "cuda", variant=variant)
            if found and not found.noisy:
                rates.append(f"{names.rate(found)} {words}")
        if rates:
            parts.append(f"with {arrays} at {joined(rates)}")
    return [f"Copies run {joined(parts)}."] if parts else []


def about_the_peers(results):
    """Sentences on tandem's speed against the fastest peer of each problem."""
    sentences = []
    for backend, side in SIDES:
        found = comparison.against_peers(results, backend)
        if not found:
            continue
        mean = comparison.geometric_mean([speed for *_, speed in found])
        own, peer, lowest = min(found, key=lambda one: one[2])
        sentences.append(
            f"On the {side}, tandem has {mean:.2f} times the speed of the fastest peer, in the "
            f"geometric mean of {len(found)} measurements; at the least {lowest:.2f} times, in "
            f"{name_of(own)} of {names.size(own.size)}, against {names.candidate(peer)}."
        )
    return sentences


def sentences(results):
    return about_the_gpu(results) + about_transfers(results) + about_the_peers(results)


def about_the_machine(results):
    """A warning if the machine was busy; empty if it was quiet."""
    measured = [m for m in results.all if m.seconds]
    noisy = [m for m in measured if m.noisy]
    if not noisy:
        return ""
    return (
        f"The machine was busy: repetitions of {len(noisy)} of {len(measured)} measurements differ "
        "by more than 30 %. They are marked, and no sentence here is drawn from them."
    )
