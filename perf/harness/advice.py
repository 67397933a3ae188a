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
NO_ONE_THREAD = (
    "The speed-up by threads is missing: this run did not measure OpenMP on one thread, its base."
)


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


def place_of(pairs):
    """(sorting key, words) for the size from which on the GPU is faster."""
    found, words = comparison.pays_from(pairs), comparison.pays_in_words(pairs)
    if found is None:
        return (math.inf, f"at {words}")
    if found is pairs[0][0]:
        return (0, f"at {words}")
    return (found.elements, f"from {words} on")


def gains(results, variant):
    """[(in words from which size on the GPU is faster, the cases)], the best ones first."""
    found = {}
    for sample, by_variant in comparison.crossovers(results):
        if by_variant[variant]:
            found.setdefault(place_of(by_variant[variant]), []).append(sample)
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


def where_the_gpu_wins(rows, key):
    """(cases, those in which the GPU is faster, the speed-ups) of rows with a speed-up."""
    found = [(row["sample"], row[key]) for row in rows if row[key]]
    return len(found), [own for own, speed in found if speed >= 1], [speed for _, speed in found]


def does_the_gpu_pay(results):
    """A sentence on the GPU at the largest sizes, with the data there and with transfers."""
    rows = comparison.headline(results)
    all_cases, won, speeds = where_the_gpu_wins(rows, "gpu_over_cpu")
    if not all_cases:
        return []
    said = (
        f"At the largest sizes, with data on the GPU, it is faster than the CPU in {len(won)} of "
        f"{all_cases} cases, {names.factor(min(speeds))} to {names.factor(max(speeds))}"
    )
    all_cases, won, _ = where_the_gpu_wins(rows, "transfers_over_cpu")
    if all_cases:
        listed = f", {joined(names_of(won))}" if won and len(won) < all_cases else ""
        said += f"; with transfers of ordinary arrays in {len(won)} of {all_cases}{listed}"
    return [said + "."]


def headline(results):
    """The run in three sentences: the GPU against the CPU, and tandem against its peers on both."""
    return does_the_gpu_pay(results) + about_the_peers(results)


def about_the_machine(results):
    """A warning if the machine was busy; empty if it was quiet."""
    measured = [m for m in results.all if m.seconds]
    noisy = [m for m in measured if m.noisy]
    if not noisy:
        return ""
    return (
        f"The machine was busy: repetitions of {len(noisy)} of {len(measured)} measurements differ "
        "by more than 30 %. They are marked, and no headline or verdict is drawn from "
        "them."
    )
