// Points as pixels, written by hand: a palette of 32-bit colours and a stamp of offsets for every point.

const LEVELS = 64; // steps of paleness
const PALEST = 0.18; // share of the full colour that the most doubtful row keeps
const SMOOTH = 20000; // up to so many points have smooth edges
export const FLAG = { told: 1, asked: 2, outlier: 4, disagrees: 8, bulk: 16, skipped: 32, none: 64 };

// Okabe & Ito (2008), in the order of the library's plots; the yellow of light pages is darker, to be seen on white.
// Then the second eight of the report.
const HUES = {
  light: [
    ...["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#b3a500", "#5b5b66"],
    ...["#882255", "#44aa99", "#999933", "#332288", "#aa4499", "#8a3a10", "#7f8fd0", "#888888"],
  ],
  dark: [
    ...["#4ba6e3", "#ff8040", "#2fc99d", "#e79bc8", "#9bd6f8", "#ffbd3d", "#f0e442", "#b4b4c0"],
    ...["#d0568f", "#6fd3c2", "#c4c45a", "#8d7fe0", "#d07ac6", "#c9743f", "#a9b6ee", "#9aa1a9"],
  ],
};

/** The colour of cluster k as #rrggbb. */
export const hue = (k, theme) => HUES[theme][k % HUES[theme].length];

/** Shapes of told rows, drawn by `outline`; they change with the cluster, and again after eight. */
export const SHAPES = ["circle", "square", "triangle", "diamond", "wedge", "hexagon", "star", "pentagon"];

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
const packed = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

/** Colours of every cluster at every level of doubt, and last those of rows that belong to none. */
export function palette(clusters, theme, { ground: background, ink }) {
  const ground = channels(background);
  const colours = new Uint32Array((clusters + 1) * LEVELS);
  for (let k = 0; k <= clusters; k++) {
    const full = channels(k < clusters ? hue(k, theme) : HUES[theme][7]);
    for (let level = 0; level < LEVELS; level++) {
      const share = 1 - (1 - PALEST) * (level / (LEVELS - 1));
      colours[k * LEVELS + level] = packed(full.map((value, c) => Math.round(value * share + ground[c] * (1 - share))));
    }
  }
  return { colours, clusters, ground: packed(ground), ink: packed(channels(ink)) };
}

/** The radius of a point in pixels of the screen. */
export const radiusFor = (n) => (n <= 400 ? 5 : n <= 3000 ? 4 : n <= 20000 ? 2.5 : n <= 60000 ? 1.5 : 1);

/** Coverage of the pixels about (0, 0), as offsets and alphas; `shape(x, y)` is how far outside a place is. */
function stamp(reach, width, shape) {
  const offsets = [];
  const alphas = [];
  for (let y = -reach; y <= reach; y++)
    for (let x = -reach; x <= reach; x++) {
      const alpha = Math.max(0, Math.min(1, 0.5 - shape(x, y)));
      if (alpha < 0.1) continue;
      offsets.push(y * width + x);
      alphas.push(Math.round(alpha * 256));
    }
  return { reach, offsets: Int32Array.from(offsets), alphas: Uint16Array.from(alphas) };
}

const discStamp = (r, width) => stamp(Math.ceil(r), width, (x, y) => Math.hypot(x, y) - r);
const crossStamp = (r, width) =>
  stamp(Math.ceil(r + 1), width, (x, y) =>
    Math.max(Math.abs(Math.abs(x) - Math.abs(y)) / Math.SQRT2 - 0.9, Math.hypot(x, y) - r - 1),
  );

const MIX = 0x00ff00ff;
/** Lay colour over ground with alpha of 256, two channels at a time. */
function over(colour, ground, alpha) {
  const rest = 256 - alpha;
  const rb = ((Math.imul(colour & MIX, alpha) >>> 8) & MIX) + ((Math.imul(ground & MIX, rest) >>> 8) & MIX);
  const g = ((((colour >>> 8) & 0xff) * alpha + ((ground >>> 8) & 0xff) * rest) >>> 8) << 8;
  return (0xff000000 | (rb & MIX) | g) >>> 0;
}

/**
 * Paint all points.
 *
 * frame: {pixels: Uint32Array, width, height}; scene: {points, members, palette, radius} with the radius in
 * pixels of the frame; view: {sx, sy, ox, oy}: column = ox + x sx, line = oy - y sy.
 */
export function paint(frame, scene, view) {
  const { pixels, width, height } = frame;
  const { points, members, radius } = scene;
  const { colours, clusters, ground, ink } = scene.palette;
  pixels.fill(ground);
  const disc = discStamp(radius, width);
  const cross = crossStamp(Math.max(radius, 1.5), width);
  const dot = discStamp(Math.max(radius * 0.36, 0.6), width);
  const n = points.length / 2;
  const put = n <= SMOOTH ? blend : set;
  const { sx, sy, ox, oy } = view;
  const bulk = []; // pixels of rows told by a lasso: their dots lie above all discs
  for (let i = 0; i < n; i++) {
    const x = (ox + points[2 * i] * sx + 0.5) | 0;
    const y = (oy - points[2 * i + 1] * sy + 0.5) | 0;
    const flags = members[3 * i + 2];
    const stamp = flags & FLAG.outlier ? cross : disc;
    const reach = stamp.reach;
    if (x < reach || y < reach || x >= width - reach || y >= height - reach) continue;
    const winner = members[3 * i];
    const column = winner < clusters ? winner : clusters;
    put(pixels, y * width + x, stamp, colours[column * LEVELS + (members[3 * i + 1] >> 2)]);
    if (flags & FLAG.bulk) bulk.push(y * width + x);
  }
  for (const at of bulk) put(pixels, at, dot, ink);
}

function set(pixels, at, { offsets }, colour) {
  for (let k = 0; k < offsets.length; k++) pixels[at + offsets[k]] = colour;
}

function blend(pixels, at, { offsets, alphas }, colour) {
  for (let k = 0; k < offsets.length; k++) {
    const p = at + offsets[k];
    pixels[p] = alphas[k] === 256 ? colour : over(colour, pixels[p], alphas[k]);
  }
}

const CORNERS = { square: [4, 45], triangle: [3, -90], diamond: [4, 0], wedge: [3, 90], hexagon: [6, 0], pentagon: [5, -90] };

/** Trace the outline of a shape about (x, y) into a canvas context or a Path2D. */
export function outline(path, shape, x, y, r) {
  if (shape === "circle") {
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  const star = shape === "star";
  const [corners, turn] = star ? [10, -90] : CORNERS[shape];
  const size = r * (corners < 5 ? 1.2 : 1.08); // shapes look equally large
  for (let k = 0; k < corners; k++) {
    const angle = ((turn + (360 * k) / corners) * Math.PI) / 180;
    const far = star && k % 2 ? size * 0.55 : size * (star ? 1.15 : 1);
    path[k ? "lineTo" : "moveTo"](x + far * Math.cos(angle), y + far * Math.sin(angle));
  }
  path.closePath();
}

/** The outline of a shape as the "d" of an SVG path, for the swatches of classes. */
export function outlineData(shape, r) {
  const parts = [];
  const pen = {
    moveTo: (x, y) => parts.push(`M${x.toFixed(2)} ${y.toFixed(2)}`),
    lineTo: (x, y) => parts.push(`L${x.toFixed(2)} ${y.toFixed(2)}`),
    arc: (x, y, a) => parts.push(`A${a} ${a} 0 1 1 ${x - a} ${y}A${a} ${a} 0 1 1 ${x + a} ${y}`),
    closePath: () => parts.push("Z"),
  };
  outline(pen, shape, 0, 0, r);
  return parts.join("");
}
