// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search, the menu of narrow screens, and the choice of light or dark.
"use strict";

const root = document.body.dataset.root;
const field = document.getElementById("site-search");
const list = document.getElementById("site-results");

// Names first, then titles, then pages whose text has every word.
function score([title, , kind, brief, text], query, words) {
  const name = title.toLowerCase();
  const isName = {guide: 10, page: 0, "lab notebook": -30, decision: -30,
                  "for backends": -40}[kind] ?? 20;
  if (name === query) return 200 + isName;
  if (name.startsWith(query)) return 120 + isName - name.length / 10;
  if (name.includes(query)) return 80 + isName - name.length / 10;
  if (words.every((word) => name.includes(word))) return 60 + isName;
  const all = `${name} ${brief} ${text}`.toLowerCase();
  if (!words.every((word) => all.includes(word))) return 0;
  return (brief.toLowerCase().includes(query) ? 40 : 20) + isName / 2;
}

function show() {
  const query = field.value.trim().toLowerCase().replace(/^tandem::/, "");
  list.replaceChildren();
  list.hidden = query === "";
  if (list.hidden) return;
  const words = query.split(/\s+/);
  const found = searchIndex.map((row) => [score(row, query, words), row])
    .filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]).slice(0, 30);
  for (const [, [title, url, kind, brief, text]] of found) {
    const link = document.createElement("a");
    link.href = root + url;
    const parts = [["b", title], ["i", kind], ["span", brief || text.slice(0, 120)]];
    for (const [tag, words] of parts)
      link.append(Object.assign(document.createElement(tag), {textContent: words}), " ");
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  if (found.length === 0) list.append(Object.assign(document.createElement("li"),
                                                    {textContent: "Nothing found."}));
}

field.addEventListener("input", show);
document.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "/" && document.activeElement !== field) {
    field.focus();
    event.preventDefault();
  } else if (event.key === "Escape") {
    list.hidden = true;
    field.blur();
  } else if (list.hidden || links.length === 0) {
    return;
  } else if (event.key === "Enter" && document.activeElement === field) {
    links[0].click();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (links[next] || field).focus();
    event.preventDefault();
  }
});

const menu = document.getElementById("site-menu");
menu.addEventListener("click", () => {
  const isOpen = document.body.classList.toggle("menu-open");
  menu.setAttribute("aria-expanded", isOpen);
});

document.getElementById("site-theme").addEventListener("click", () => {
  const style = document.documentElement.dataset;
  const isDark = style.theme ? style.theme === "dark"
                             : matchMedia("(prefers-color-scheme: dark)").matches;
  style.theme = isDark ? "light" : "dark";
  try {
    localStorage.theme = style.theme;
  } catch {
    // Some browsers keep nothing for pages of the file system.
  }
});
