// The map: rows as pixels below, marks (told rows, links, lasso) above, and the view that zooms and pans.

import { still } from "./dom.js";
import { Grid } from "./grid.js";
import { FLAG, SHAPES, hue, outline, paint, palette, radiusFor } from "./paint.js";

const MARGIN = 26; // pixels of the screen around the rows
const TOOLS = 34; // further pixels above them, for the buttons
const CLOSEST = 60; // the greatest zoom
const MOST_MARKS = 3000; // told rows that get a shape of their own

export class MapView {
  constructor(root) {
    this.root = root;
    [this.base, this.old, this.marks] = root.querySelectorAll("canvas");
    this.pulse = root.querySelector(".pulse");
    this.points = new Float32Array(0);
    this.members = new Uint8Array(0);
    this.rows = null; // row numbers of the points, if not all rows are drawn
    this.places = null; // row number -> point, the other way round
    this.grid = new Grid(this.points);
    this.clusters = 1;
    this.theme = "light";
    this.links = [];
    this.current = -1;
    this.first = -1; // the row at which a link begins
    this.chosen = []; // points of a lasso
    this.path = []; // corners of the lasso while it is drawn, in pixels
    this.zoomed = 1;
    this.left = 0; // the part of the unit square that is seen begins here
    this.low = 0;
    this.waiting = 0;
    new ResizeObserver(() => this.resize()).observe(root);
  }

  // ------------------------------------------------------------------ what is shown
  setPoints(points, rows) {
    this.points = points;
    this.rows = rows;
    this.places = rows && new Map(Array.from(rows, (row, point) => [row, point]));
    this.grid = new Grid(points);
    if (this.members.length !== (points.length / 2) * 3) this.members = new Uint8Array((points.length / 2) * 3);
    this.chosen = [];
    this.home();
  }

  setMembers(members, clusters) {
    const moved = this.members.length === members.length && this.clusters === clusters;
    if (moved && !still()) this.fade();
    this.members = members;
    this.clusters = Math.max(1, clusters);
    this.draw();
  }

  /** Keep the old picture above the new one and let it vanish. */
  fade() {
    if (!this.old.width) return;
    this.old.getContext("2d").drawImage(this.base, 0, 0);
    this.old.getAnimations().forEach((running) => running.cancel());
    this.old.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 260, easing: "ease-out" });
  }

  /** Change what the marks show: current, first, links, chosen, path or theme. */
  show(changes) {
    const repaint = "theme" in changes && changes.theme !== this.theme;
    Object.assign(this, changes);
    if (repaint) this.draw();
    else this.drawMarks();
  }

  // ------------------------------------------------------------------ rows and places
  rowOf(point) {
    return this.rows ? this.rows[point] : point;
  }

  /** The point of a row, or -1 if the row is not drawn. */
  pointOf(row) {
    if (this.places) return this.places.get(row) ?? -1;
    return row >= 0 && row < this.points.length / 2 ? row : -1;
  }

  /** The transformation of this view, in pixels of the screen times `scale`. */
  view(scale = 1) {
    const wide = (this.width - 2 * MARGIN) * this.zoomed;
    const high = (this.height - TOOLS - 2 * MARGIN) * this.zoomed;
    return {
      sx: wide * scale,
      sy: high * scale,
      ox: (MARGIN - this.left * wide) * scale,
      oy: (this.height - MARGIN + this.low * high) * scale,
    };
  }

  placeOf(point) {
    const { sx, sy, ox, oy } = this.view();
    return [ox + this.points[2 * point] * sx, oy - this.points[2 * point + 1] * sy];
  }

  /** Where a row is on the map, in pixels from its upper left corner. */
  screenOf(row) {
    return this.placeOf(this.pointOf(row));
  }

  toData(x, y) {
    const { sx, sy, ox, oy } = this.view();
    return [(x - ox) / sx, (oy - y) / sy];
  }

  /** The row nearest to a place, at most `reach` pixels away; -1 if there is none. */
  rowAt(x, y, reach = 14) {
    const { sx, sy } = this.view();
    const point = this.grid.nearest(...this.toData(x, y), reach / sx, reach / sy);
    return point < 0 ? -1 : this.rowOf(point);
  }

  flags(row) {
    const point = this.pointOf(row);
    return point < 0 ? 0 : this.members[3 * point + 2];
  }

  // ------------------------------------------------------------------ the view
  home() {
    Object.assign(this, { zoomed: 1, left: 0, low: 0 });
    this.viewed();
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const [u, v] = this.toData(x, y);
    this.zoomed = Math.max(1, Math.min(CLOSEST, this.zoomed * factor));
    const [u2, v2] = this.toData(x, y);
    this.left += u - u2;
    this.low += v - v2;
    this.viewed();
  }

  pan(dx, dy) {
    const { sx, sy } = this.view();
    this.left -= dx / sx;
    this.low += dy / sy;
    this.viewed();
  }

  centre(row) {
    const point = this.pointOf(row);
    if (point < 0) return;
    this.zoomed = Math.max(this.zoomed, 3);
    this.left = this.points[2 * point] - 0.5 / this.zoomed;
    this.low = this.points[2 * point + 1] - 0.5 / this.zoomed;
    this.viewed();
  }

  viewed() {
    const most = 1 - 1 / this.zoomed; // half a window beyond the rows is far enough
    const slack = this.zoomed === 1 ? 0 : 0.5 / this.zoomed;
    this.left = Math.max(-slack, Math.min(most + slack, this.left));
    this.low = Math.max(-slack, Math.min(most + slack, this.low));
    this.root.classList.toggle("zoomed", this.zoomed > 1);
    this.draw();
  }

  // ------------------------------------------------------------------ drawing
  resize() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!width || !height) return;
    this.scale = Math.min(2, devicePixelRatio || 1);
    Object.assign(this, { width, height });
    for (const canvas of [this.base, this.old, this.marks]) {
      canvas.width = Math.round(width * this.scale);
      canvas.height = Math.round(height * this.scale);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    this.image = this.base.getContext("2d").createImageData(this.base.width, this.base.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.drawNow();
  }

  draw() {
    this.waiting ||= requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    if (!this.image) return;
    const began = performance.now();
    const style = getComputedStyle(this.root);
    this.colours = { ink: style.getPropertyValue("--ink").trim(), ground: style.getPropertyValue("--ground").trim() };
    this.colours.accent = style.getPropertyValue("--accent").trim();
    const scene = {
      points: this.points,
      members: this.members,
      palette: palette(this.clusters, this.theme, this.colours),
      radius: this.radius() * this.scale,
    };
    const frame = { pixels: this.pixels, width: this.base.width, height: this.base.height };
    paint(frame, scene, this.view(this.scale));
    this.base.getContext("2d").putImageData(this.image, 0, 0);
    this.drawMarks();
    this.lasted = performance.now() - began;
  }

  /** Points grow a little when the map is zoomed. */
  radius() {
    return Math.min(6, radiusFor(this.points.length / 2) * Math.min(2, this.zoomed ** 0.35));
  }

  drawMarks() {
    if (!this.image || !this.colours) return;
    const pen = this.marks.getContext("2d");
    pen.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    this.drawLinks(pen);
    this.drawTold(pen);
    this.drawChosen(pen);
    this.drawCurrent(pen);
  }

  drawLinks(pen) {
    pen.lineWidth = 1.6;
    pen.strokeStyle = this.colours.ink;
    for (const [row, other, same] of this.links) {
      const ends = [this.pointOf(row), this.pointOf(other)];
      if (ends.includes(-1)) continue;
      pen.setLineDash(same ? [] : [5, 4]);
      pen.beginPath();
      pen.moveTo(...this.placeOf(ends[0]));
      pen.lineTo(...this.placeOf(ends[1]));
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  drawTold(pen) {
    const r = Math.max(5.5, this.radius() + 1.5);
    const wanted = FLAG.told | FLAG.disagrees | FLAG.none;
    let drawn = 0;
    for (let i = 0; i < this.points.length / 2; i++) {
      const flags = this.members[3 * i + 2];
      if (!(flags & wanted) || (flags & FLAG.bulk && !(flags & FLAG.disagrees))) continue;
      if (++drawn > MOST_MARKS) break;
      const [x, y] = this.placeOf(i);
      if (x < -r || y < -r || x > this.width + r || y > this.height + r) continue;
      const winner = this.members[3 * i];
      pen.beginPath();
      outline(pen, flags & FLAG.none ? "circle" : SHAPES[winner % SHAPES.length], x, y, r);
      pen.lineWidth = 4.5; // a ring of the ground's colour sets the mark off from its neighbours
      pen.strokeStyle = this.colours.ground;
      pen.stroke();
      pen.fillStyle = flags & FLAG.none || winner === 255 ? this.colours.ground : hue(winner, this.theme);
      pen.fill();
      pen.lineWidth = 1.7;
      pen.strokeStyle = this.colours.ink;
      pen.stroke();
      if (flags & FLAG.disagrees) this.ring(pen, x, y, r + 5, [3, 3]);
    }
  }

  ring(pen, x, y, r, dashes) {
    pen.beginPath();
    pen.setLineDash(dashes);
    pen.lineWidth = 1.6;
    pen.strokeStyle = this.colours.ink;
    pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.stroke();
    pen.setLineDash([]);
  }

  drawChosen(pen) {
    pen.strokeStyle = this.colours.accent;
    pen.fillStyle = this.colours.accent;
    const r = Math.max(2, this.radius() / 2);
    for (const point of this.chosen) {
      const [x, y] = this.placeOf(point);
      pen.fillRect(x - r / 2, y - r / 2, r, r);
    }
    if (this.path.length < 2) return;
    pen.beginPath();
    this.path.forEach(([x, y], k) => pen[k ? "lineTo" : "moveTo"](x, y));
    pen.closePath();
    pen.globalAlpha = 0.12;
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = 1.5;
    pen.stroke();
  }

  drawCurrent(pen) {
    const from = this.pointOf(this.first);
    const point = this.pointOf(this.current);
    if (from >= 0) {
      const [x, y] = this.placeOf(from);
      this.ring(pen, x, y, 11, []);
      if (point >= 0 && point !== from) {
        pen.beginPath();
        pen.setLineDash([2, 4]);
        pen.moveTo(x, y);
        pen.lineTo(...this.placeOf(point));
        pen.stroke();
        pen.setLineDash([]);
      }
    }
    this.pulse.hidden = point < 0;
    if (point < 0) return;
    const [x, y] = this.placeOf(point);
    this.pulse.hidden = x < 0 || y < 0 || x > this.width || y > this.height;
    this.pulse.style.transform = `translate(${x}px, ${y}px)`;
  }
}
