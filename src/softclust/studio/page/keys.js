// All keys in one table: it answers key presses and fills the list of keys.

import { el } from "./dom.js";

/** [keys as shown, what they do, does the event match?, name of the action] */
const TABLE = [
  ["Answer", [
    ["1 to 9", "the row is this class", (e) => digit(e) > 0 && !e.shiftKey, "digit"],
    ["Shift + 1 to 9", "add the class to “A or B”", (e) => digit(e) > 0 && e.shiftKey, "shiftDigit"],
    ["Enter", "tell “A or B” or the sliders; begin a link at the open row", (e) => e.key === "Enter", "enter"],
    ["0", "none of these", (e) => digit(e) === 0, "none"],
    ["Space", "skip: I cannot say", (e) => e.key === " ", "skip"],
    ["S", "sliders: a bit of each class", is("s"), "sliders"],
    ["T", "type the name of a new class", is("t"), "newClass"],
  ]],
  ["Questions", [
    ["A", "ask me new questions", is("a"), "ask"],
    ["N", "next question", is("n"), "next"],
    ["P", "previous question", is("p"), "previous"],
    ["F", "follow: the map goes to each question", is("f"), "follow"],
    ["Q", "tab of questions", is("q"), "tabQuestions"],
    ["W", "tab of disagreements", is("w"), "tabDisagreements"],
    ["E", "tab of pairs", is("e"), "tabPairs"],
  ]],
  ["Map", [
    ["G", "go to a row by its number", is("g"), "goto"],
    ["L", "lasso, or the rows nearest to the open row", is("l"), "lasso"],
    ["D", "draw a link between two rows", is("d"), "link"],
    ["M", "the two rows belong together", is("m"), "must"],
    ["C", "the two rows do not belong together", is("c"), "cannot"],
    ["+ and −", "zoom in and out", (e) => "+=-−".includes(e.key), "zoom"],
    ["H", "the whole map", is("h"), "home"],
    ["Arrow keys", "on the map: go to the next row there; with shift: move the map", () => false, ""],
  ]],
  ["Session", [
    ["U or Ctrl + Z", "undo", (e) => is("u")(e) || (command(e) && !e.shiftKey && e.key.toLowerCase() === "z"), "undo"],
    ["Ctrl + Shift + Z", "redo", (e) => command(e) && ((e.shiftKey && e.key.toLowerCase() === "z") || e.key.toLowerCase() === "y"), "redo"],
    ["R", "rename classes, change the model", is("r"), "settings"],
    ["Escape", "leave what is half done", (e) => e.key === "Escape", "leave"],
    ["?", "this list", (e) => e.key === "?", "help"],
  ]],
];

/** The digit of a key, wherever the layout puts it; -1 for other keys. */
export function digit(event) {
  const found = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
  return found ? Number(found[1]) : -1;
}

function is(letter) {
  return (event) => event.key.toLowerCase() === letter && !command(event);
}

const command = (event) => event.ctrlKey || event.metaKey;
const TYPING = "input, select, textarea, [contenteditable]";
const PRESSABLE = "button, a[href], summary";

/** Call act[name](event) for a key of the table; `act.busy(event)` may claim enter from a focused button. */
export function listenToKeys(act, enabled) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
    const typing = event.target.closest?.(TYPING)?.checkVisibility(); // a field of a closed dialog may keep the focus
    if (typing && event.key !== "Escape") return;
    if (!enabled() && !["Escape", "?"].includes(event.key)) return;
    const pressed = event.key === " " || event.key === "Enter";
    if (pressed && event.target.closest?.(PRESSABLE) && !act.busy(event)) return;
    if (command(event) && !["z", "y", "Z", "Y"].includes(event.key)) return;
    for (const [, lines] of TABLE)
      for (const [, , matches, name] of lines)
        if (matches(event)) {
          event.preventDefault();
          if (typing) event.target.blur();
          act[name](event);
          return;
        }
  });
}

/** The list of all keys, for the dialog of help. */
export const keyList = () =>
  TABLE.map(([title, lines]) =>
    el(
      "section",
      {},
      el("h3", {}, title),
      el("dl", {}, lines.map(([keys, words]) => el("div", {}, el("dt", {}, el("kbd", {}, keys)), el("dd", {}, words)))),
    ),
  );
