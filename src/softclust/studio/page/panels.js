// The parts around the map: class bar, tables of questions, disagreements and links, progress curve.

import { swatch } from "./card.js";
import { el, fill, percent, plural, svg } from "./dom.js";

const REASONS = { region: "new region", doubt: "doubt", audit: "by lot" };

/** One button a class, then one a cluster without a name; keys 1 to 9. */
export function classBar(node, studio, act) {
  const { state, subset } = studio;
  const chip = (name, index, labels, rows, named) => {
    const known = named ? plural(labels, "label") : "has no name yet";
    const key = index < 9 ? `, key ${index + 1}` : "";
    return el(
      "button",
      {
        type: "button",
        class: `chip${named ? "" : " unnamed"}`,
        "data-focus": `class ${index}`,
        "aria-disabled": studio.tab === "pairs" ? "true" : null,
        "aria-pressed": subset.length ? String(subset.includes(name)) : null,
        "aria-label": `${name}, ${known}, ${plural(rows, "row")}${key}`,
        title: `${known}, ${plural(rows, "row")}`,
        onclick: (event) => act.choose(index, event.shiftKey || studio.several),
      },
      index < 9 ? el("kbd", { "aria-hidden": "true" }, String(index + 1)) : null,
      swatch(index, studio.theme),
      el("span", { class: "clip" }, name),
      el("span", { class: "count", "aria-hidden": "true" }, named ? String(labels) : "name it"),
    );
  };
  fill(
    node,
    state.classes.map((one, k) => chip(one.name, k, one.labels, one.rows, true)),
    state.unnamed.filter((one) => one.index >= state.classes.length).map((one) => chip(one.name, one.index, 0, one.rows, false)),
  );
}

const head = (...names) => el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name))));

const pick = (words, focus, current, onclick) => {
  const look = { type: "button", class: "link-button", "data-focus": focus, "aria-current": current ? "true" : null };
  return el("button", { ...look, onclick }, words);
};

export function questionTable(node, studio, act) {
  const line = (question, k) => {
    const current = question.row === studio.current;
    return el(
      "tr",
      { class: current ? "current" : "" },
      el("td", {}, pick(`Row ${question.number}`, `q ${question.row}`, current, () => act.question(k))),
      el("td", {}, question.reason === "audit" ? "hidden until answered" : between(question)),
      el("td", {}, studio.answered.has(question.row) ? "answered" : REASONS[question.reason] ?? question.reason),
    );
  };
  const top = head("row", "the model thinks", "why asked");
  fill(node, el("caption", {}, "Questions"), top, el("tbody", {}, studio.questions.map(line)));
}

const between = ({ first, second, share }) => (second ? `${first} ${percent(share)}, or ${second}` : first);

export function disagreementTable(node, studio, act) {
  const line = (one) => {
    const current = one.row === studio.current;
    return el(
      "tr",
      { class: current ? "current" : "", title: one.why },
      el("td", {}, pick(`Row ${one.number}`, `d ${one.row}`, current, () => act.open(one.row))),
      el("td", {}, one.told),
      el("td", {}, one.foreseen),
      el("td", { class: "figure" }, percent(one.score)),
    );
  };
  const rows = studio.disagreements;
  fill(
    node,
    el("caption", {}, rows.length ? "Labels that the model doubts, worst first" : "The model agrees with every label."),
    rows.length ? head("row", "you said", "model says", "doubt") : null,
    el("tbody", {}, rows.map(line)),
  );
}

export function linkTable(node, studio, act) {
  const { links } = studio.state;
  const remove = (row, other) => {
    const name = `Remove the link of rows ${studio.numberOf(row)} and ${studio.numberOf(other)}`;
    const look = { type: "button", class: "quiet-button", "aria-label": name };
    return el("button", { ...look, onclick: () => act.unlink(row, other) }, "Remove");
  };
  const line = ([row, other, same]) =>
    el(
      "tr",
      {},
      el("td", {}, pick(`Row ${studio.numberOf(row)}`, `l ${row}`, false, () => act.open(row))),
      el("td", {}, same ? "is the same as" : "is not the same as"),
      el("td", {}, pick(`Row ${studio.numberOf(other)}`, `l ${other}`, false, () => act.open(other))),
      el("td", {}, remove(row, other)),
    );
  fill(
    node,
    el("caption", {}, links.length ? "Links told" : "No links yet. Press d to draw one on the map."),
    links.length ? head("row", "link", "row", "") : null,
    el("tbody", {}, links.slice(0, 200).map(line)),
  );
}

/** How often the model was right on rows drawn by lot, against the number of labels, with its interval. */
export function progressCurve(node, points) {
  const told = points.filter((point) => point.audit && point.audit[1] > 0);
  const [width, height] = [180, 44];
  const most = Math.max(1, ...points.map((point) => point.labels));
  const x = (labels) => 2 + (width - 6) * (labels / most);
  const y = (share) => height - 3 - (height - 6) * share;
  const path = (pairs) => pairs.map(([a, b], k) => `${k ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");
  const parts = [0, 0.5, 1].map((share) => svg("line", { class: "rule", x1: 0, x2: width, y1: y(share), y2: y(share) }));
  if (told.length) {
    const high = told.map(({ labels, audit }) => [x(labels), y(audit[3])]);
    const low = told.map(({ labels, audit }) => [x(labels), y(audit[2])]).reverse();
    const middle = told.map(({ labels, audit }) => [x(labels), y(audit[0] / audit[1])]);
    parts.push(svg("path", { class: "band", d: `${path([...high, ...low])}Z` }));
    parts.push(svg("path", { class: "curve", d: path(middle) }));
    parts.push(svg("circle", { class: "end", cx: middle.at(-1)[0], cy: middle.at(-1)[1], r: 2.6 }));
  }
  const last = told.at(-1)?.audit;
  const between = last && `between ${percent(last[2])} and ${percent(last[3])}`;
  const words = last
    ? `${last[0]} of ${last[1]} rows drawn by lot foreseen: ${percent(last[0] / last[1])}, ${between}`
    : "One question in five is drawn by lot and checks the model.";
  node.setAttribute("aria-label", words);
  node.setAttribute("viewBox", `0 0 ${width} ${height}`);
  node.replaceChildren(...parts);
  return words;
}
