// Shows the rows of one size and the columns of one place of the data; without scripts the table
// has all of them.
for (const controls of document.querySelectorAll(".select")) {
  const table = controls.nextElementSibling.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const [size, place] = controls.querySelectorAll("select");
  for (const name of new Set(rows.map(row => row.dataset.size))) size.add(new Option(name));
  const hidden = {all: [], gpu: ["transfers", "pinned"], pinned: ["with transfers", "resident",
    "without"], transfers: ["pinned", "resident", "without"]};
  const heads = [...table.tHead.rows[0].cells].map(head => head.textContent);
  const show = () => {
    for (const row of rows) {
      row.hidden = size.value == "largest" ? !("largest" in row.dataset)
        : size.value != "all" && row.dataset.size != size.value;
    }
    heads.forEach((head, i) => {
      const away = hidden[place.value].some(word => head.includes(word));
      for (const row of table.rows) row.cells[i].hidden = away;
    });
  };
  size.onchange = place.onchange = show;
  controls.hidden = false;
  show();
}
const unfold = () => document.getElementById(location.hash.slice(1))?.setAttribute("open", "");
addEventListener("hashchange", unfold);
unfold();
