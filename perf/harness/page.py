# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles report.html, one file without external resources: what a run says on its first screen,
and everything else folded. Its script only selects rows and columns of one table."""

import pathlib
import re

from . import advice, agreement, comparison, figures, names, report_tables, targets, verdicts
from .table import escaped

FOLDER = pathlib.Path(__file__).parent
STYLE = (FOLDER / "style.css").read_text()
SCRIPT = (FOLDER / "selector.js").read_text()
# The part of the style sheet that figures need in a file outside the page.
FIGURE_STYLE = STYLE[STYLE.index(":root") : STYLE.index("* {")]
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
<p>The GPU is compared with the CPU's fastest of all threads, OpenMP on one thread and tandem's
serial backend; one thread is faster if threads only contend, as for the atomic counter. The
speed-up by threads is over OpenMP on one thread; a run without that figure shows none.
<em>Serial</em> is the plainest statement of every operation and the reference of its bits. A time
with <em>~</em> was measured while the machine was busy, since its repetitions differ by more than
30&nbsp;%: nothing on the first screen, no mean and no verdict is drawn from it.</p>
"""
SCALE = (
    "Each operation runs on all GPUs of the machine, on parts of one and on a group of one, in "
    "turns with one GPU; the ratio is the time of one GPU over that of the group. Operands of the "
    "host pass through a budget of 384 MiB per GPU, in turns with copies over the link alone and "
    "with hand-written loops over chunks. Bits of all results are those of one GPU."
)
KERNELS = (
    "Each kernel is written once with tandem and by hand for OpenMP and for CUDA, with the same "
    "arithmetic: plainly and, if that may be faster, tuned as well. The versions take turns in one "
    "process, on the same arrays, and their results are compared before they are timed. The ratio "
    "is the time of the fastest hand-written version over tandem's; a dot for each size, larger "
    "for larger ones, red if the row is missed."
)

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta property="og:type" content="article">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{description}">
<meta name="description" content="{description}">
<style>{style}</style>
</head>
<body>{body}<script>{script}</script></body>
</html>
"""
SELECTOR = """<p class="select" hidden>
<label>Size <select><option value="largest">largest of each</option>
<option value="all">all</option></select></label>
<label>Data <select><option value="all">all places</option><option value="gpu">on the GPU</option>
<option value="pinned">pinned arrays</option>
<option value="transfers">ordinary arrays</option></select></label></p>"""


def paragraph(text, css=""):
    return f'<p class="{css}">{escaped(text)}</p>' if css else f"<p>{escaped(text)}</p>"


def details(summary, content):
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def anchor(text):
    """The id of a heading."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def section(title, content):
    """A folded section, whose heading can be linked."""
    named = f'<details id="{anchor(title)}"><summary><h2>{escaped(title)}</h2></summary>'
    return f"{named}{content}</details>" if content else ""


def headed(title, content):
    """A part of the first screen under its heading; empty without content."""
    return f"<div><h2>{escaped(title)}</h2>{content}</div>" if content else ""


def figure(svg, words):
    """A figure with what it shows in words, for readers who do not see it; empty without one."""
    described = svg.replace("<svg ", f'<svg role="img" aria-label="{escaped(words)}" ', 1)
    return f"<figure>{described}</figure>" if svg else ""


def processor_of(machine):
    """The threads that were measured: "14 threads of Intel Xeon"."""
    name = " ".join(re.sub(r"\(.*?\)|Processor$|CPU", "", machine["processor"]).split())
    return f"{machine['threads']} threads of {name}"


def gpu_of(results, machine):
    return machine["gpus"][0]["name"] if machine["gpus"] and results.has_gpu() else ""


def machine_of(results, machine):
    """What was measured, for titles."""
    return " and ".join(filter(None, (gpu_of(results, machine), processor_of(machine))))


def peers_figure(results, machine, style=""):
    """tandem against the fastest peers, on the sides that were measured."""
    titles = {"openmp": f"CPU, {processor_of(machine)}"}
    if gpu := gpu_of(results, machine):
        titles["cuda"] = f"GPU, {gpu}"
    return figures.against_peers(results, titles, style)


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
    equal = [row["same_bits"] for row in rows if row["same_bits"] is not None]
    commit = machine["commit"].partition(";")[0]
    lead = f"{machine['date'][:10]}, commit {commit}. "
    lead += f"{sum(equal)} of {len(equal)} comparisons between backends have equal bits."
    if not results.has_gpu():
        lead += " No GPU was measured, so this report shows the CPU alone."
    if machine["quick"]:
        lead += " Quick run: small sizes, short measurements; a smoke test rather than a result."
    title = f"tandem on {machine_of(results, machine)}"
    return f"<h1>{escaped(title)}</h1>{paragraph(lead, 'lead')}"


def first_screen(results, machine, agreed):
    """Sentences, the two pictures and the table of different results. Without a GPU there is one
    picture."""
    warning = advice.about_the_machine(results)
    parts = [*map(paragraph, advice.headline(results))]
    parts += [paragraph(warning, "warning")] if warning else []
    pays = [
        figure(svg, f"{title}: speed-up of the GPU over the CPU by size and place of the data")
        for title, svg in figures.does_the_gpu_pay(results)
    ]
    legend = " ".join(f'<b class="{css}">{label}</b>' for _, label, css in figures.PLACES)
    pays = pays and f'<p class="legend">{legend}</p><div class="panels">{"".join(pays)}</div>'
    pictures = [headed(PAYS, pays)] if pays else []
    pictures.append(headed(PEERS, figure(peers_figure(results, machine), PEERS)))
    table = headed(agreement.HEADING, agreement.section(agreed))
    parts.append(f'<div class="first">{pictures[0]}{table}</div>')
    return "".join(parts + pictures[1:])


PAYS = "Does the GPU pay? Its speed over the CPU's"
PEERS = "tandem's speed over the fastest peer's"


def pays_section(results):
    """From which size on the GPU is faster: in words, as a figure and as a table."""
    words = "From which size on the GPU is faster, by operation and place of the data"
    parts = [*map(paragraph, advice.about_the_gpu(results) + advice.about_transfers(results))]
    parts.append(figure(figures.pays_from(results), words))
    if table := report_tables.crossover_table(results).html():
        parts.append(
            "<p>The smallest measured size from which on the GPU is faster than the CPU at every "
            f"size.</p>{table}"
        )
    return "".join(parts) if figures.pays_from(results) else ""


def algorithm_section(results, algorithm):
    """The figures and the table of each case of one algorithm."""
    parts = []
    for case in (case for case in results.cases() if case[0] == algorithm):
        name = names.case(next(m for m in results.all if m.case == case))
        panels = [figure(svg, f"{name} by size") for svg in figures.of_case(results, case)]
        table = report_tables.candidates_table(results, case).html()
        parts.append(f"<h3>{escaped(name)}</h3>{paragraph(pays_text(results, case))}")
        parts.append(f'<div class="panels">{"".join(panels)}</div>{details("All times", table)}')
    return "".join(parts)


def pays_text(results, case):
    """Sizes from which on the GPU is faster, in words; empty if it was not measured."""
    parts = []
    for variant, words in (
        ("resident", "with data on the GPU"),
        ("to_host", "with the result on the host"),
        ("pinned", "with pinned arrays"),
        ("pageable", "with ordinary arrays"),
    ):
        if pairs := comparison.speedups(results, case, variant):
            parts.append(f"{words} {advice.place_of(pairs)[1]}")
    return f"The GPU is faster than the CPU: {'; '.join(parts)}." if parts else ""


def peers_section(results, judged):
    """The report's targets, and tandem against each peer, by peer and by operation."""
    parts = [verdicts.report_table(judged).html() if judged else paragraph(NO_TARGETS)]
    parts.append(report_tables.peers_table(results).html())
    for backend, side in advice.SIDES:
        table = report_tables.operations_table(results, backend).html()
        parts += [details(f"By operation, {side}", table)] if table else []
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
    words = "Speed over the hand-written kernel's, by kernel, side and size"
    parts = [paragraph(KERNELS + said), figure(figures.kernels(of_kernels), words)]
    for one in families:
        table = verdicts.rows_table(one.verdicts, "kernels").html()
        parts.append(details(f"All times, {one.heading}", table))
    return "".join(parts) if families else ""


def scale_section(scaled):
    """Several GPUs and operands of the host; empty if neither was measured."""
    tables = [
        f"<h3>{escaped(one.heading)}</h3>{verdicts.rows_table(one.verdicts, 'scale').html()}"
        for one in targets.families(scaled)
    ]
    return paragraph(SCALE) + "".join(tables) if tables else ""


def comparison_section(results, rows):
    table = report_tables.comparison_table(rows, results.has_gpu())
    missing = "" if any(row["one"] for row in rows) else paragraph(advice.NO_ONE_THREAD)
    selector = SELECTOR if results.has_gpu() else ""
    return missing + selector + table.html(report_tables.row_data(results, rows))


def document(results, machine, judged, of_kernels, scaled, agreed):
    """The whole page."""
    rows = comparison.rows(results)
    algorithms = list(dict.fromkeys(case[0] for case in results.cases()))
    sections = {
        "CPU and GPU" if results.has_gpu() else "CPU": comparison_section(results, rows),
        "From which size on the GPU is faster": pays_section(results),
        "Against the peers": peers_section(results, judged),
        "Users' kernels": kernels_section(of_kernels),
        "Several GPUs, and data of the host": scale_section(scaled),
        **{names.HEADINGS.get(a, a): algorithm_section(results, a) for a in algorithms},
        "Machine": machine_list(machine) + paragraph(peaks_text(results)),
        "How this was measured": METHOD,
    }
    body = [head(results, machine, rows), first_screen(results, machine, agreed)]
    body += [section(title, content) for title, content in sections.items()]
    title = f"tandem on {machine_of(results, machine)}, {machine['date'][:10]}"
    return PAGE.format(
        title=escaped(title),
        description=escaped(" ".join(advice.headline(results))),
        style=STYLE,
        script=SCRIPT,
        body="".join(body),
    )
