// View: visible part of the graph and zoom. A point of the graph is displayed at point * zoom + pan.

const graph = document.getElementById("graph");

const view = (() => {
  const LEAST_ZOOM = 0.004;
  const MAX_ZOOM = 2.5;
  const READABLE = 11 / 12; // at this zoom the smallest text of a card is 11 pixels high
  const FAR = 120; // datasets and processes: with more, a graph opens from afar where it cannot be read as a whole
  const ROOM = 28; // around the whole graph
  const BELOW = 64; // for the legend
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

  /** The smallest rectangle around some boxes. */
  function boundsOf(shown) {
    const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (const box of shown) {
      bounds.left = Math.min(bounds.left, box.x);
      bounds.top = Math.min(bounds.top, box.y);
      bounds.right = Math.max(bounds.right, box.x + box.width);
      bounds.bottom = Math.max(bounds.bottom, box.y + box.height);
    }
    return bounds;
  }

  /** Where a rectangle is in the middle of the window, at most as large as it is. */
  function around({ left, top, right, bottom }) {
    const all = Math.min((size.width - 2 * ROOM) / (right - left), (size.height - ROOM - BELOW) / (bottom - top));
    const zoom = Math.max(LEAST_ZOOM, Math.min(1, all));
    return { zoom, x: (size.width - zoom * (left + right)) / 2, y: (size.height + ROOM - BELOW - zoom * (top + bottom)) / 2 };
  }

  /** Show everything; where it would be smaller than `least`, nothing moves. */
  function fit(least = 0) {
    resize();
    if (!boxes.size) return;
    const to = around(boundsOf(boxes.values()));
    if (to.zoom < least) return;
    set(to);
    fitted = { ...now };
  }

  /** Show everything if that can be read; else its beginning, in a size that can be read; a large graph from afar. */
  function first() {
    resize();
    if (!boxes.size) return;
    const bounds = boundsOf(boxes.values());
    const all = around(bounds);
    if (all.zoom >= READABLE || [...boxes.keys()].filter((key) => model.nodes.has(key)).length > FAR) {
      set(all);
      fitted = { ...now };
      return;
    }
    const starts = lanes[0].map((key) => boxes.get(key)).map((box) => box.y + box.port);
    const middle = starts.reduce((a, b) => a + b, 0) / starts.length;
    const [below, above] = [ROOM - READABLE * bounds.top, size.height - BELOW - READABLE * bounds.bottom];
    const y = above >= below ? (above + below) / 2 : Math.min(below, Math.max(above, size.height / 2 - READABLE * middle));
    const isNarrow = READABLE * (bounds.right - bounds.left) <= size.width - 2 * ROOM;
    const x = isNarrow ? (size.width - READABLE * (bounds.left + bounds.right)) / 2 : ROOM - READABLE * bounds.left;
    set({ zoom: READABLE, x, y });
  }

  /** Show these boxes together in a size that can be read; gives whether that is possible. */
  function gather(shown) {
    resize();
    const bounds = boundsOf(shown);
    const to = around(bounds);
    if (to.zoom < READABLE) return false;
    const { x1, y1, x2, y2 } = sight();
    const isSeen = bounds.left >= x1 && bounds.top >= y1 && bounds.right <= x2 && bounds.bottom <= y2;
    if (!isSeen || now.zoom < READABLE) go(to);
    return true;
  }

  /** Bring a point of the graph to the middle where it is not well in sight; what is near is large enough already. */
  function reveal(x, y, isNear) {
    const zoom = isNear ? now.zoom : Math.max(now.zoom, READABLE);
    const seen = { x: x * now.zoom + now.x, y: y * now.zoom + now.y };
    const isSeen = seen.x > 90 && seen.y > 30 && seen.x < size.width - 90 && seen.y < size.height - 30;
    if (isSeen && (isNear || now.zoom >= READABLE)) return;
    go({ zoom, x: size.width / 2 - x * zoom, y: size.height / 2 - y * zoom });
  }

  /** The visible area of the graph. */
  const sight = () => ({ x1: -now.x / now.zoom, y1: -now.y / now.zoom, x2: (size.width - now.x) / now.zoom, y2: (size.height - now.y) / now.zoom });

  return {
    READABLE, now, size, set, resize, zoomAt, fit, first, isFitted, gather, reveal, sight, boundsOf,
    /** How wide the window is, how wide at most what can be read, and how high. */
    room: () => ({ width: size.width - 2 * ROOM, readable: (size.width - 2 * ROOM) / READABLE, height: (size.height - ROOM - BELOW) / READABLE }),
    onChange(action) { told.push(action); },
    panBy(x, y) { set({ x: now.x + x, y: now.y + y }); },
    zoomBy(factor) { zoomAt(factor, { x: size.width / 2, y: size.height / 2 }); },
    /** The point of the graph below a point of the screen. */
    below: ({ x, y }) => ({ x: (x - now.x) / now.zoom, y: (y - now.y) / now.zoom }),
  };
})();
