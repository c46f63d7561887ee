// What a mouse, a finger or a pen does on the map: pick, hover, pan, zoom, pinch, draw a lasso.

const SLOP = 4; // pixels that a click may move
const CORNER = 3; // pixels between two corners of a lasso

/**
 * Listen on a map. `act` has pick(row), hover(row, x, y), lasso(polygon) and lassoing(): boolean.
 */
export function gestures(map, act) {
  const pointers = new Map(); // id -> [x, y]
  let start = null; // where the first pointer went down
  let moved = false;
  let apart = 0; // distance of two fingers
  const place = (event) => {
    const box = map.root.getBoundingClientRect();
    return [event.clientX - box.left - map.root.clientLeft, event.clientY - box.top - map.root.clientTop];
  };
  const spread = () => {
    const [[x, y], [x2, y2]] = pointers.values();
    return { far: Math.hypot(x - x2, y - y2) || 1, middle: [(x + x2) / 2, (y + y2) / 2] };
  };

  function down(event) {
    if (event.target.closest("button") || event.button > 0) return;
    map.root.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    if (pointers.size === 1) {
      start = place(event);
      moved = false;
      if (act.lassoing()) map.show({ path: [start] });
    } else if (pointers.size === 2) {
      moved = true;
      map.show({ path: [] });
      apart = spread().far;
    }
  }

  function move(event) {
    const [x, y] = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") act.hover(event.target.closest("button") ? -1 : map.rowAt(x, y), x, y);
      return;
    }
    pointers.set(event.pointerId, [x, y]);
    moved ||= Math.hypot(x - start[0], y - start[1]) > SLOP;
    if (pointers.size === 2) {
      const { far, middle } = spread();
      map.zoom(far / apart, ...middle);
      apart = far;
    } else if (act.lassoing()) {
      const last = map.path.at(-1);
      if (last && Math.hypot(x - last[0], y - last[1]) >= CORNER) map.show({ path: [...map.path, [x, y]] });
    } else if (moved) {
      map.pan(x - before[0], y - before[1]);
      act.hover(-1, x, y);
    }
  }

  function up(event) {
    if (!pointers.delete(event.pointerId) || pointers.size) return;
    const path = map.path;
    if (act.lassoing() && path.length > 2) {
      act.lasso(path.map(([x, y]) => map.toData(x, y)));
    } else if (!moved && event.type === "pointerup") {
      const row = map.rowAt(...place(event), event.pointerType === "mouse" ? 14 : 26);
      if (row >= 0) act.pick(row);
    }
    map.show({ path: [] });
  }

  map.root.addEventListener("pointerdown", down);
  map.root.addEventListener("pointermove", move);
  map.root.addEventListener("pointerup", up);
  map.root.addEventListener("pointercancel", up);
  map.root.addEventListener("pointerleave", () => pointers.size || act.hover(-1, 0, 0));
  map.root.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      act.hover(-1, 0, 0);
      map.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...place(event));
    },
    { passive: false },
  );
}
