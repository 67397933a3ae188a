#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests perf/run's report.

usage: check_report.py          its errors for unusable input, its table of different results, and
                                perf/compare
       check_report.py --page   the page as a browser lays it out on a desktop and on a phone; exit
                                status 77 if Chromium is missing
"""

import gzip
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "perf"))
from harness import measurements  # noqa: E402

KEPT = ROOT / "perf/results/h200/results.json.gz"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# Shows the page in a frame, because Chromium's windows are at least 500 pixels wide. The page's
# measurements become an attribute that --dump-dom prints.
FRAME = """<!doctype html><meta name="color-scheme" content="light dark">
<script>
onmessage = message => document.documentElement.setAttribute("data-probe", message.data);
</script>
<iframe src="probe.html" style="border: 0; width: {width}px; height: 1200px"></iframe>
"""
# Measures the page and reports to the frame around it.
PROBE = """<script>
addEventListener("load", () => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const overlap = (p, q) =>
    Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2 &&
    Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 3;
  const overlaps = [];
  for (const svg of all("svg")) {
    const labels = all("text", svg).map(t => [t.textContent, t.getBoundingClientRect()])
      .filter(([text, box]) => text.trim() && box.width);
    labels.forEach(([a, p], i) => labels.slice(i + 1).forEach(([b, q]) => {
      if (overlap(p, q)) overlaps.push(a + " / " + b);
    }));
  }
  // WCAG's contrast of a text with the page's ground.
  const luminance = colour => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = luminance(getComputedStyle(document.body).backgroundColor);
  const contrast = element => {
    const ink = luminance(getComputedStyle(element).color);
    return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
  };
  parent.postMessage(JSON.stringify({
    width: innerWidth,
    scroll: document.documentElement.scrollWidth,
    overlaps: overlaps.slice(0, 5),
    height: document.documentElement.scrollHeight,
    cut: all(".scroll").filter(frame => frame.scrollWidth > frame.clientWidth + 1)
      .map(frame => frame.textContent.slice(0, 60)),
    sticky: all("thead th").every(h => getComputedStyle(h).position == "sticky"),
    shown: all("tr[data-size]").filter(row => row.checkVisibility()).length,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    contrast: Math.min(...all("td, p, h2, summary, dt, a").map(contrast))}), "*");
});
</script>"""


def run(*command):
    done = subprocess.run(
        [sys.executable, "-B", *map(str, command)], capture_output=True, text=True, cwd=ROOT
    )
    return done.returncode, done.stdout, done.stderr.strip()


def kept_content():
    return json.loads(gzip.decompress(KEPT.read_bytes()))


# What a run measures if every optional peer is found, by side.
PEERS = {
    "openmp": ("tbb", "kokkos", "gnu", "openblas", "numpy", "numba", "torch"),
    "cuda": ("numba", "torch", "cupy"),
}
AGREED = ("reduce/sum/f32", "reduce/abs_sum/f32", "scan/inclusive/f32", "histogram/normal_150/f32")


def content_with_peers():
    """Returns the kept results with made-up measurements of every peer in all cases, and ten runs
    each."""
    content = kept_content()
    measured = [vars(m).copy() for m in measurements.kept_measurements(content)]
    content.update(schema=3, measurements=measured)
    for m in list(measured):
        if m["implementation"] == "tandem" and m["variant"] == "resident" and m["seconds"]:
            for i, peer in enumerate(PEERS.get(m["backend"], ())):
                times = {key: m[key] * (0.8 + 0.3 * i) for key in ("seconds", "fastest", "slowest")}
                measured.append({**m, **times, "implementation": peer, "bits_promised": False})
    content["measurements"] += transfers(measured) + on_several_gpus(measured)
    content["machine"]["peers"] = "TBB 2021.8, Kokkos 4.6, NumPy 2.4, Numba 0.68, PyTorch 2.9"
    content["agreement"] = agreement_of(("openmp", "cuda"))
    return content


def transfers(measured):
    """Returns made-up copies between host and GPU, for the sizes of the sums."""
    found = []
    for m in measured:
        if m["name"] == "sum" and m["variant"] in ("pinned", "pageable") and m["seconds"]:
            for way in ("to_device", "to_host"):
                named = {"algorithm": "transfer", "name": way}
                found += [{**m, **named, "implementation": who} for who in ("tandem", "raw")]
    return found


def on_several_gpus(measured):
    """Returns a made-up sum on a group of GPUs in two thirds of the time of one."""
    m = next(m for m in measured if m["backend"] == "cuda" and m["name"] == "sum" and m["seconds"])
    named = {**m, "algorithm": "scale", "name": "reduce", "size": str(2**28)}
    two = {**named, "variant": "devices", "seconds": m["seconds"] / 1.5}
    return [{**named, "implementation": "one_gpu", "variant": "resident"}, two]


def agreement_of(sides):
    """Returns ten runs in which tandem has one result and each peer has three."""
    entries = []
    for side in sides:
        for case in AGREED:
            for who in ("tandem", *PEERS[side]):
                bits = ["1"] * 10 if who == "tandem" else list("1112223333")
                name = f"{case}/1048576/{side}/{who}/resident"
                entries.append({"name": name, "bits": bits})
    return entries


class Input(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def one_line(self, status, *command):
        code, _, errors = run(*command)
        self.assertEqual(code, status, errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        return errors

    def report_of(self, content):
        (self.path / "raw.json").write_text(content)
        return self.one_line(1, "perf/report.py", "--raw", self.path, "--out", self.path / "out")

    def test_nothing_measured_and_names_of_other_programs_are_one_line(self):
        self.assertIn("nothing was measured", self.report_of("not JSON"))
        self.assertIn("nothing was measured", self.report_of("[1, 2]"))
        foreign = {"benchmarks": [{"name": "x/y", "run_type": "iteration"}]}
        self.assertIn("'x/y' is no name", self.report_of(json.dumps(foreign)))

    def test_kept_results_of_unknown_schemas_and_missing_files_are_one_line(self):
        newer = self.path / "newer.json"
        newer.write_text(json.dumps({"schema": 99, "machine": {}, "measurements": []}))
        for kept, words in ((newer, "schema 99"), (self.path / "none.json", "No such file")):
            said = self.one_line(1, "perf/report.py", "--from", kept, "--out", self.path)
            self.assertIn(words, said)
            self.assertIn(words, self.one_line(2, "perf/compare", kept, KEPT))

    def test_a_folder_that_cannot_be_written_is_one_line(self):
        taken = self.path / "file"
        taken.write_text("")
        self.one_line(1, "perf/report.py", "--from", KEPT, "--out", taken / "out")

    def test_perf_run_refuses_what_it_cannot_use(self):
        for options, words in (
            (["--filter"], "--filter needs a value"),
            (["--filter", "("], "regular expression"),
            (["--jobs", "x"], "number"),
            (["--matmul"], "--targets"),
            (["--out", "/proc/nowhere"], "cannot write"),
        ):
            done = subprocess.run(
                [ROOT / "perf/run", *options], capture_output=True, text=True, cwd=ROOT
            )
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


class SeveralGpus(unittest.TestCase):
    def test_they_have_a_section_if_they_were_measured(self):
        content = kept_content()
        measured = [vars(m).copy() for m in measurements.kept_measurements(content)]
        content.update(schema=3, measurements=measured + on_several_gpus(measured))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "results.json").write_text(json.dumps(content))
            for results, rows in ((path / "results.json", 1), (KEPT, 0)):
                run("perf/report.py", "--from", results, "--out", folder)
                page = (path / "report.html").read_text()
                found = re.findall("tandem on one GPU.*?>1.500<.*?MISSED", page)
                self.assertEqual(len(found), rows)


class Compare(unittest.TestCase):
    def test_equal_runs_have_no_changes_and_slower_ones_are_named(self):
        code, said, _ = run("perf/compare", KEPT, KEPT)
        self.assertEqual(code, 0)
        self.assertIn("0 of", said)
        kept = measurements.read_content(KEPT)
        machine = kept["machine"]
        slower = [vars(m).copy() for m in measurements.kept_measurements(kept)]
        one = next(m for m in slower if m["implementation"] == "tandem" and m["seconds"])
        for key in ("seconds", "fastest", "slowest"):
            one[key] *= 3
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            path.write_text(json.dumps({"schema": 3, "machine": machine, "measurements": slower}))
            code, said, _ = run("perf/compare", KEPT, path)
        self.assertEqual(code, 1)
        self.assertIn("1 of", said)
        self.assertIn("slower", said)


class DifferentResults(unittest.TestCase):
    def report_of(self, entries):
        """Returns the report of such runs, with few measurements, so that it draws no figure."""
        content = kept_content()
        content.update(measurements=content["measurements"][:1], agreement=entries)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            path.write_text(json.dumps(content))
            return run("perf/report.py", "--from", path, "--out", folder)

    def row(self, said, name):
        found = [line.split() for line in said.splitlines() if line.startswith(name)]
        self.assertEqual(len(found), 1, said)
        return found[0]

    def test_ten_equal_results_count_as_one_on_either_side_and_together(self):
        code, said, errors = self.report_of(agreement_of(("openmp", "cuda")))
        self.assertEqual(code, 0, errors)
        together = self.row(said, "tandem, CPU and GPU together")
        self.assertEqual(together[-6:], ["1", "1", "1", "-", "1", "-"])
        self.assertEqual(self.row(said, "PyTorch, CPU and GPU together")[-6], "3")

    def test_a_run_without_a_gpu_says_so(self):
        code, said, errors = self.report_of(agreement_of(("openmp",)))
        self.assertEqual(code, 0, errors)
        self.assertEqual(said.count("no GPU here"), 6)

    def test_a_side_of_tandem_that_differs_is_an_error(self):
        entries = agreement_of(("openmp", "cuda"))
        scan = "scan/inclusive/f32/1048576/cuda/tandem/resident"
        other = next(entry for entry in entries if entry["name"] == scan)
        other["bits"] = ["2"] * 10
        code, said, errors = self.report_of(entries)
        self.assertEqual(code, 1)
        self.assertIn("scan/inclusive/f32: tandem's bits differ", errors)


class Page(unittest.TestCase):
    content = staticmethod(kept_content)

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        results = pathlib.Path(cls.folder.name) / "results.json"
        results.write_text(json.dumps(cls.content()))
        code, _, errors = run("perf/report.py", "--from", results, "--out", cls.folder.name)
        if code != 0:
            raise AssertionError(errors)
        cls.path = pathlib.Path(cls.folder.name) / "report.html"
        cls.text = cls.path.read_text()

    def test_figures_say_what_they_show_and_sections_have_anchors(self):
        parser = html.parser.HTMLParser()
        tags = []
        parser.handle_starttag = lambda tag, attributes: tags.append((tag, dict(attributes)))
        parser.feed(self.text)
        self.assertTrue(all(a.get("aria-label") for tag, a in tags if tag == "svg"))
        self.assertIn('<details id="users-kernels">', self.text)
        self.assertNotIn("src=", self.text)
        self.assertNotIn("NaN", self.text)

    def test_title_and_preview_name_the_machine_and_the_day(self):
        named = "tandem on NVIDIA H200 and 14 threads of Intel Xeon, 2026-11-29"
        self.assertIn(f"<title>{named}</title>", self.text)
        self.assertIn(f'property="og:title" content="{named}"', self.text)
        self.assertIn("with data on the GPU, it is faster", self.text.partition("</head>")[0])

    def test_the_first_screen_is_sentences_pictures_and_different_results(self):
        first = self.text.partition("<details")[0]
        for words in ("times the speed of the fastest peer", "Different results in ten runs"):
            self.assertIn(words, first)
        for words in ("Does the GPU pay?", "tandem&#x27;s speed over the fastest peer&#x27;s"):
            self.assertIn(f"<h2>{words}", first)
        self.assertEqual(first.count("<svg"), 5)  # four operations, and the bars

    def test_the_page_is_small(self):
        self.assertLess(len(self.text), 1_000_000)

    def test_throughput_is_under_the_machines_peaks(self):
        for words in (">Throughput<", ">CPU&#x27;s peak ", ">GPU&#x27;s peak "):
            self.assertIn(words, self.text)

    def test_the_readmes_picture_names_the_strongest_peer_at_each_bar(self):
        picture = xml.etree.ElementTree.parse(self.path.with_name("overview.svg"))
        text = "|".join(picture.getroot().itertext())
        self.assertIn("Sum, f32, 2^27", text)
        self.assertRegex(text, self.sum_on_the_gpu)

    sum_on_the_gpu = r"1\.02x CUB, 96% of peak"

    def test_kept_results_have_the_bench_of_kernels(self):
        for words in ("Users&#x27; kernels", "CPU, one thread", "softmax by teams"):
            self.assertIn(words, self.text)

    def probe(self, width, *options, unfolded=True):
        page, frame = (self.path.with_name(name) for name in ("probe.html", "frame.html"))
        opened = self.text.replace("<details", "<details open") if unfolded else self.text
        page.write_text(opened.replace("</body>", PROBE + "</body>"))
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", *options]
        frame.write_text(FRAME.format(width=width))
        command += ["--window-size=1500,1300", "--virtual-time-budget=10000", "--dump-dom"]
        command.append(frame.as_uri())
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        found = re.search(r'data-probe="([^"]*)"', done.stdout)
        self.assertIsNotNone(found, done.stderr[-500:])
        measured = json.loads(html.unescape(found[1]))
        self.assertEqual(measured["width"], width)
        return measured

    def test_a_desktop_shows_all_columns_and_no_label_covers_another(self):
        for width in (1280, 1440):
            found = self.probe(width)
            self.assertEqual(found["overlaps"], [])
            self.assertLessEqual(found["scroll"], found["width"])
            self.assertEqual(found["cut"], [])
            self.assertTrue(found["sticky"])

    def test_the_selector_shows_the_largest_size_of_each_operation_first(self):
        rows = self.text.count("<tr data-size=")
        self.assertLess(self.probe(1280)["shown"], rows / 5)

    def test_the_page_is_short_until_it_is_unfolded(self):
        self.assertLess(self.probe(1280, unfolded=False)["height"], 6000)
        self.assertLess(self.probe(390, unfolded=False)["height"], 6000)

    def test_texts_are_legible_in_light_and_in_dark(self):
        for scheme in (1, 0):  # Chromium's numbers of light and dark
            found = self.probe(1280, f"--blink-settings=preferredColorScheme={scheme}")
            self.assertEqual(found["dark"], scheme == 0)
            self.assertGreaterEqual(found["contrast"], 4.5)  # WCAG's level AA

    def test_a_phone_scrolls_tables_in_their_frames_and_not_the_page(self):
        found = self.probe(390)
        self.assertLessEqual(found["scroll"], found["width"])
        self.assertLess(found["height"], 80_000)


class PageWithPeers(Page):
    content = staticmethod(content_with_peers)

    def test_every_peer_and_every_number_of_results_has_a_row(self):
        for name in ("TBB", "Kokkos", "NumPy", "Numba, CPU", "PyTorch, GPU", "CuPy"):
            self.assertIn(f"<th>{name}</th>", self.text)
        self.assertIn("tandem, CPU and GPU together", self.text)

    def test_transfers_have_rates_and_no_speed_up_over_a_cpu(self):
        self.assertRegex(self.text, r"Copies run with pinned arrays at [\d.]+ GB/s to the GPU")
        self.assertIn("Copy from the GPU, f32 by size", self.text)

    sum_on_the_gpu = r"0\.80x Numba, 96% of peak"


def main():
    pages = "--page" in sys.argv
    if pages and not CHROMIUM:
        print("skipped: there is no Chromium")
        return 77
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    cases = [Page, PageWithPeers] if pages else [Input, SeveralGpus, Compare, DifferentResults]
    suite = unittest.TestSuite(map(load, cases))
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
