// Dialogs: the three steps, all keys, settings, going to a row; and the choice of a view.

import { post } from "./api.js";
import { swatch } from "./card.js";
import { $, el, fill, stored, svg } from "./dom.js";
import { keyList } from "./keys.js";
import { hue } from "./paint.js";

function options(select, choices, chosen) {
  fill(select, choices.map(([value, words]) => el("option", { value, selected: value === chosen }, words)));
  select.value = chosen;
}

/** Fill the dialogs and listen to them. */
export function openDialogs(studio) {
  const seen = () => stored.get("story") === studio.state.title;

  function story(asked = true) {
    if (!asked && (!studio.state.story || seen() || studio.state.rev > 0)) return;
    const words = (studio.state.story ?? "").split("\n\n").filter(Boolean);
    fill($("story-words"), words.map((paragraph) => el("p", {}, paragraph)));
    $("steps").hidden = words.length > 0;
    fill($("story-legend"), legend());
    $("story").showModal();
    stored.set("story", studio.state.title);
  }

  /** A picture of the map's signs. */
  function legend() {
    const disc = (share, k) => {
      const dot = svg("circle", { cx: 12 + 20 * k, cy: 12, r: 7 });
      dot.style.fill = hue(0, studio.theme);
      dot.style.opacity = share;
      return dot;
    };
    const discs = [1, 0.8, 0.6, 0.4, 0.2].map(disc);
    const sign = (picture, words) => el("li", {}, picture, el("span", {}, words));
    return [
      sign(svg("svg", { viewBox: "0 0 104 24", width: 104, height: 24, "aria-hidden": "true" }, ...discs), "sure to doubtful"),
      sign(swatch(1, studio.theme), "you told it"),
      sign(el("span", { class: "cross", "aria-hidden": "true" }, "×"), "outlier"),
    ];
  }

  function help() {
    if (!$("keys").childElementCount) fill($("keys"), keyList());
    $("keys-on").checked = stored.get("keys") !== false;
    $("help").showModal();
    $("help").scrollTop = 0; // the focus is on the switch below the list
  }

  function settings() {
    const { settings: now, columns, model } = studio.state;
    options($("method"), now.methods.map((name) => [name, name === "auto" ? "Automatic" : name]), now.method);
    $("method-words").textContent = now.method === "auto"
      ? `Now ${model}. Your answers decide: clusters, or labels that spread along the rows.` : "";
    options($("strategy"), now.strategies.map((name) => [name, name]), now.strategy);
    $("clusters").value = now.clusters;
    const line = ({ name, role, why }) => el("li", {}, el("strong", {}, name), ` ${role}${why ? `: ${why}` : ""}`);
    fill($("columns"), columns.map(line));
    render.shown = null;
    $("settings").showModal();
    render();
  }

  function goto() {
    $("goto").showModal();
    $("goto-row").value = studio.current < 0 ? "" : studio.numberOf(studio.current);
    $("goto-row").select();
  }

  function renameForm(name, k) {
    const focus = { "data-focus": `rename ${k}` };
    const input = el("input", { value: name, maxlength: 80, "aria-label": `New name of ${name}`, ...focus });
    const onsubmit = (event) => {
      event.preventDefault();
      const value = input.value.trim();
      if (value && value !== name) studio.send([{ do: "rename", name, value }], `${name} is now called ${value}`);
    };
    return el("form", { class: "rename", onsubmit }, swatch(k, studio.theme), input, el("button", {}, "Rename"));
  }

  /** What depends on the state: the chooser of views, and the names of classes. */
  function render() {
    const { views, view, columns, classes } = studio.state;
    if (document.activeElement !== $("view")) options($("view"), views.map(({ id, name }) => [id, name]), view.id);
    const features = columns.filter((column) => column.role === "feature").map(({ name }) => [name, name]);
    $("axes").hidden = view.id !== "columns";
    if (view.id === "columns" && !$("axes").contains(document.activeElement)) {
      options($("axis-x"), features, view.x);
      options($("axis-y"), features, view.y);
    }
    const names = classes.map((one) => one.name).join("\n");
    if (!$("settings").open || render.shown === names) return;
    render.shown = names;
    const nobody = el("p", { class: "quiet" }, "No class has a name yet.");
    fill($("renames"), classes.length ? classes.map((one, k) => renameForm(one.name, k)) : nobody);
  }

  $("view").onchange = () => {
    const id = $("view").value;
    const features = studio.state.columns.filter((column) => column.role === "feature");
    const view = id === "columns" ? { id, x: features[0].name, y: features[Math.min(1, features.length - 1)].name } : { id };
    studio.settings({ view }, "The view changed");
    $("view").blur();
  };
  $("axis-x").onchange = $("axis-y").onchange = () =>
    studio.settings({ view: { id: "columns", x: $("axis-x").value, y: $("axis-y").value } }, "The view changed");
  $("model-form").onsubmit = (event) => {
    event.preventDefault();
    const { settings: now } = studio.state;
    const wanted = { method: $("method").value, clusters: Number($("clusters").value), strategy: $("strategy").value };
    const changes = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== now[name]));
    if (Object.keys(changes).length) studio.settings(changes, "The settings changed");
    $("settings").close();
  };
  $("goto-form").onsubmit = async (event) => {
    event.preventDefault();
    const number = Number($("goto-row").value);
    $("goto").close();
    const row = await studio.rowNumbered(number).catch((error) => studio.lost(error));
    if (row >= 0) studio.pick(row);
    else if (row === -1) studio.say(`There is no row ${number}, or it was left out.`);
  };
  $("goto-close").onclick = () => $("goto").close();
  $("settings-close").onclick = () => $("settings").close();
  $("keys-on").onchange = () => stored.set("keys", $("keys-on").checked);
  $("open-story").onclick = () => {
    $("help").close();
    story();
  };
  $("quit").onclick = async () => {
    $("settings").close();
    await post("/api/quit", {}).catch(() => {});
  };
  return { story, help, settings, goto, render };
}
