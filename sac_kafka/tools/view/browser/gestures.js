// Gestures: dragging moves the graph, the wheel and pinching zoom it.

const gestures = (() => {
  const SLACK = 4; // a hand that clicks may tremble by so many pixels
  const PER_PIXEL = 0.002; // of a wheel: how much larger, as a logarithm
  const PER_PINCHED_PIXEL = 0.01; // of two fingers on a trackpad, which come as a wheel
  const MAX_PIXELS = 120; // of one turn of a wheel
  const LINE = 30; // pixels, for a wheel that counts lines
  const fingers = new Map();
  let began = null;
  let isDrag = false;

  function at(event) {
    const frame = graph.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  }

  /** The middle of the fingers that are down, and how far they are from each other. */
  function hold() {
    const [one, other = one] = fingers.values();
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, width: Math.hypot(one.x - other.x, one.y - other.y) };
  }

  graph.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (event.isPrimary) fingers.clear();
    fingers.set(event.pointerId, at(event));
    began = at(event);
    isDrag = fingers.size > 1;
  });

  graph.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const point = at(event);
    if (!isDrag && Math.hypot(point.x - began.x, point.y - began.y) <= SLACK) return;
    isDrag = true;
    graph.setPointerCapture(event.pointerId);
    const before = hold();
    fingers.set(event.pointerId, point);
    const after = hold();
    view.panBy(after.x - before.x, after.y - before.y);
    if (before.width && after.width) view.zoomAt(after.width / before.width, after);
  });

  for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, (event) => fingers.delete(event.pointerId));

  graph.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE);
    const turned = Math.min(MAX_PIXELS, Math.max(-MAX_PIXELS, pixels));
    view.zoomAt(Math.exp(-turned * (event.ctrlKey ? PER_PINCHED_PIXEL : PER_PIXEL)), at(event));
  }, { passive: false });

  return { at, isHeld: () => fingers.size > 0, /** Whether a click is the end of a drag. */ isEndOfDrag: (click) => Boolean(click.detail) && isDrag };
})();
