#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Merges the benchmark programs' output into results.json, prints tables, and writes report.html
and overview.svg.

usage: report.py --raw DIR --out DIR [--build-info FILE] [--quick]
       report.py --from FILE --out DIR    the pages of a results.json(.gz) that was kept

Exit status: 0; 1 when a candidate failed its check or promised bits differ, or there is nothing to
report.
"""

import argparse
import dataclasses
import json
import pathlib
import sys

from harness import (
    advice,
    agreement,
    comparison,
    machine,
    measurements,
    page,
    report_tables,
    targets,
    verdicts,
)

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description="Write results.json and report.html.")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--raw", help="folder with the programs' JSON files")
    source.add_argument("--from", dest="kept", help="results.json of an earlier run, or its .gz")
    parser.add_argument("--out", required=True, help="folder for results.json and report.html")
    parser.add_argument("--build-info", help="build_info.json of the build that was measured")
    parser.add_argument(
        "--quick", action="store_true", help="the run was a quick one; the report says so"
    )
    return parser.parse_args()


def summary_row(row):
    """A row of the comparison for results.json."""
    sample = row["sample"]
    of = {key: getattr(sample, key) for key in ("algorithm", "name", "type", "size")}
    times = {
        f"{side}_seconds": row[side].seconds if row[side] else None
        for side in ("one", "threads", "cpu", "gpu", "transfers", "pinned")
    }
    ratios = ("gpu_over_cpu", "transfers_over_cpu", "pinned_over_cpu", "same_bits")
    return {**of, **times, **{key: row[key] for key in ratios}}


def as_json(measured, results, described, judged, of_kernels, scaled, runs):
    """All results, for programs; `measured` are also those of the bench of kernels and of several
    GPUs."""
    listed = []
    for m in measured:
        content = dataclasses.asdict(m)
        content.update(rate=m.rate, share_of_peak=results.share(m) if m.seconds else None)
        listed.append(content)
    return {
        "schema": measurements.SCHEMA,
        "machine": described,
        "peaks": results.peaks,
        "targets": verdicts.as_json(judged),
        "comparison": [summary_row(row) for row in comparison.rows(results)],
        "kernels": verdicts.as_json(of_kernels),
        "scale": verdicts.as_json(scaled),
        "agreement": runs,
        "measurements": listed,
    }


def write_pages(out, results, described, judged, of_kernels, scaled, agreed):
    """Writes report.html and overview.svg, the README's picture."""
    text = page.document(results, described, judged, of_kernels, scaled, agreed)
    picture = page.peers_figure(results, described, page.FIGURE_STYLE)
    for name, content in (("report.html", text), ("overview.svg", picture)):
        if content:
            (out / name).write_text(content)
            print(f"wrote {out / name}")


def print_tables(results, judged, of_kernels, agreed):
    rows = comparison.rows(results)
    print(report_tables.comparison_table(rows, results.has_gpu()).text(), "\n", sep="")
    if not results.has_gpu():
        print("No GPU was measured: the tables and the report cover the CPU only.\n")
    for text in (
        report_tables.crossover_table(results).text(),
        verdicts.report_table(judged).text() if judged else page.NO_TARGETS,
        report_tables.peers_table(results).text(),
        verdicts.text(verdicts.kernel_families(of_kernels), "kernels") if of_kernels else "",
        agreement.console_table(agreed),
    ):
        if text:
            print(text, "\n", sep="")
    sentences = advice.headline(results) + advice.about_the_gpu(results)
    sentences.append(advice.about_the_machine(results))
    print("\n".join(filter(None, sentences)), "\n", sep="")


def complain(measured, agreed):
    """Prints failures to stderr; returns 1 if there are any."""
    broken = agreed.broken()
    for name in broken:
        print(f"WRONG: {name}: tandem's bits differ between runs", file=sys.stderr)
    wrong = [m for m in measured if m.error or (m.bits_promised and not m.equal_bits)]
    for m in wrong:
        print(
            f"WRONG: {'/'.join((*m.case, m.size, *m.candidate))}: {m.error or 'bits differ'}",
            file=sys.stderr,
        )
    return 1 if wrong or broken else 0


def gather(chosen):
    """(measurements, machine, peaks, runs for agreement) of what the command line names."""
    if chosen.kept:
        kept = measurements.read_content(chosen.kept)
        measured = measurements.kept_measurements(kept)
        return measured, kept["machine"], kept.get("peaks", {}), kept.get("agreement", [])
    measured = measurements.read(chosen.raw)
    context = measurements.read_context(chosen.raw)
    described = machine.describe(ROOT, chosen.build_info, chosen.quick, context)
    return measured, described, None, agreement.read(chosen.raw)


def report(chosen):
    measured, described, peaks, runs = gather(chosen)
    agreed = agreement.Agreement(runs)
    of_kernels = [m for m in measured if m.algorithm == verdicts.KERNELS]
    of_scale = [m for m in measured if m.algorithm == verdicts.SCALE]
    others = [m for m in measured if m.algorithm not in (verdicts.KERNELS, verdicts.SCALE)]
    results = comparison.Results(others, described["cache_bytes"], peaks)
    if not results.all and not of_kernels:
        raise measurements.Unreadable("nothing was measured")
    wanted = [] if described["quick"] else targets.table("report_gpu", "report_cpu")
    judged = targets.judge(results, wanted, quiet=True)
    of_kernels = verdicts.of_kernels(of_kernels, is_judged=not described["quick"])
    scaled = verdicts.of_scale(of_scale)
    out = pathlib.Path(chosen.out)
    out.mkdir(parents=True, exist_ok=True)
    if not chosen.kept:
        content = as_json(measured, results, described, judged, of_kernels, scaled, runs)
        (out / "results.json").write_text(json.dumps(content, indent=1) + "\n")
        print(f"wrote {out / 'results.json'}")
    print_tables(results, judged, of_kernels, agreed)
    write_pages(out, results, described, judged, of_kernels, scaled, agreed)
    return complain(measured, agreed)


def main():
    try:
        return report(arguments())
    except (measurements.Unreadable, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
