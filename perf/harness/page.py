# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles report.html, which is one file without scripts or external resources."""

import pathlib

from . import advice, agreement, comparison, names, report_tables, targets, verdicts
from .table import escaped

STYLE = (pathlib.Path(__file__).parent / "style.css").read_text()
COLOURS = STYLE[: STYLE.index("* {")]
NO_TARGETS = "A quick run measures sizes that no target names."

METHOD = """
<p>Every candidate's result is checked before it is timed: tandem's against its serial backend bit
for bit (against OpenMP if one thread would take minutes), a peer's to an error bound. Times are
medians of three to five turns. The host's clock times the CPU, on data that its caches may hold.
Events on the device time the GPU, on data that rotates through at least 256&nbsp;MB, so
that its cache holds none of it. <em>With transfers</em> is timed by the host's clock and includes
allocation, the copies from and to pageable arrays on the host, and the work; <em>pinned</em> is
timed alike, with page-locked arrays. CPU and GPU process equal, seeded random data. Shares are of
this machine's measured peaks: multiply-adds, or the fastest of reads, updates, copies and triads.
NumPy, Numba, PyTorch and CuPy are measured after the programs, in a separate process, on data
of the same sizes, types and distributions, and their results are checked against NumPy's in double
precision; on a GPU their time includes what Python takes to launch the work.
If a CPU's caches may hold the data (<em>in cache</em>), no share is shown, since the memory does
not bound it. Serial products of matrices beyond 1024 x 1024 x 1024 are omitted, since they would
take minutes.</p>
<p><em>Serial</em> is tandem's backend of one thread, the plainest statement of every operation and
the reference of its bits; it is here so that the CPU's threads have a base. A time with <em>~</em>
was measured while the machine was busy: its repetitions differ by more than 30&nbsp;%.</p>
"""
KERNELS = (
    "Each kernel is written once with tandem and once by hand for OpenMP and for CUDA, with the "
    "same arithmetic. The two versions take turns in one process, on the same arrays, and their "
    "results are compared before they are timed. The ratio is the hand-written version's time over "
    "tandem's."
)

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tandem: performance</title>
<style>{style}</style>
</head>
<body>{body}</body>
</html>
"""


def paragraph(text, css=""):
    return f'<p class="{css}">{escaped(text)}</p>' if css else f"<p>{escaped(text)}</p>"


def details(summary, content):
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def anchor(text):
    """The id of a heading."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def heading(text):
    return f'<h2 id="{anchor(text)}">{escaped(text)}</h2>'


def contents(headings):
    """Links to the page's sections."""
    links = "".join(f'<li><a href="#{anchor(h)}">{escaped(h)}</a></li>' for h in headings)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def figure(svg, words, css=""):
    """A figure with what it shows in words, for readers who do not see it."""
    described = svg.replace("<svg ", f'<svg role="img" aria-label="{escaped(words)}" ', 1)
    return f'<figure class="{css}">{described}</figure>' if css else f"<figure>{described}</figure>"


def crossover_text(results, case):
    """Sizes from which on the GPU is faster, in words; empty if it was not measured."""
    parts = []
    unit = "products" if case[0] == "matmul" else "elements"
    for variant, words in (
        ("resident", "with resident data"),
        ("to_host", "with the result on the host"),
        ("pinned", "with pinned transfers"),
        ("pageable", "with transfers"),
    ):
        pairs = comparison.speedups(results, case, variant)
        if not pairs:
            continue
        crossing = comparison.crossover(pairs)
        if crossing is None:
            parts.append(f"{words}, not at the largest size")
        elif crossing == pairs[0][0].elements:
            parts.append(f"{words}, at every size measured")
        else:
            parts.append(f"{words}, from about {names.amount(crossing)} {unit} on")
    return f"The GPU is faster than the CPU: {'; '.join(parts)}." if parts else ""


def machine_list(machine):
    build = machine["build"]
    gpus = [f"{g['name']}, {g['memory']}, driver {g['driver']}" for g in machine["gpus"]]
    cuda = build.get("cuda_compiler") and f"nvcc {build['cuda_compiler']}"
    kernels = machine["openblas_kernels"]
    lines = {
        "Processor": f"{machine['processor']}, {machine['threads']} threads",
        "GPU": "; ".join(gpus) or "none",
        "System": f"{machine['system']}, kernel {machine['kernel']}",
        "Compilers": ", ".join(filter(None, (build.get("compiler"), cuda))),
        "OpenBLAS": kernels and f"{kernels} kernels",
        "Peers": machine.get("peers", ""),
        "Flags": build.get("flags", ""),
        "CUDA flags": build.get("cuda_flags", ""),
        "Commit": machine["commit"],
        "Date": machine["date"],
    }
    shown = (f"<dt>{escaped(k)}</dt><dd>{escaped(v)}</dd>" for k, v in lines.items() if v)
    return f"<dl>{''.join(shown)}</dl>"


def peaks_text(results):
    """The machine's measured peaks in words."""
    parts = []
    for side, name in (("openmp", "CPU"), ("cuda", "GPU")):
        for kind, value in sorted(results.peaks.get(side, {}).items()):
            unit = "FLOP/s" if kind.startswith("fma") else "B/s"
            parts.append(f"{name} {kind.replace('_', ' ')} {names.per_second(value, unit)}")
    return f"Measured peaks: {', '.join(parts) or 'none in this run'}."


def head(results, machine, rows):
    gpu = machine["gpus"][0]["name"] if machine["gpus"] and results.has_gpu() else ""
    threads = f"{machine['threads']} CPU threads"
    title = f"Speed-up of a GPU: {gpu} against {threads}" if gpu else f"tandem on {threads}"
    equal = [row["same_bits"] for row in rows if row["same_bits"] is not None]
    agree = f"{sum(equal)} of {len(equal)} comparisons between backends have equal bits"
    lead = f"One source, {len(rows)} cases; {agree}."
    if not results.has_gpu():
        lead += " No GPU was measured, so this report shows the CPU alone."
    if machine["quick"]:
        lead += " Quick run: small sizes, short measurements; a smoke test rather than a result."
    return f"<h1>{escaped(title)}</h1>{paragraph(lead, 'lead')}"


def advice_section(results, figures):
    """What the run says in words, and the chart of crossover sizes."""
    warning = advice.about_the_machine(results)
    parts = [paragraph(warning, "warning")] if warning else []
    parts += map(paragraph, advice.sentences(results))
    chart = figures.get("crossover")
    if not chart:
        return "".join(parts)
    words = "Sizes from which on the GPU is faster than the CPU, by operation and place of data"
    drawn = figure(chart, words, "narrow")
    return f'<div class="advice"><div>{"".join(parts)}</div>{drawn}</div>'


def algorithm_section(results, algorithm, figures):
    """The figures and the full table of each case of one algorithm."""
    parts = [heading(names.HEADINGS.get(algorithm, algorithm))]
    for case in (case for case in results.cases() if case[0] == algorithm):
        name = names.case(next(m for m in results.all if m.case == case))
        text = crossover_text(results, case)
        if text:
            parts.append(paragraph(f"{name}. {text}"))
        if figures.get(case):
            compared = "" if algorithm == "transfer" else ", speed-up"
            words = f"{name}: time{compared} and throughput by size"
            parts.append(figure(figures[case], words))
        table = report_tables.candidates_table(results, case).html()
        parts.append(details(f"All figures: {name}", table))
    return "".join(parts)


def peers_section(results, judged):
    """tandem against each peer, by peer and by operation, and the report's targets."""
    parts = [report_tables.peers_table(results).html()]
    for backend, side in advice.SIDES:
        table = report_tables.operations_table(results, backend).html()
        parts += [details(f"By operation, {side}", table)] if table else []
    parts.append(verdicts.report_table(judged).html() if judged else paragraph(NO_TARGETS))
    return "".join(parts)


def kernels_section(of_kernels):
    """The bench of kernels; empty if no kernel was measured."""
    families = verdicts.kernel_families(of_kernels)
    least = verdicts.LEAST_MEAN_OF_KERNELS
    means = [
        f"{one.heading} {one.mean:.3f}" + ("" if one.mean_met else f" (below {least:.2f})")
        for one in families
        if one.mean
    ]
    said = f" Geometric means of the ratios: {', '.join(means)}." if means else ""
    parts = [paragraph(KERNELS + said)] if families else []
    for one in families:
        table = verdicts.rows_table(one.verdicts, "kernels").html()
        parts.append(f"<h3>{escaped(one.heading)}</h3>{table}")
    return "".join(parts)


def first_sections(results, judged, of_kernels, agreed, figures):
    """The sections above those of the algorithms, by heading."""
    sides = "CPU and GPU" if results.has_gpu() else "CPU"
    overview = figures.get("overview")
    crossovers = report_tables.crossover_table(results).html()
    return {
        "Advice": advice_section(results, figures),
        sides: report_tables.comparison_table(
            comparison.headline(results), results.has_gpu()
        ).html()
        + (figure(overview, "Speed-ups of all cases", "narrow") if overview else ""),
        "Against the peers": peers_section(results, judged),
        agreement.HEADING: agreement.section(agreed),
        "Users' kernels": kernels_section(of_kernels),
        "From which size on the GPU is faster": crossovers
        and "<p>Number of elements (side length for matrix products) from which on the GPU is "
        "faster than all threads of the CPU, interpolated between the measured sizes.</p>"
        + crossovers,
    }


def document(results, machine, judged, of_kernels, agreed, figures):
    """The whole page; figures is {"overview": svg, "crossover": svg, case: svg}, with None for
    empty figures."""
    rows = comparison.rows(results)
    first = first_sections(results, judged, of_kernels, agreed, figures)
    first = {name: text for name, text in first.items() if text}
    algorithms = list(dict.fromkeys(case[0] for case in results.cases()))
    last = {
        "All sizes": report_tables.comparison_table(rows, results.has_gpu()).html(),
        "Machine": machine_list(machine) + paragraph(peaks_text(results)),
        "How this was measured": METHOD,
    }
    titles = [names.HEADINGS.get(algorithm, algorithm) for algorithm in algorithms]
    body = [head(results, machine, rows), contents([*first, *titles, *last])]
    body += [heading(name) + text for name, text in first.items()]
    body += [algorithm_section(results, algorithm, figures) for algorithm in algorithms]
    body += [heading(name) + text for name, text in last.items()]
    return PAGE.format(style=STYLE, body="".join(body))
