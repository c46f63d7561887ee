"use strict";
// Tables become sortable, and long ones searchable.  Without this script they are plain tables.
const SHORT = 4, LONG = 12;

function compare(first, second) {
  const a = first.dataset.sort, b = second.dataset.sort;
  if (a !== undefined && b !== undefined) return Number(a) - Number(b);
  if (a !== undefined || b !== undefined) return a === undefined ? 1 : -1;
  return first.textContent.localeCompare(second.textContent, undefined, { numeric: true });
}

function makeSortable(table) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    const term = heading.querySelector("a.term");
    if (term) {
      button.setAttribute("aria-label", "sort by " + term.firstChild.textContent);
    } else {
      button.append(...heading.childNodes);
    }
    heading.append(button);
    button.addEventListener("click", () => {
      const rising = heading.getAttribute("aria-sort") !== "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (rising ? 1 : -1) * compare(a.cells[column], b.cells[column]));
      table.tBodies[0].append(...rows);
    });
  });
}

function makeSearchable(table) {
  const rows = [...table.tBodies[0].rows];
  const box = document.createElement("div"), field = document.createElement("input");
  const count = document.createElement("span");
  box.className = "search";
  field.type = "search";
  field.placeholder = "Search these rows";
  field.setAttribute("aria-label", "Search these rows");
  count.className = "quiet";
  count.setAttribute("aria-live", "polite");
  box.append(field, count);
  table.parentElement.before(box);
  table.parentElement.classList.add("tall");
  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = [...row.cells].map((cell) => cell.textContent.toLowerCase());
      row.hidden = !words.every((word) => text.some((cell) => cell.includes(word)));
      shown += !row.hidden;
    }
    count.textContent = words.length ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
  };
  field.addEventListener("input", search);
  search();
}

for (const table of document.querySelectorAll(".wide > table")) {
  const count = table.tBodies[0].rows.length;
  if (count >= SHORT) makeSortable(table);
  if (count > LONG) makeSearchable(table);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.activeElement.classList.contains("term")) document.activeElement.blur();
});
