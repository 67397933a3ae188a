# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's figures."""

import functools
import math

from . import advice, comparison, names, peers, targets
from .canvas import CHARACTER, Canvas, Scale, Series, panel, scale_of, size_labels

# (variant of the GPU's measurements, label, colour)
PLACES = (
    ("resident", "data on the GPU", "green"),
    ("pinned", "to the GPU and back, pinned arrays", "purple"),
    ("pageable", "to the GPU and back, ordinary arrays", "orange"),
)
# The operations of the first figure: one of each kind.
KINDS = {
    ("reduce", "sum", "f32"): "Sum of floats",
    ("histogram", "normal_150", "f32"): "Histogram of floats",
    ("sort", "sort", "u32"): "Sort of integers",
    ("matmul", "matmul", "f32"): "Product of squares",
}


def factor(value):
    return f"{value:g}x"


def is_square(measurement):
    return len(set(measurement.size.split("x"))) == 1


def does_the_gpu_pay(results):
    """[(title, figure)]: speed-ups of the GPU by size for an operation of each kind and each place
    of the data, with the sizes from which on it pays; empty without a GPU."""
    found = {
        case: {v: comparison.speedups(results, case, v) for v, *_ in PLACES} for case in KINDS
    }
    found = {case: by for case, by in found.items() if len(by["resident"]) > 1}
    speeds = [speed for by in found.values() for pairs in by.values() for _, speed in pairs]
    width, height, room, top = 290, 130, 38, 22
    panels = []
    for case, by_variant in found.items():
        canvas = Canvas(width, top + height + 66)
        canvas.text(room, 13, KINDS[case], "title")
        up = scale_of([1, *speeds], top + height, top)
        pay_panel(canvas, by_variant, up, room, width - 26)
        panels.append((KINDS[case], canvas.svg()))
    return panels


def axis_sizes(measured):
    """{elements: name} of lines and squares if there are any, without a size close to the next:
    10^6 beside 2^20."""
    square = [m for m in measured if is_square(m)] or measured
    found = {m.elements: names.size(m.size) for m in sorted(square, key=lambda m: m.elements)}
    following = [*list(found)[1:], math.inf]
    return {n: name for (n, name), after in zip(found.items(), following) if after > 1.1 * n}


def pay_panel(canvas, by_variant, up, left, right):
    """One operation: lines by place of the data, and in words from which size on each pays."""
    bottom = up.begin
    sizes = axis_sizes([m for pairs in by_variant.values() for m, _ in pairs])
    across = scale_of(sizes, left, right, 1.2)
    for value in up.ticks():
        canvas.line([(left, up(value)), (right, up(value))], "one" if value == 1 else "rule")
        canvas.text(left - 5, up(value) + 4, factor(value), "soft", "end")
    for x, text in size_labels(across, sizes):
        canvas.text(x, bottom + 16, text, "soft", "middle")
    for row, (variant, _, colour) in enumerate(PLACES):
        pairs = [(m, speed) for m, speed in by_variant[variant] if m.elements in sizes]
        points = [(across(m.elements), up(speed)) for m, speed in pairs]
        if points:
            canvas.line(points, colour)
            canvas.dots(points, colour)
            words = advice.place_of(by_variant[variant])[1]
            canvas.text(left, bottom + 34 + 13 * row, f"pays {words}", colour)


# The figure of the peers: the ratios at its ends, and its measures in pixels.
LEAST, MOST, BARS_WIDTH = 0.5, 8, 144
NAMES_WIDTH, BAR, ROW = 218, 9, 17
BAR_COLOURS = {"openmp": "blue", "cuda": "green"}


def is_loss(speed):
    """Whether a ratio is below 1 as it is printed."""
    return round(speed, 2) < 1


def bar_label(results, own, peer, speed, size):
    """The ratio, the peer and the share of the peak; the size if it is not the row's."""
    share = results.share(own)
    parts = [f"{names.factor(speed)} {peers.title(peer.backend, peer.implementation)}"]
    parts += [names.size(own.size)] if own.size != size else []
    return ", ".join([*parts, f"{share:.0%} of peak"] if share else parts)


def against_peers(results, titles, style=""):
    """tandem against the fastest peer of every operation on each side, as bars from the speed of
    the peer on; losses have a separate colour. `titles` are the sides' by backend."""
    by_side = {
        backend: {own.case: (own, peer, speed) for own, peer, speed in found}
        for backend in titles
        if (found := comparison.headline_against_peers(results, backend))
    }
    samples = {}
    for found in by_side.values():
        samples.update({case: own for case, (own, *_) in found.items() if case not in samples})
    cases = [case for case in results.cases() if case in samples]
    if not cases:
        return ""
    rows = [f"{names.short_case(samples[c])}, {names.size(samples[c].size)}" for c in cases]
    left, top = CHARACTER * max(map(len, rows)), 48
    canvas = Canvas(0, top + ROW * len(cases))
    for i, text in enumerate(rows):
        canvas.text(0, top + ROW * i + 10, text)
    for backend, found in by_side.items():
        scale = Scale(LEAST, MOST, left, left + BARS_WIDTH)
        labels = {c: bar_label(results, *one, samples[c].size) for c, one in found.items()}
        ratio_axis(canvas, scale, titles[backend], (0.5, 1, 2, 4, 8))
        left += CHARACTER * (len(titles[backend]) + 2)
        for i, case in enumerate(cases):
            if case in found:
                speed, y = found[case][2], top + ROW * i
                css = "red" if is_loss(speed) else BAR_COLOURS[backend]
                canvas.bar(scale(1), scale(speed), y + 2, BAR, css)
                text_at = max(scale(speed), scale(1)) + 4
                canvas.text(text_at, y + 10, labels[case], "red" if is_loss(speed) else "")
                left = max(left, text_at + CHARACTER * len(labels[case]))
    canvas.width = math.ceil(left)
    return canvas.svg(style)


def ratio_axis(canvas, scale, title, values):
    """The axis of ratios of a column, with a line at 1."""
    canvas.text(scale(values[0]), 13, title, "title")
    for value in values:
        x, css = scale(value), "one" if value == 1 else "rule"
        canvas.line([(x, 36), (x, canvas.height)], css)
        canvas.text(x, 30, factor(value), "soft", "middle")


def kernels(verdicts):
    """The bench of kernels as dots: the fastest hand-written version's time over tandem's, a column
    for each side and number of threads, a dot for each size, larger for larger sizes."""
    families = targets.families([v for v in verdicts if v.ratio])
    rows = list(dict.fromkeys(v.target.problem.split("/")[1] for f in families for v in f.verdicts))
    if not rows:
        return ""
    width, top = min(300, 900 // len(families)), 48
    canvas = Canvas(NAMES_WIDTH + 20 + width * len(families), top + ROW * len(rows) + 4)
    for i, name in enumerate(rows):
        canvas.text(0, top + ROW * i + 11, name.replace("_", " "))
    for column, family in enumerate(families):
        left = NAMES_WIDTH + 20 + column * width
        scale = Scale(0.5, 4, left, left + width - 40)
        ratio_axis(canvas, scale, family.heading, (0.5, 1, 2, 4))
        for i, name in enumerate(rows):
            mine = [v for v in family.verdicts if v.target.problem.split("/")[1] == name]
            for place, verdict in enumerate(mine):
                colour = "red" if verdict.met is False else BAR_COLOURS[verdict.target.backend]
                canvas.dots([(scale(verdict.ratio), top + ROW * i + 7)], f"d{place} {colour}")
    return canvas.svg()


def pays_from(results):
    """From which size on the GPU pays, for every operation and place of the data."""
    rows = comparison.crossovers(results)
    if not rows:
        return ""
    place_width, top = 290, 44
    canvas = Canvas(NAMES_WIDTH + 40 + place_width * len(PLACES), top + ROW * len(rows) + 4)
    sizes = [m.elements for _, by in rows for pairs in by.values() for m, _ in pairs]
    for i, (sample, _) in enumerate(rows):
        canvas.text(0, top + ROW * i + 11, names.short_case(sample))
    for column, (variant, label, colour) in enumerate(PLACES):
        left = NAMES_WIDTH + 40 + column * place_width
        scale = scale_of(sizes, left, left + place_width - 100)
        canvas.text(left, 13, label, "title")
        for i, (_, by_variant) in enumerate(rows):
            pays_row(canvas, scale, top + ROW * i + 7, by_variant[variant], colour)
    return canvas.svg()


def pays_row(canvas, scale, y, pairs, colour):
    """The measured sizes as a track, those at which the GPU pays in its colour, and in words."""
    if not pairs:
        return
    last = scale(pairs[-1][0].elements)
    canvas.line([(scale(pairs[0][0].elements), y), (last, y)], "track")
    if found := comparison.pays_from(pairs):
        begin = scale(found.elements)
        canvas.bar(begin, max(last, begin + 3), y - 2.5, 5, colour)
    canvas.text(scale.end + 8, y + 4, comparison.pays_in_words(pairs), colour if found else "soft")


# (backend, implementation, variant): colour, for the panels of an operation.
CPU_LINES = {
    ("serial", "tandem", "resident"): ("serial", "grey"),
    ("openmp", "tandem", "threads_1"): ("one thread", "purple"),
    ("openmp", "tandem", "resident"): ("all threads", "blue"),
}
GPU_LINES = {
    ("cuda", "tandem", "resident"): ("on the GPU", "green"),
    ("cuda", "tandem", "to_host"): ("result to host", "blue"),
    ("cuda", "tandem", "pinned"): ("pinned", "purple"),
    ("cuda", "tandem", "pageable"): ("ordinary arrays", "orange"),
    ("cuda", "tandem", "naive"): ("naive kernel", "grey"),
    ("cuda", "tandem", "tiled"): ("tiled kernel", "sky"),
}
BOTH_LINES = {
    ("openmp", "tandem", "resident"): ("CPU", "blue"),
    ("cuda", "tandem", "resident"): ("GPU", "green"),
}


def lines(results, case, sizes, candidates, value):
    """The series of candidates {key: (label, colour)} over the sizes of an axis."""
    found = []
    for key, (label, css) in candidates.items():
        measured = [results.by_key.get((case, size, key)) for size in results.sizes(case)]
        timed = [m for m in measured if m and m.seconds and m.elements in sizes]
        points = [(m.elements, value(m)) for m in timed if value(m)]
        found += [Series(label, css, points)] if points else []
    return found


def fastest_peers(results, case, sizes, backend):
    """The time of the fastest peer at each size on a side."""
    points = []
    for size in results.sizes(case):
        found = comparison.rivals(results, case, size, backend)
        if found and found[0].elements in sizes:
            points.append((found[0].elements, min(m.seconds for m in found)))
    return [Series("fastest peer", "red dashed", points)] if points else []


def ceilings(results, case, sizes):
    """The machine's measured peaks for a case, as lines."""
    found = []
    for backend, name in (("openmp", "CPU"), ("cuda", "GPU")):
        sample = next((m for m in results.all if m.case == case and m.backend == backend), None)
        peak = sample and case[0] != "transfer" and results.peak(sample)
        if peak:
            ends = [(min(sizes), peak), (max(sizes), peak)]
            label = f"{name}'s peak {names.rate_of(peak, sample)}"
            found.append(Series(label, f"{BAR_COLOURS[backend]} dotted", ends))
    return found


def of_case(results, case):
    """The panels of an operation: times on each side, speed-up and throughput; none for one
    size."""
    of_case = [m for m in results.all if m.case == case and m.seconds]
    sizes = axis_sizes(of_case)
    if len(sizes) < 2:
        return []
    panels = []
    for title, backend, candidates in (
        ("Time on the CPU", "openmp", CPU_LINES),
        ("Time on the GPU", "cuda", GPU_LINES),
    ):
        series = lines(results, case, sizes, candidates, lambda m: m.seconds)
        series += fastest_peers(results, case, sizes, backend)
        panels += [panel(title, series, sizes, names.seconds)] if series else []
    speeds = []
    for variant, _, css in PLACES if case[0] != "transfer" else ():
        pairs = comparison.speedups(results, case, variant)
        points = [(m.elements, speed) for m, speed in pairs if m.elements in sizes]
        label, _ = GPU_LINES["cuda", "tandem", variant]
        speeds += [Series(label, css, points)] if points else []
    if speeds:
        panels.append(panel("Speed-up of the GPU over the CPU", speeds, sizes, factor, one=True))
    rates = lines(results, case, sizes, BOTH_LINES, lambda m: m.rate)
    if rates:
        above = ceilings(results, case, sizes)
        rate = functools.partial(names.rate_of, measurement=of_case[0])
        panels.append(panel("Throughput", rates, sizes, rate, ceilings=above))
    return panels
