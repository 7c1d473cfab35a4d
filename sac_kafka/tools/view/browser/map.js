// Map: all that is shown, small, and what of it is in sight; only where some of it is not.

const map = (() => {
  const [WIDTH, HEIGHT] = [190, 120]; // at most, and of the window at most
  const SHARE = 0.3;
  const LEAST = 1.5; // pixels of a box
  const panel = document.getElementById("map");
  const canvas = panel.querySelector("canvas");
  const frame = panel.querySelector("div");
  const ink = canvas.getContext("2d");
  let bounds = null;
  let scale = 1;

  function measure() {
    bounds = view.boundsOf(boxes.values());
    scale = Math.min(Math.min(WIDTH, SHARE * view.size.width) / (bounds.right - bounds.left), HEIGHT / (bounds.bottom - bounds.top));
  }

  function paint() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [bounds.right - bounds.left, bounds.bottom - bounds.top].map((each) => Math.max(8, each * scale));
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    const is = far.colours();
    const { way } = cards.state;
    ink.scale(ratio, ratio);
    for (const box of boxes.values()) {
      const node = model.nodes.get(box.key);
      if (!node) continue;
      const isLit = way && way.nodes.has(box.key);
      ink.fillStyle = isLit ? is.accent : is[far.kindOf(node)][1];
      ink.globalAlpha = way && !isLit ? 0.35 : 0.8;
      ink.fillRect((box.x - bounds.left) * scale, (box.y - bounds.top) * scale, Math.max(LEAST, box.width * scale), Math.max(LEAST, box.height * scale));
    }
  }

  /** Show what is in sight. */
  function look() {
    if (!bounds) return;
    const { x1, y1, x2, y2 } = view.sight();
    panel.hidden = !boxes.size || (x1 <= bounds.left && y1 <= bounds.top && x2 >= bounds.right && y2 >= bounds.bottom);
    if (panel.hidden) return;
    if (!canvas.isPainted) {
      paint();
      canvas.isPainted = true;
    }
    const at = (value, start, most) => Math.min(most, Math.max(0, (value - start) * scale));
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const [left, top] = [at(x1, bounds.left, width), at(y1, bounds.top, height)];
    Object.assign(frame.style, {
      left: `${left}px`, top: `${top}px`,
      width: `${Math.max(3, at(x2, bounds.left, width) - left)}px`, height: `${Math.max(3, at(y2, bounds.top, height) - top)}px`,
    });
  }

  /** Bring what has been pointed at to the middle. */
  function go(event) {
    const frameOf = canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - frameOf.left) / scale + bounds.left, (event.clientY - frameOf.top) / scale + bounds.top];
    view.set({ x: view.size.width / 2 - x * view.now.zoom, y: view.size.height / 2 - y * view.now.zoom });
  }
  for (const kind of ["pointerdown", "pointermove"]) {
    panel.addEventListener(kind, (event) => {
      if (!event.buttons) return;
      panel.setPointerCapture(event.pointerId);
      event.stopPropagation();
      go(event);
    });
  }
  theme.onChange(() => { canvas.isPainted = false; });

  return {
    look,
    /** What is shown has changed. */
    draw() {
      if (boxes.size) measure();
      canvas.isPainted = false;
    },
  };
})();
