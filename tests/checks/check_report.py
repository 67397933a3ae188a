#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests perf/run's report.

usage: check_report.py          its answers to unusable input, and perf/compare
       check_report.py --page   the page as a browser lays it out on a desktop and on a phone; exit
                                status 77 where matplotlib or Chromium is missing
"""

import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = ROOT / "perf/results/h200/results.json.gz"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# Measures the page and leaves the answer in an attribute that --dump-dom prints.
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
  const links = all("nav a").map(a => a.getAttribute("href").slice(1));
  document.documentElement.setAttribute("data-probe", JSON.stringify({
    width: innerWidth,
    scroll: document.documentElement.scrollWidth,
    overlaps: overlaps.slice(0, 5),
    bits: all("th").filter(h => h.textContent == "Bits").map(h => h.getBoundingClientRect().right),
    dead: links.filter(id => !document.getElementById(id)),
    heads: getComputedStyle(document.querySelector("thead")).display}));
});
</script>"""


def run(*command):
    done = subprocess.run(
        [sys.executable, "-B", *map(str, command)], capture_output=True, text=True, cwd=ROOT
    )
    return done.returncode, done.stdout, done.stderr.strip()


def has_matplotlib():
    command = [sys.executable, "-c", "import matplotlib"]
    return subprocess.run(command, capture_output=True).returncode == 0


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


class Compare(unittest.TestCase):
    def test_equal_runs_have_no_changes_and_slower_ones_are_named(self):
        code, said, _ = run("perf/compare", KEPT, KEPT)
        self.assertEqual(code, 0)
        self.assertIn("0 of", said)
        sys.path.insert(0, str(ROOT / "perf"))
        from reporting import measurements

        machine, measured, _ = measurements.read_results(KEPT)
        slower = [vars(m).copy() for m in measured]
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


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        code, _, errors = run("perf/report.py", "--from", KEPT, "--out", cls.folder.name)
        if code != 0:
            raise AssertionError(errors)
        cls.path = pathlib.Path(cls.folder.name) / "report.html"
        cls.text = cls.path.read_text()

    def test_figures_say_what_they_show_and_headings_have_anchors(self):
        parser = html.parser.HTMLParser()
        tags = []
        parser.handle_starttag = lambda tag, attributes: tags.append((tag, dict(attributes)))
        parser.feed(self.text)
        self.assertTrue(all(a.get("aria-label") for tag, a in tags if tag == "svg"))
        self.assertTrue(all(a.get("id") for tag, a in tags if tag == "h2"))
        self.assertNotIn("src=", re.sub(r"<svg.*?</svg>", "", self.text, flags=re.DOTALL))

    def test_advice_comes_first(self):
        self.assertLess(self.text.index('id="advice"'), self.text.index("<table"))
        self.assertIn("the GPU is faster", self.text)
        self.assertIn("times the speed of the fastest peer", self.text)

    def probe(self, width, *options):
        page = self.path.with_name("probe.html")
        page.write_text(self.text.replace("</body>", PROBE + "</body>"))
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", *options]
        command += [f"--window-size={width},1200", "--dump-dom", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        found = re.search(r'data-probe="([^"]*)"', done.stdout)
        self.assertIsNotNone(found, done.stderr[-500:])
        return json.loads(html.unescape(found[1]))

    def test_a_desktop_shows_all_columns_and_no_label_covers_another(self):
        found = self.probe(1280)
        self.assertEqual(found["dead"], [])
        self.assertEqual(found["overlaps"], [])
        self.assertLessEqual(found["scroll"], found["width"])
        self.assertTrue(found["bits"])
        self.assertLessEqual(max(found["bits"]), 1280)

    def test_a_phone_shows_rows_as_blocks_without_scrolling_sideways(self):
        found = self.probe(390)
        self.assertEqual(found["heads"], "none")
        self.assertLessEqual(found["scroll"], found["width"])


def main():
    pages = "--page" in sys.argv
    if pages and not (CHROMIUM and has_matplotlib()):
        print("skipped: " + ("matplotlib is missing" if CHROMIUM else "there is no Chromium"))
        return 77
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    suite = unittest.TestSuite(map(load, [Page] if pages else [Input, Compare]))
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
