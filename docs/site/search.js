// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the results of a search. Has no access to the page, so that a test can call it.
"use strict";

// Points for the kind of a page, 20 for a public name. Internals and notes of developers come after
// everything else, unless a query is the whole name.
const KIND_POINTS = {guide: 10, page: 0, "lab notebook": 0, decision: 0, internal: 0};
const FOR_DEVELOPERS = new Set(["internal", "lab notebook", "decision"]);
// Prefixes of names that a reader may write or leave out.
const MODULES = new Set(["tandem", "std", "np", "numpy", "cp", "cupy", "thrust", "cub", "kokkos",
                         "cuda", "ranges"]);

// The words of a text: np.cumsum(x) is "np cumsum x", parallel_for "parallel for".
const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}+]+/u).filter((word) => word);

// Whether each word begins one of the text's, which is between spaces: "scan" is found in
// " parallel scan ", "sum" not in " consume ".
const hasAll = (text, words) => words.every((word) => text.includes(` ${word}`));
const hasWhole = (text, words) => words.every((word) => text.includes(` ${word} `));

const known = new Map();
function spaced(text) {
  if (!known.has(text)) known.set(text, ` ${wordsOf(text).join(" ")} `);
  return known.get(text);
}

// How well a name fits: it is the words, begins with them, or has them whole or as beginnings.
function pointsOfName(name, words) {
  const phrase = words.join(" ");
  if (name === ` ${phrase} `) return 200;
  if (!hasAll(name, words)) return 0;
  const whole = hasWhole(name, words);
  const first = name.startsWith(` ${phrase}`);
  return (whole ? 130 : 105) + (first ? 10 : 0) - name.length / 10;
}

// A synonym is as good as a name if it is what was written, and a guess if it has the words. Its
// first target is the best one.
function pointsOfSynonyms(synonyms, url, words) {
  let best = 0;
  for (const [term, urls] of synonyms) {
    const at = urls.indexOf(url);
    const points = at < 0 ? 0 : pointsOfName(spaced(term), words);
    if (points > 0) best = Math.max(best, (points === 200 ? 175 : 0.6 * points) - 15 * at);
  }
  return best;
}

function pointsOfWords([title, url, kind, brief, text], words, synonyms) {
  const name = spaced(title);
  let points = Math.max(pointsOfName(name, words), pointsOfSynonyms(synonyms, url, words));
  if (points === 0) {
    const short = spaced(brief);
    if (hasAll(name + short, words)) points = 50;
    else if (hasAll(name + short + spaced(text), words)) points = 25;
  }
  if (points === 0) return 0;
  const isWritten = points === 200 && kind === "internal";
  return points * (FOR_DEVELOPERS.has(kind) && !isWritten ? 0.2 : 1) + (KIND_POINTS[kind] ?? 20);
}

// The rows [title, url, kind, brief, text] that fit a query, best first.
function searchRows(rows, synonyms, query) {
  const all = wordsOf(query.replace(/[([{<].*/s, ""));  // without arguments
  const ways = [all];
  if (all.length > 1 && MODULES.has(all[0])) ways.push(all.slice(1));
  if (all.length === 0) return [];
  const near = synonyms.filter(([term]) => ways.some((words) => hasAll(spaced(term), words)));
  const points = (row) => Math.max(...ways.map((words, way) => pointsOfWords(row, words, near)
                                                               - 5 * way));
  return rows.map((row) => [points(row), row]).filter(([found]) => found > 0)
    .sort((a, b) => b[0] - a[0]).map(([, row]) => row);
}

if (typeof module !== "undefined") module.exports = {searchRows};
