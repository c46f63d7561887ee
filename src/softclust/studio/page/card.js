// The card of a row: picture or text first, then what is unusual, memberships and the nearest told rows.

import { el, percent, svg } from "./dom.js";
import { SHAPES, hue, outlineData } from "./paint.js";

const SHOWN = 5; // columns of a card; the others unfold

/** The mark of cluster k: its colour in its shape. Clusters without a number are a grey ring. */
export function swatch(k, theme) {
  const path = svg("path", { d: outlineData(SHAPES[Math.max(0, k) % SHAPES.length], 6.2), class: k < 0 ? "nobody" : "" });
  if (k >= 0) path.style.fill = hue(k, theme);
  return svg("svg", { viewBox: "-9 -9 18 18", width: 18, height: 18, class: "swatch", "aria-hidden": "true" }, path);
}

/** What was told about a row, in words. */
export function toldWords(told) {
  const names = Object.entries(told.degrees ?? {});
  if (told.kind === "none") return "none of these";
  if (told.kind === "subset") return names.map(([name]) => name).join(" or ");
  if (told.kind === "soft") return names.map(([name, share]) => `${name} ${percent(share)}`).join(", ");
  return names.map(([name]) => name).join(", ") + (told.kind === "bulk" ? " (lasso)" : "");
}

function bar(share, colour) {
  const inner = el("span", { class: "bar-inner" });
  inner.style.width = `${Math.min(100, 100 * share)}%`;
  if (colour) inner.style.background = colour;
  return el("span", { class: "bar", "aria-hidden": "true" }, inner);
}

function memberships(card, look) {
  const shares = [...card.memberships].sort((a, b) => b.share - a.share);
  const line = ({ name, share }) => {
    const k = look.names.indexOf(name);
    return el(
      "li",
      {},
      el("span", { class: "bar-name" }, swatch(k, look.theme), el("span", { class: "clip", title: name }, name)),
      bar(share, k < 0 ? null : hue(k, look.theme)),
      el("span", { class: "figure" }, percent(share)),
    );
  };
  const set = ({ name, mass }) =>
    el(
      "li",
      {},
      el("span", { class: "bar-name" }, el("span", { class: "clip", title: name }, name)),
      bar(mass),
      el("span", { class: "figure" }, percent(mass)),
    );
  const lines = shares.slice(0, look.compact ? 3 : 9).map(line);
  const sets = look.compact ? [] : (card.sets ?? []).slice(0, 6);
  return [
    el("h3", {}, "Belongs to"),
    el("ul", { class: "bars" }, lines),
    sets.length ? el("h3", {}, "Undecided between") : null,
    sets.length ? el("ul", { class: "bars" }, sets.map(set)) : null,
  ];
}

/** A bar to the left (below what is usual) or to the right (above it); three deviations fill it. */
function deviation(unusual) {
  if (unusual === null || unusual === undefined) return el("td");
  const inner = el("span", { class: "deviation-inner" });
  const share = Math.min(1, Math.abs(unusual) / 3) * 50;
  inner.style.width = `${share}%`;
  inner.style.left = `${unusual < 0 ? 50 - share : 50}%`;
  const words = `${Math.abs(unusual).toFixed(1)} deviations ${unusual < 0 ? "below" : "above"}`;
  return el("td", { title: words }, el("span", { class: "deviation", role: "img", "aria-label": words }, inner));
}

function values(card, blind) {
  if (!card.values.length) return null;
  const line = (value) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("span", { class: "clip", title: value.name }, value.name)),
      el("td", { class: "figure" }, value.value),
      blind ? null : [el("td", { class: "figure quiet" }, value.typical ?? ""), deviation(value.unusual)],
    );
  const heads = blind ? ["column", "here"] : ["column", "here", "usual", "off by"];
  const table = (some) =>
    el(
      "table",
      { class: "values" },
      el("thead", {}, el("tr", {}, heads.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, some.map(line)),
    );
  const rest = card.values.slice(SHOWN);
  return [
    el("h3", {}, blind ? "Columns" : "Most unusual for its cluster"),
    table(card.values.slice(0, SHOWN)),
    rest.length
      ? el("details", { class: "more" }, el("summary", { "data-focus": "more" }, `${rest.length} more`), table(rest))
      : null,
  ];
}

function nearest(card, look) {
  if (!card.near.length || look.compact) return null;
  const line = (near) =>
    el(
      "li",
      {},
      el(
        "button",
        { type: "button", class: "near", "data-focus": `near ${near.row}`, onclick: () => look.open(near.row) },
        near.picture ? el("img", { src: `/api/picture/${near.row}`, alt: "" }) : null,
        swatch(look.names.indexOf(near.label), look.theme),
        el("span", { class: "clip" }, el("strong", {}, near.label), ` row ${near.number}`, near.text ? `: ${near.text}` : ""),
      ),
    );
  return [el("h3", {}, "Nearest told rows"), el("ul", { class: "nears" }, card.near.map(line))];
}

function told(card, look) {
  if (card.skipped) return el("p", { class: "told" }, "You skipped this row.");
  if (!card.told) return null;
  const take = { type: "button", class: "quiet-button", "data-focus": "forget", onclick: () => look.forget(card) };
  const back = look.forget ? el("button", take, "Take back") : null;
  return el("p", { class: "told" }, el("span", {}, "You said: ", el("strong", {}, toldWords(card.told))), back);
}

const picture = ({ row, number }) =>
  el("img", { class: "picture", src: `/api/picture/${row}`, alt: `Picture of row ${number}` });

const text = ({ name, value }) =>
  el("figure", { class: "text" }, el("blockquote", {}, value), el("figcaption", {}, name));

/**
 * The contents of a card.
 *
 * look: {names, theme, compact, blind, open(row), forget(card)}; a blind card hides what the model thinks,
 * so that the answer to a row drawn by lot is the person's own.
 */
export function cardOf(card, look) {
  const blind = look.blind && !card.told;
  return [
    el("h2", {}, `Row ${card.number}`, card.key === null ? null : el("span", { class: "key clip" }, card.key)),
    told(card, look),
    card.picture ? picture(card) : null,
    card.text.map(text),
    blind
      ? el("p", { class: "quiet" }, "Drawn by lot to check the model. What the model thinks is hidden until you answer.")
      : el("p", { class: "quiet" }, card.sentence),
    look.compact ? null : values(card, blind),
    blind ? null : memberships(card, look),
    nearest(card, look),
  ].flat(2);
}
