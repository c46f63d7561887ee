// Small helpers for the document. Text becomes text nodes only; no markup is ever parsed.

export const $ = (id) => document.getElementById(id);

/** Make an element. Attributes that are false or null are left out; "on..." are listeners. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** Make an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Replace the children of a node, and keep the keyboard focus on the element with the same data-focus. */
export function fill(node, ...children) {
  const active = document.activeElement;
  const kept = active && node.contains(active) ? active.dataset.focus : null;
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  if (kept) [...node.querySelectorAll("[data-focus]")].find((other) => other.dataset.focus === kept)?.focus();
}

/** A share as a whole percentage. */
export const percent = (share) => `${Math.round(100 * share)}%`;

/** "1 row", "2 rows". */
export const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

/** "a", "a or b", "a, b or c". */
export const either = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

/** A value in the browser's store that a private window may refuse. */
export const stored = {
  get(key, store = localStorage) {
    try {
      return JSON.parse(store.getItem(`softclust-${key}`));
    } catch {
      return null;
    }
  },
  set(key, value, store = localStorage) {
    try {
      store.setItem(`softclust-${key}`, JSON.stringify(value));
    } catch {
      // The page works without a store.
    }
  },
};

/** True if nothing may move: the address has ?still, or the system asks for less motion. */
export const still = () =>
  new URLSearchParams(location.search).has("still") || matchMedia("(prefers-reduced-motion: reduce)").matches;
