// View: visible part of the graph and zoom. A point of the graph is displayed at point * zoom + pan.

const graph = document.getElementById("graph");

const view = (() => {
  const LEAST_ZOOM = 0.004;
  const MAX_ZOOM = 2.5;
  const ROOM = 40; // around the whole graph
  const TAKES = 160; // milliseconds of a movement
  const now = { zoom: 1, x: 0, y: 0 };
  const size = { width: graph.clientWidth, height: graph.clientHeight };
  const told = [];
  const tell = () => told.forEach((each) => each());
  let movement = 0;

  function show({ zoom, x, y }) {
    now.zoom = Math.min(MAX_ZOOM, Math.max(LEAST_ZOOM, zoom));
    now.x = x;
    now.y = y;
    tell();
  }

  /** Show an area at once, ending a running animation. */
  function set(to) {
    cancelAnimationFrame(movement);
    show({ ...now, ...to });
  }

  const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)");
  function go(to) {
    if (isCalm.matches || model.isLarge) {
      set(to);
      return;
    }
    cancelAnimationFrame(movement);
    const from = { ...now };
    const began = performance.now();
    const step = (time) => {
      const share = Math.min(1, Math.max(0, (time - began) / TAKES));
      const eased = 1 - (1 - share) ** 3;
      const between = (name) => from[name] + (to[name] - from[name]) * eased;
      if (share < 1) movement = requestAnimationFrame(step);
      show({ zoom: between("zoom"), x: between("x"), y: between("y") });
    };
    movement = requestAnimationFrame(step);
  }

  /** Update the size of the element. */
  function resize() {
    const { clientWidth, clientHeight } = graph;
    if (clientWidth === size.width && clientHeight === size.height) return;
    size.width = clientWidth;
    size.height = clientHeight;
    tell();
  }
  new ResizeObserver(resize).observe(graph);

  /** Larger or smaller by a factor, around a point of the screen. */
  function zoomAt(factor, point) {
    const zoom = Math.min(MAX_ZOOM, Math.max(LEAST_ZOOM, now.zoom * factor));
    const taken = zoom / now.zoom;
    set({ zoom, x: point.x - (point.x - now.x) * taken, y: point.y - (point.y - now.y) * taken });
  }

  let fitted = null;
  const isFitted = () => Boolean(fitted) && Object.keys(now).every((name) => fitted[name] === now[name]);

  /** Show everything, at most as large as it is; where it would be smaller than `least`, nothing moves. */
  function fit(least = 0) {
    resize();
    if (!model.nodes.size) return;
    const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (const box of boxes.values()) {
      bounds.left = Math.min(bounds.left, box.x);
      bounds.top = Math.min(bounds.top, box.y);
      bounds.right = Math.max(bounds.right, box.x + box.width);
      bounds.bottom = Math.max(bounds.bottom, box.y + box.height);
    }
    const all = Math.min((size.width - 2 * ROOM) / (bounds.right - bounds.left), (size.height - 2 * ROOM) / (bounds.bottom - bounds.top));
    const zoom = Math.max(LEAST_ZOOM, Math.min(1, all));
    if (zoom < least) return;
    set({ zoom, x: (size.width - zoom * (bounds.left + bounds.right)) / 2, y: (size.height - zoom * (bounds.top + bounds.bottom)) / 2 });
    fitted = { ...now };
  }

  /** Bring a point of the graph to the middle where it is not well in sight; what is near is large enough already. */
  function reveal(x, y, isNear) {
    const zoom = isNear ? now.zoom : Math.max(now.zoom, 0.75);
    const seen = { x: x * now.zoom + now.x, y: y * now.zoom + now.y };
    const isSeen = seen.x > 120 && seen.y > 40 && seen.x < size.width - 120 && seen.y < size.height - 40;
    if (isSeen && (isNear || now.zoom >= 0.5)) return;
    go({ zoom, x: size.width / 2 - x * zoom, y: size.height / 2 - y * zoom });
  }

  return {
    now, size, set, resize, zoomAt, fit, isFitted, reveal,
    onChange(action) { told.push(action); },
    panBy(x, y) { set({ x: now.x + x, y: now.y + y }); },
    zoomBy(factor) { zoomAt(factor, { x: size.width / 2, y: size.height / 2 }); },
    /** Return the visible area of the graph. */
    sight: () => ({ x1: -now.x / now.zoom, y1: -now.y / now.zoom, x2: (size.width - now.x) / now.zoom, y2: (size.height - now.y) / now.zoom }),
    /** The point of the graph below a point of the screen. */
    below: ({ x, y }) => ({ x: (x - now.x) / now.zoom, y: (y - now.y) / now.zoom }),
  };
})();
