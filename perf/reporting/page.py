# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of report.html, which is one file without scripts or external resources."""

import html
import pathlib

from . import cases, comparison, targets_page
from .console import CROSSOVER_VARIANTS
from .report_targets import NOTE

STYLE = (pathlib.Path(__file__).parent / "style.css").read_text()
COLOURS = STYLE[: STYLE.index("* {")]


def escaped(text):
    return html.escape(str(text))


def anchor(text):
    """The id of a heading."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def heading(level, text):
    return f'<h{level} id="{anchor(text)}">{escaped(text)}</h{level}>'


def contents(headings):
    """Links to the page's sections."""
    links = "".join(f'<li><a href="#{anchor(h)}">{escaped(h)}</a></li>' for h in headings)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def figure(svg, words, css=""):
    """A figure with what it shows in words, for readers who do not see it."""
    described = svg.replace("<svg ", f'<svg role="img" aria-label="{escaped(words)}" ', 1)
    return f'<figure class="{css}">{described}</figure>' if css else f"<figure>{described}</figure>"


def table(head, rows):
    """An HTML table; rows are lists of texts or (text, class), the first of which is the name. Each
    cell names its column, which narrow screens show instead of the head."""
    classes = ["name"] + [""] * (len(head) - 1)
    columns = "".join(f'<th class="{c}">{escaped(h)}</th>' for h, c in zip(head, classes))
    body = []
    for row in rows:
        cells = [(cell, "") if isinstance(cell, str) else cell for cell in row]
        cells[0] = (cells[0][0], (cells[0][1] + " name").strip())
        body.append("<tr>" + "".join(map(cell_of, head, cells)) + "</tr>")
    return (
        f'<div class="scroll"><table><thead><tr>{columns}</tr></thead>'
        f'<tbody>{"".join(body)}</tbody></table></div>'
    )


def cell_of(column, cell):
    text, css = cell
    return f'<td class="{css}" data-label="{escaped(column)}">{escaped(text)}</td>'


def verdict(same_bits):
    if same_bits is None:
        return ("", "soft")
    return ("equal", "good") if same_bits else ("differ", "bad")


def speed_up(value):
    """A speed-up, emphasised if it is at least 1."""
    return (cases.factor(value), "strong" if value and value >= 1 else "soft")


# (key of a comparison row, heading)
CPU_TIMES = (("serial", "Serial"), ("cpu", "CPU, OpenMP"))
CPU_GAINS = (("cpu_over_serial", "Speed-up"),)
GPU_TIMES = (
    ("transfers", "GPU, with transfers"),
    ("pinned", "GPU, pinned transfers"),
    ("gpu", "GPU, data resident"),
)
GPU_GAINS = (
    ("transfers_over_cpu", "Speed-up with transfers"),
    ("pinned_over_cpu", "Speed-up, pinned"),
    ("gpu_over_cpu", "Speed-up without"),
)


def comparison_table(rows, with_gpu):
    times = CPU_TIMES + (GPU_TIMES if with_gpu else ())
    gains = GPU_GAINS if with_gpu else CPU_GAINS
    body = []
    for row in rows:
        sample = row["sample"]
        line = [f"{cases.title(sample)}, {sample.type}", cases.size(sample.size)]
        line += [verdict(row["same_bits"])]
        line += [time_of(row[key]) for key, _ in times]
        body.append(line + [speed_up(row[key]) for key, _ in gains])
    return table(["", "Size", "Bits", *(name for _, name in times + gains)], body)


def time_of(measurement):
    """A time, marked where the machine was busy."""
    if measurement is None:
        return ""
    text = cases.seconds(measurement.seconds)
    return (f"{text} ~", "noisy") if measurement.noisy else text


def candidate_row(results, m):
    if m.error:
        return [cases.candidate(m), cases.size(m.size), (m.error, "bad"), "", "", "", ""]
    share = results.share(m)
    reached = "in cache" if results.in_cache(m) and m.backend == "openmp" else ""
    own = ("equal" if m.equal_bits else "own", "soft")
    return [
        cases.candidate(m),
        cases.size(m.size),
        (cases.seconds(m.seconds) + (" ~" if m.noisy else ""), "strong"),
        (f"{cases.seconds(m.fastest)} to {cases.seconds(m.slowest)}", "soft"),
        cases.rate(m),
        (reached, "soft") if share is None else f"{share:.0%}",
        verdict(m.equal_bits) if m.bits_promised else own,
    ]


def candidates_table(results, case):
    """All measurements of a case."""
    bits = "Bits against " + (reference_of(results, case) or "the reference")
    head = ["", "Size", "Median", "Fastest to slowest", "Rate", "Of the peak", bits]
    return table(head, [candidate_row(results, m) for m in results.all if m.case == case])


def peers_table(results):
    """tandem's speed over each peer's: one row per peer."""
    body = []
    for name, mean, count, least, where, most in comparison.peer_rows(results):
        css = "strong" if mean >= 1 else "soft"
        body.append([name, (cases.factor(mean), css), str(count), cases.factor(least), where])
        body[-1].append(cases.factor(most))
    head = ["", "tandem's speed, geometric mean", "Measurements", "At the least", "In", "At most"]
    return table(head, body) if body else ""


def operations_table(results, backend):
    """tandem's speed over each peer's on a side by operation, at the largest size that both ran;
    empty without peers."""
    names, rows = comparison.peers_by_case(results, backend)
    body = [
        [f"{cases.title(sample)}, {sample.type}", *(speed_up_at(found.get(n)) for n in names)]
        for sample, found in rows
    ]
    return table(["", *names], body) if body else ""


def speed_up_at(found):
    if found is None:
        return ""
    own, speed = found
    text, css = speed_up(speed)
    return (f"{text} at {cases.size(own.size)}", f"{css} wrap")


def reference_of(results, case):
    names = sorted({m.reference for m in results.all if m.case == case and m.reference})
    return " or ".join(names)


def crossover_text(results, case):
    """Sizes from which on the GPU is faster, in words; empty if it was not measured."""
    parts = []
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
            parts.append(f"{words}, from about {cases.amount(crossing)} {unit_of(case)} on")
    return f"The GPU is faster than the CPU: {'; '.join(parts)}." if parts else ""


def crossover_table(results):
    """The sizes from which on the GPU is faster; empty without a GPU."""
    body = [
        [f"{cases.title(sample)}, {sample.type}"]
        + [comparison.first_gain(by_variant[variant]) for variant in CROSSOVER_VARIANTS]
        for sample, by_variant in comparison.crossovers(results)
    ]
    head = ["", "With transfers", "With pinned transfers", "Data resident"]
    return table(head, body) if body else ""


def unit_of(case):
    return "products" if case[0] == "matmul" else "elements"


def machine_list(machine):
    build = machine["build"]
    gpu = (
        "; ".join(f"{g['name']}, {g['memory']}, driver {g['driver']}" for g in machine["gpus"])
        or "none"
    )
    lines = [
        ("Processor", f"{machine['processor']}, {machine['threads']} threads"),
        ("GPU", gpu),
        ("System", f"{machine['system']}, kernel {machine['kernel']}"),
        (
            "Compilers",
            ", ".join(
                filter(
                    None,
                    [
                        build.get("compiler"),
                        build.get("cuda_compiler") and "nvcc " + build["cuda_compiler"],
                    ],
                )
            ),
        ),
        ("OpenBLAS", machine["openblas_kernels"] and f"{machine['openblas_kernels']} kernels"),
        ("Peers", machine.get("peers", "")),
        ("Flags", build.get("flags", "")),
        ("CUDA flags", build.get("cuda_flags", "")),
        ("Commit", machine["commit"]),
        ("Date", machine["date"]),
    ]
    return (
        "<dl>"
        + "".join(f"<dt>{escaped(k)}</dt><dd>{escaped(v)}</dd>" for k, v in lines if v)
        + "</dl>"
    )


def peaks_text(results):
    """The machine's measured peaks in words."""
    parts = []
    for side, name in (("openmp", "CPU"), ("cuda", "GPU")):
        for kind, value in sorted(results.peaks.get(side, {}).items()):
            unit = "FLOP/s" if kind.startswith("fma") else "B/s"
            parts.append(f"{name} {kind.replace('_', ' ')} {cases.per_second(value, unit)}")
    return ", ".join(parts) or "none in this run"


def targets_table(verdicts):
    """The report's targets, or a note where there are none."""
    if not verdicts:
        return f"<p>{NOTE}</p>"
    classes = {None: "soft", True: "good", False: "bad"}
    rows = [
        [*cells, (outcome, classes[verdict.met])]
        for verdict, (*cells, outcome) in zip(verdicts, targets_page.report_rows(verdicts))
    ]
    return table(["", *targets_page.head("report")[1:]], rows)
