// The page: joins the studio, the map, the keys and the document.

import { openDialogs } from "./dialogs.js";
import { $, still, stored } from "./dom.js";
import { gestures } from "./gestures.js";
import { inside, towards } from "./grid.js";
import { digit, listenToKeys } from "./keys.js";
import { MapView } from "./map.js";
import { renderer } from "./render.js";
import { openSliders } from "./sliders.js";
import { Studio } from "./studio.js";

export const map = new MapView($("map"));
export const studio = new Studio(map);
const TABS = ["questions", "disagreements", "pairs"];
const dialogs = openDialogs(studio);
let naming = null; // the cluster whose key was pressed before it had a name
document.documentElement.classList.toggle("still", still());

// ------------------------------------------------------------------ light and dark
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  studio.theme = theme;
  $("theme").textContent = theme === "dark" ? "Light" : "Dark";
  map.show({ theme });
  studio.changed();
}
const darkness = matchMedia("(prefers-color-scheme: dark)");
const preferred = () => stored.get("theme") ?? (darkness.matches ? "dark" : "light");
darkness.addEventListener("change", () => setTheme(preferred()));
setTheme(preferred());
$("theme").onclick = () => {
  stored.set("theme", studio.theme === "dark" ? "light" : "dark");
  setTheme(preferred());
};

// ------------------------------------------------------------------ what a person does
const act = {
  open: (row) => {
    if (studio.tab === "pairs") studio.show("questions").then(() => studio.pick(row));
    else studio.pick(row);
  },
  question: (k) => studio.question(k),
  unlink: (row, other) => studio.unlink(row, other),
  choose(index, several) {
    const { state } = studio;
    if (studio.tab === "pairs") return studio.say("In pairs, answer with m (same) or c (not the same).");
    const name = state.classes[index]?.name;
    if (name !== undefined) return several ? studio.addToSubset(name) : studio.tell({ [name]: 1 });
    const cluster = state.unnamed.find((one) => one.index === index);
    if (!cluster) return studio.say(`There is no class ${index + 1}. Press t to name a new one.`);
    naming = cluster.name;
    act.newClass();
  },
  digit: (event) => act.choose(digit(event) - 1, false),
  shiftDigit: (event) => act.choose(digit(event) - 1, true),
  enter() {
    if (studio.mode === "link" && studio.current >= 0) return studio.pick(studio.current);
    if (studio.subset.length) studio.tell(Object.fromEntries(studio.subset.map((name) => [name, 1])));
  },
  none: () => (studio.tab === "pairs" ? studio.step(1) : studio.none()),
  skip: () => studio.skip(),
  async sliders() {
    if (studio.tab === "pairs" || (studio.current < 0 && !studio.chosen.length)) return studio.say("No row is open.");
    if (!studio.state.classes.length) return studio.say("There is no class yet: type the name of the first one.");
    if (!$("sliders").hidden) return ($("sliders").hidden = true);
    const card = studio.current < 0 ? null : await studio.card(studio.current);
    openSliders($("sliders"), studio, card, (degrees) => {
      studio.tell(degrees);
      $("panel").focus();
    });
  },
  newClass() {
    $("name").placeholder = naming ? `Name of ${naming}` : "New class";
    $("name").focus();
  },
  ask() {
    if (studio.tab === "pairs") return studio.show("pairs");
    return studio.show("questions").then(() => studio.ask());
  },
  next: () => studio.step(1),
  previous: () => studio.step(-1),
  follow() {
    studio.following = !studio.following;
    if (studio.following) map.centre(studio.current);
    else map.home();
    studio.say(studio.following ? "The map follows the questions." : "The map stays.");
  },
  tabQuestions: () => studio.show("questions"),
  tabDisagreements: () => studio.show("disagreements"),
  tabPairs: () => studio.show("pairs"),
  goto: () => dialogs.goto(),
  lasso() {
    studio.setMode("lasso");
    if (studio.mode === "lasso") queueMicrotask(() => $("lasso-count").select()); // after the form is shown
  },
  link: () => studio.setMode("link"),
  must: () => studio.link(true),
  cannot: () => studio.link(false),
  zoom: (event) => map.zoom("+=".includes(event.key) ? 1.4 : 1 / 1.4),
  home: () => map.home(),
  undo: () => studio.undo(),
  redo: () => studio.redo(),
  settings: () => dialogs.settings(),
  leave() {
    naming = null;
    $("sliders").hidden = true;
    $("export").open = false;
    studio.leave();
  },
  help: () => dialogs.help(),
  /** Enter tells an "A or B" even if some button has the focus, unless it is the button that drops it. */
  busy: (event) => event.key === "Enter" && studio.subset.length > 0 && event.target.id !== "tell",
};

const BUTTONS = {
  none: act.none, skip: act.skip, ask: act.ask, next: act.next, previous: act.previous, lasso: act.lasso,
  link: act.link, follow: act.follow, must: act.must, cannot: act.cannot, undo: act.undo, redo: act.redo,
  home: act.home, tell: act.enter, "open-sliders": act.sliders, "open-help": act.help, "open-settings": act.settings,
  "pair-same": act.must, "pair-not": act.cannot, "pair-skip": act.skip,
  "zoom-in": () => map.zoom(1.4), "zoom-out": () => map.zoom(1 / 1.4),
  "unsent-send": () => studio.answers.again(), "unsent-drop": () => studio.answers.drop(),
  several: () => {
    studio.several = !studio.several && !studio.subset.length;
    studio.subset = [];
    studio.say(studio.several ? "Choose all classes that may be right, then tell them." : "");
  },
};
for (const [id, press] of Object.entries(BUTTONS)) $(id).addEventListener("click", () => press());
document.querySelectorAll("[data-leave]").forEach((button) => button.addEventListener("click", act.leave));
document.addEventListener("click", (event) => {
  if (event.detail > 0) event.target.closest?.("button")?.blur(); // so that space skips after a click of the mouse
  if (!event.target.closest?.("#export")) $("export").open = false;
});

TABS.forEach((name, k) => {
  const button = $(`tab-${name}`);
  button.onclick = () => studio.show(name);
  button.onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = TABS[(k + by + TABS.length) % TABS.length];
    $(`tab-${next}`).focus();
    studio.show(next);
  };
});

$("name-form").onsubmit = (event) => {
  event.preventDefault();
  const name = $("name").value.trim();
  if (!name) return;
  $("name").value = "";
  $("name").blur();
  naming = null;
  $("name").placeholder = "New class";
  if (studio.current >= 0 || studio.chosen.length) studio.tell({ [name]: 1 });
  else studio.send([{ do: "class", name }], `There is a class ${name}`);
};
$("lasso-form").onsubmit = (event) => {
  event.preventDefault();
  $("lasso-count").blur();
  studio.chooseNearest(Number($("lasso-count").value) || 1);
};

// ------------------------------------------------------------------ the map
const DWELL = 140; // ms that the mouse rests on a row before its card appears
let hovered = -1;
let dwell = 0;
gestures(map, {
  pick(row) {
    hideHover();
    studio.pick(row);
  },
  lassoing: () => studio.mode === "lasso",
  lasso(polygon) {
    const found = inside(map.points, polygon);
    if (found.length) studio.choose(found);
    else studio.say("No row is inside the line.");
  },
  hover(row, x, y) {
    if (row === hovered) return;
    hideHover();
    hovered = row;
    if (row < 0 || studio.mode === "lasso") return;
    const blind = studio.asked?.row === row && studio.asked.reason === "audit";
    dwell = setTimeout(async () => {
      if (await putCard($("hover"), row, { compact: true, forget: null, blind })) placeHover(row, x, y);
    }, DWELL);
  },
});

function hideHover() {
  clearTimeout(dwell);
  $("hover").hidden = true;
}
document.addEventListener("keydown", hideHover);

function placeHover(row, x, y) {
  const node = $("hover");
  node.hidden = hovered !== row;
  if (node.hidden) return;
  node.style.left = `${x > map.width / 2 ? Math.max(8, x - node.offsetWidth - 18) : x + 18}px`;
  node.style.top = `${Math.max(8, Math.min(map.height - node.offsetHeight - 8, y - 30))}px`;
}

map.root.addEventListener("keydown", (event) => {
  const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (!by || event.target !== map.root) return;
  event.preventDefault();
  if (event.shiftKey) return map.pan(-60 * by[0], 60 * by[1]);
  const from = map.pointOf(studio.current);
  const next = from < 0 ? 0 : towards(map.points, from, ...by);
  if (next < 0) return studio.say("There is no row further in this direction.");
  studio.pick(map.rowOf(next));
  if (studio.mode !== "link") studio.say(`Row ${studio.numberOf(studio.current)}`);
});

/** Draw once, however many things change. */
const { render, putCard } = renderer(studio, map, act);
let drawing = false;
studio.addEventListener("change", () => {
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    render();
    dialogs.render();
  });
});

listenToKeys(act, () => stored.get("keys") !== false);

/** Begin; if the server is not there yet, try again. */
async function begin() {
  await studio.start();
  if (!studio.state) {
    $("banner").hidden = false;
    $("banner").textContent = studio.trouble ?? "The studio does not answer. Trying again.";
    return void setTimeout(begin, 1500);
  }
  dialogs.story(false);
}
begin();
