// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search, the menu of narrow screens, and the choice of light or dark.
"use strict";

const root = document.body.dataset.root;
const field = document.getElementById("site-search");
const list = document.getElementById("site-results");

function show() {
  const query = field.value.trim();
  list.replaceChildren();
  list.hidden = query === "";
  if (list.hidden) return;
  const found = searchRows(searchIndex, searchSynonyms, query).slice(0, 30);
  for (const [title, url, kind, brief, text] of found) {
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
