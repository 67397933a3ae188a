# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles the report's sections."""

from . import advice, agreement, cases, comparison, kernels, page

METHOD = """
<p>Every candidate's result is checked before it is timed: tandem's against its serial backend bit
for bit (against OpenMP where one thread would take minutes), a peer's to an error bound. Times are
medians of Google Benchmark's repetitions. The host's clock times the CPU, on data that its caches
may hold. Events on the device time the GPU, on data that rotates through at least 256&nbsp;MB, so
that its cache holds none of it. <em>With transfers</em> is timed by the host's clock and includes
allocation, the copies from and to pageable arrays on the host, and the work; <em>pinned</em> is
timed alike, with page-locked arrays. CPU and GPU process equal, seeded random data. Shares are of
this machine's measured peaks: multiply-adds, or the fastest of reads, updates, copies and triads.
NumPy, Numba, PyTorch and CuPy are measured after the programs, in a process of their own, on data
of the same sizes, types and distributions, and their results are checked against NumPy's in double
precision; on a GPU their time includes what Python takes to launch the work.
Where a CPU's caches may hold the data (<em>in cache</em>), no share is shown, since the memory does
not bound it. Serial products of matrices beyond 1024 x 1024 x 1024 are omitted, since they would
take minutes.</p>
<p><em>Serial</em> is tandem's backend of one thread, the plainest statement of every operation and
the reference of its bits; it is here so that the CPU's threads have a base. A time with <em>~</em>
was measured while the machine was busy: its repetitions differ by more than 30&nbsp;%.</p>
"""

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


def head(results, machine, rows):
    gpu = machine["gpus"][0]["name"] if machine["gpus"] and results.has_gpu() else ""
    title = (
        f"Speed-up of a GPU: {gpu} against {machine['threads']} CPU threads"
        if gpu
        else (f"tandem on {machine['threads']} CPU threads")
    )
    parts = [f"<h1>{page.escaped(title)}</h1>"]
    equal = [row["same_bits"] for row in rows if row["same_bits"] is not None]
    agree = f"{sum(equal)} of {len(equal)} comparisons between backends have equal bits"
    lead = f"One source, {len(rows)} cases; {agree}."
    if not results.has_gpu():
        lead += " No GPU was measured, so this report shows the CPU alone."
    if machine["quick"]:
        lead += " Quick run: small sizes, short measurements; a smoke test rather than a result."
    parts.append(f'<p class="lead">{page.escaped(lead)}</p>')
    return "".join(parts)


def advice_section(results, figures):
    """What the run says in words, and the chart of crossover sizes."""
    warning = advice.about_the_machine(results)
    parts = [f'<p class="warning">{page.escaped(warning)}</p>'] if warning else []
    sentences = advice.sentences(results)
    parts += [f"<p>{page.escaped(sentence)}</p>" for sentence in sentences]
    chart = figures.get("crossover")
    if not chart:
        return "".join(parts)
    words = "Sizes from which on the GPU is faster than the CPU, by operation and place of data"
    drawn = page.figure(chart, words, "narrow")
    return f'<div class="advice"><div>{"".join(parts)}</div>{drawn}</div>'


def algorithm_section(results, algorithm, figures):
    """The figures and the full table of each case of one algorithm."""
    parts = [page.heading(2, cases.HEADINGS.get(algorithm, algorithm))]
    for case in (case for case in results.cases() if case[0] == algorithm):
        sample = next(m for m in results.all if m.case == case)
        name = f"{cases.title(sample)}, {sample.type}"
        text = page.crossover_text(results, case)
        if text:
            parts.append(f"<p>{page.escaped(name)}. {page.escaped(text)}</p>")
        figure = figures.get(case)
        if figure:
            compared = "" if algorithm == "transfer" else ", speed-up"
            words = f"{name}: time{compared} and throughput by size"
            parts.append(page.figure(figure, words))
        table = page.candidates_table(results, case)
        parts.append(
            f"<details><summary>All figures: {page.escaped(name)}</summary>{table}</details>"
        )
    return "".join(parts)


def peers_section(results, verdicts):
    """tandem against each peer, by peer and by operation, and the report's targets."""
    parts = [page.peers_table(results)]
    for backend, side in advice.SIDES:
        table = page.operations_table(results, backend)
        if table:
            summary = f"<summary>By operation, {side}</summary>"
            parts.append(f"<details>{summary}{table}</details>")
    return "".join((*parts, page.targets_table(verdicts)))


def document(results, machine, verdicts, of_kernels, agreed, figures):
    """The whole page; figures is {"overview": svg, "crossover": svg, case: svg}, with None for
    empty figures."""
    rows = comparison.rows(results)
    crossovers = page.crossover_table(results)
    parts = {
        "Advice": advice_section(results, figures),
        "CPU and GPU" if results.has_gpu() else "CPU": page.comparison_table(
            comparison.headline(results), results.has_gpu()
        ),
        "Against the peers": peers_section(results, verdicts),
        agreement.HEADING: agreement.section(agreed),
        "Users' kernels": kernels.section(of_kernels),
        "From which size on the GPU is faster": crossovers
        and "<p>Number of elements (side length for matrix products) from which on the GPU is "
        "faster than all threads of the CPU, interpolated between the measured sizes.</p>"
        + crossovers,
    }
    if figures.get("overview"):
        shown = page.figure(figures["overview"], "Speed-ups of all cases", "narrow")
        parts["CPU and GPU" if results.has_gpu() else "CPU"] += shown
    algorithms = list(dict.fromkeys(case[0] for case in results.cases()))
    names = [cases.HEADINGS.get(algorithm, algorithm) for algorithm in algorithms]
    last = {
        "All sizes": page.comparison_table(rows, results.has_gpu()),
        "Machine": page.machine_list(machine)
        + f"<p>Measured peaks: {page.escaped(page.peaks_text(results))}.</p>",
        "How this was measured": METHOD,
    }
    parts = {heading: text for heading, text in parts.items() if text}
    body = [head(results, machine, rows), page.contents([*parts, *names, *last])]
    body += [page.heading(2, heading) + text for heading, text in parts.items()]
    body += [algorithm_section(results, algorithm, figures) for algorithm in algorithms]
    body += [page.heading(2, heading) + text for heading, text in last.items()]
    return PAGE.format(style=page.STYLE, body="".join(body))
