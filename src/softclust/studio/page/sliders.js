// A soft label: one slider a class, shown and told as shares that sum to one.

import { swatch } from "./card.js";
import { el, fill } from "./dom.js";

const RANGE = { type: "range", min: 0, max: 100, step: 5 };

/** Whole percentages that sum to 100, nearest to the weights; an empty list if all weights are zero. */
export function hundred(weights) {
  const sum = weights.reduce((a, b) => a + b, 0);
  if (!sum) return [];
  const exact = weights.map((weight) => (100 * weight) / sum);
  const whole = exact.map(Math.floor);
  const order = exact.map((value, k) => [value - whole[k], k]).sort((a, b) => b[0] - a[0]);
  for (let k = 0, left = 100 - whole.reduce((a, b) => a + b, 0); k < left; k++) whole[order[k][1]]++;
  return whole;
}

/** Open the sliders in a form; `tell` gets the degrees. They begin at the memberships of the row. */
export function openSliders(form, studio, card, tell) {
  const names = studio.state.classes.map((one) => one.name);
  const start = names.map((name) => Math.round(100 * (card?.memberships.find((one) => one.name === name)?.share ?? 0)));
  const figures = names.map(() => el("output", { class: "figure" }));
  const inputs = names.map((name, k) =>
    el("input", { ...RANGE, value: start[k], "aria-label": `Share of ${name}`, oninput: update }),
  );
  function update() {
    const shares = hundred(inputs.map((input) => Number(input.value)));
    figures.forEach((figure, k) => (figure.textContent = shares.length ? `${shares[k]}%` : "0%"));
    inputs.forEach((input, k) => input.setAttribute("aria-valuetext", figures[k].textContent));
  }
  form.onsubmit = (event) => {
    event.preventDefault();
    const shares = hundred(inputs.map((input) => Number(input.value)));
    if (!shares.length) return studio.say("Move at least one slider, or press 0 for none of these.");
    form.hidden = true;
    tell(Object.fromEntries(names.map((name, k) => [name, shares[k] / 100]).filter(([, share]) => share > 0)));
  };
  form.onkeydown = (event) => {
    if (event.key !== "Enter" || event.target.closest("button")) return;
    event.preventDefault();
    form.requestSubmit();
  };
  fill(
    form,
    el("h3", {}, "A bit of each"),
    names.map((name, k) => {
      const shown = el("span", { class: "bar-name" }, swatch(k, studio.theme), el("span", { class: "clip" }, name));
      return el("label", { class: "slider" }, shown, inputs[k], figures[k]);
    }),
    el(
      "p",
      { class: "row-of-buttons" },
      el("button", { class: "strong-button" }, "Tell these shares"),
      el("button", { type: "button", onclick: () => (form.hidden = true) }, "Close"),
    ),
  );
  form.hidden = false;
  update();
  inputs[0]?.focus();
}
