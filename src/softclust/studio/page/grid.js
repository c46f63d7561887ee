// Finding points: the nearest one to a place, those inside a polygon, the next one in a direction.

/** Points in [0, 1] x [0, 1], sorted into square cells of about four points. */
export class Grid {
  constructor(points) {
    this.points = points;
    const n = points.length / 2;
    this.side = Math.max(1, Math.min(1024, Math.ceil(Math.sqrt(n / 4))));
    this.starts = new Uint32Array(this.side * this.side + 1);
    const cells = new Uint32Array(n);
    for (let i = 0; i < n; i++) {
      cells[i] = this.cell(points[2 * i + 1]) * this.side + this.cell(points[2 * i]);
      this.starts[cells[i] + 1]++;
    }
    for (let k = 0; k < this.side * this.side; k++) this.starts[k + 1] += this.starts[k];
    const next = this.starts.slice();
    this.order = new Uint32Array(n);
    for (let i = 0; i < n; i++) this.order[next[cells[i]]++] = i;
  }

  cell(coordinate) {
    return Math.max(0, Math.min(this.side - 1, Math.floor(coordinate * this.side)));
  }

  /** The nearest point to (x, y) inside an ellipse with radii rx and ry, or -1. */
  nearest(x, y, rx, ry) {
    let best = -1;
    let least = 1;
    for (let row = this.cell(y - ry); row <= this.cell(y + ry); row++)
      for (let column = this.cell(x - rx); column <= this.cell(x + rx); column++) {
        const k = row * this.side + column;
        for (let p = this.starts[k]; p < this.starts[k + 1]; p++) {
          const i = this.order[p];
          const dx = (this.points[2 * i] - x) / rx;
          const dy = (this.points[2 * i + 1] - y) / ry;
          const far = dx * dx + dy * dy;
          if (far < least) {
            least = far;
            best = i;
          }
        }
      }
    return best;
  }
}

const SLABS = 512; // horizontal slabs of a polygon; a point looks at the edges of its own slab

/** Edges of a polygon as [x, y, x2, y2], by the slab that they cross. */
function edgesBySlab(polygon, low, scale) {
  const slabs = Array.from({ length: SLABS }, () => []);
  const slab = (y) => Math.min(SLABS - 1, ((y - low) * scale) | 0);
  polygon.forEach(([x, y], k) => {
    const [x2, y2] = polygon.at(k - 1);
    for (let s = slab(Math.min(y, y2)); s <= slab(Math.max(y, y2)); s++) slabs[s].push(x, y, x2, y2);
  });
  return slabs.map((some) => Float64Array.from(some));
}

/** Indices of the points inside a closed polygon [[x, y], ...], by the even-odd rule. */
export function inside(points, polygon) {
  const xs = polygon.map(([x]) => x);
  const ys = polygon.map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const scale = SLABS / (high - low || 1);
  const edges = edgesBySlab(polygon, low, scale);
  const found = [];
  for (let i = 0; i < points.length / 2; i++) {
    const x = points[2 * i];
    const y = points[2 * i + 1];
    if (x < left || x > right || y < low || y > high) continue;
    const near = edges[Math.min(SLABS - 1, ((y - low) * scale) | 0)];
    let within = false;
    for (let e = 0; e < near.length; e += 4) {
      const y1 = near[e + 1];
      const y2 = near[e + 3];
      if (y1 > y !== y2 > y && x < ((near[e + 2] - near[e]) * (y - y1)) / (y2 - y1) + near[e]) within = !within;
    }
    if (within) found.push(i);
  }
  return found;
}

/** Indices of the n points nearest to point i, itself included. */
export function nearestTo(points, i, n) {
  const far = new Float32Array(points.length / 2);
  for (let j = 0; j < far.length; j++)
    far[j] = (points[2 * j] - points[2 * i]) ** 2 + (points[2 * j + 1] - points[2 * i + 1]) ** 2;
  const limit = far.slice().sort()[Math.min(n, far.length) - 1];
  const found = [];
  for (let pass = 0; pass < 2; pass++) // ties at the limit come last
    for (let j = 0; j < far.length && found.length < n; j++)
      if (pass === 0 ? far[j] < limit : far[j] === limit) found.push(j);
  return found;
}

/** The next point from i towards (dx, dy), preferring points that lie straight ahead; -1 if there is none. */
export function towards(points, i, dx, dy) {
  let best = -1;
  let least = Infinity;
  for (let j = 0; j < points.length / 2; j++) {
    const x = points[2 * j] - points[2 * i];
    const y = points[2 * j + 1] - points[2 * i + 1];
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy - y * dx);
    if (ahead <= 0 || aside > ahead) continue;
    const cost = ahead + 2 * aside;
    if (cost < least) {
      least = cost;
      best = j;
    }
  }
  return best;
}
