// What the page shows: each function writes one part of the document from what the studio knows.

import { cardOf } from "./card.js";
import { $, el, fill, plural } from "./dom.js";
import { classBar, disagreementTable, linkTable, progressCurve, questionTable } from "./panels.js";

const fileLink = (name) => el("a", { href: `/api/export/${encodeURIComponent(name)}`, download: name }, name);
const TABS = ["questions", "disagreements", "pairs"];

/** Return render(), which draws everything, and putCard(node, row, look). */
export function renderer(studio, map, act) {
  const look = (more = {}) => ({
    names: studio.state.names,
    theme: studio.theme,
    open: (row) => act.open(row),
    forget: (card) => studio.forget(card.row),
    ...more,
  });

  async function putCard(node, row, more) {
    if (row < 0) return false;
    const wanted = String(row);
    if (node.dataset.row !== wanted) node.classList.add("loading");
    node.dataset.wanted = wanted;
    try {
      const card = await studio.card(row);
      if (node.dataset.wanted !== wanted) return false; // another row was opened meanwhile
      fill(node, ...cardOf(card, look(more)));
      node.dataset.row = wanted;
    } catch (error) {
      studio.lost(error);
    }
    node.classList.remove("loading");
    return true;
  }

  function emptyCard() {
    const words = studio.hungry
      ? "The model learns; the next questions come at once."
      : "Choose a row on the map, or press A to be asked.";
    delete $("card").dataset.wanted;
    delete $("card").dataset.row;
    fill($("card"), el("p", { class: "quiet" }, words));
  }

  function whyWords() {
    if (studio.tab === "pairs") return studio.pairs[studio.pairAt]?.why ?? "No pair is worth a question now.";
    if (studio.tab === "disagreements") return studio.disagreements.find((one) => one.row === studio.current)?.why ?? "";
    if (studio.asked) return studio.asked.why;
    return studio.current < 0 ? "" : "You chose this row.";
  }

  function renderPanel() {
    const { tab } = studio;
    for (const name of TABS) {
      const button = $(`tab-${name}`);
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
    }
    $("panel").setAttribute("aria-labelledby", `tab-${tab}`);
    $("why").textContent = whyWords();
    const pair = tab === "pairs" ? studio.pairs[studio.pairAt] : null;
    $("pair").hidden = !pair;
    $("card").hidden = tab === "pairs";
    $("questions").hidden = tab !== "questions";
    $("disagreements").hidden = tab !== "disagreements";
    $("links").hidden = tab !== "pairs";
    $("ask").hidden = tab === "disagreements";
    if (pair) {
      putCard($("pair-one"), pair.row, { forget: null });
      putCard($("pair-other"), pair.other, { forget: null });
    }
    if (studio.current < 0) emptyCard();
    else if (tab !== "pairs") putCard($("card"), studio.current, { blind: studio.asked?.reason === "audit" });
    if (tab === "questions") questionTable($("questions"), studio, act);
    if (tab === "disagreements") disagreementTable($("disagreements"), studio, act);
    if (tab === "pairs") linkTable($("links"), studio, act);
  }

  function renderMap() {
    const { state, mode, chosen } = studio;
    $("lasso").setAttribute("aria-pressed", String(mode === "lasso"));
    $("link").setAttribute("aria-pressed", String(mode === "link"));
    $("follow").setAttribute("aria-pressed", String(studio.following));
    $("lasso-form").hidden = mode !== "lasso";
    $("link-form").hidden = mode !== "link";
    const ready = studio.first >= 0 && studio.current !== studio.first;
    $("link-words").textContent =
      studio.first < 0
        ? "Choose the first row of the link; enter takes the open row."
        : ready
          ? `Rows ${studio.numberOf(studio.first)} and ${studio.numberOf(studio.current)}: do they belong together?`
          : `Link from row ${studio.numberOf(studio.first)}: choose the other row.`;
    $("must").disabled = $("cannot").disabled = !ready;
    $("chosen-form").hidden = !chosen.length;
    $("chosen-words").textContent = `${plural(chosen.length, "row")} chosen. Which class? They count with strength 0.3.`;
    map.root.dataset.mode = mode;
    const some = `; ${state.drawn.toLocaleString("en")} of ${plural(state.rows, "row")} are drawn`;
    const sample = state.drawn < state.rows ? some : "";
    map.root.setAttribute("aria-label", `Map of ${plural(state.rows, "row")}. Arrow keys go from row to row.`);
    $("axis-words").textContent = `across: ${state.view.x}, up: ${state.view.y}${sample}`;
  }

  function renderStrip() {
    const { state } = studio;
    $("curve-words").textContent = progressCurve($("curve"), studio.progress);
    $("advice").textContent = $("advice").title = state.advice?.sentence ?? "";
    $("status").textContent = studio.status;
    $("undo").title = state.undo ? `Undo: ${state.undo}` : "There is nothing to undo";
    $("undo").setAttribute("aria-disabled", String(!state.undo));
    $("redo").title = state.redo ? `Redo: ${state.redo}` : "There is nothing to redo";
    $("redo").setAttribute("aria-disabled", String(!state.redo));
    if ($("files").childElementCount !== state.files.length)
      fill($("files"), state.files.map((name) => el("li", {}, fileLink(name))));
  }

  function renderTop() {
    const { state, answers } = studio;
    const { hard, soft, subset, none, bulk, must, cannot } = state.counts;
    const parts = [plural(state.rows, "row"), plural(hard + soft + subset + none, "answer")];
    if (bulk) parts.push(`${bulk} by lasso`);
    if (must + cannot) parts.push(plural(must + cannot, "link"));
    parts.push(answers.queue.length ? "saving" : state.saved ? "saved" : "not saved");
    $("facts").textContent = parts.join(" · ");
    $("title").textContent = state.title;
    document.title = `${state.title} · softclust studio`;
    const problem = studio.trouble ?? state.problem;
    $("banner").hidden = !problem;
    $("banner").textContent = problem ?? "";
    const { kept } = answers;
    $("unsent").hidden = !kept.length;
    $("unsent-words").textContent = kept.length
      ? `Not sent, because the session changed meanwhile: ${kept.map((change) => change.words).join("; ")}.`
      : "";
  }

  function renderAnswers() {
    classBar($("classes"), studio, act);
    $("several").setAttribute("aria-pressed", String(studio.several || studio.subset.length > 0));
    $("tell").hidden = !studio.subset.length;
  }

  function render() {
    renderTop();
    renderMap();
    renderPanel();
    renderAnswers();
    renderStrip();
  }
  return { render, putCard };
}
