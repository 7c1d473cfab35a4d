// The view: Cytoscape zooms, pans, finds what is under a finger, and draws all of the graph where it is too small to read.
// What is large enough to read is drawn above it: cards.js, curves.js.

const graph = document.getElementById("graph");

const drawing = (() => {
  const IS_LARGE = VALUES.edges.length > 1000;
  const LEAST_ZOOM = 0.004;
  const middle = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

  /** Names as they are seen from afar; among thousands nobody could read them, and to measure them takes long. */
  const label = () => ({ label: "data(label)", color: theme.colour("text"), "font-family": getComputedStyle(document.body).fontFamily, "font-size": 22,
    "font-weight": 600, "min-zoomed-font-size": 6, "text-valign": "center", "text-max-width": 204, "text-wrap": "ellipsis" });

  function style() {
    const is = theme.colour;
    return [
      { selector: "node", style: { shape: "round-rectangle", "corner-radius": 8, width: "data(width)", height: "data(height)",
        "background-color": is("card"), "border-width": 3, "border-color": is("border"), "overlay-opacity": 0, ...(IS_LARGE ? {} : label()) } },
      { selector: "node.process", style: { "background-color": is("process"), "font-size": 17, "font-weight": 400, "text-max-width": 116 } },
      ...FAMILIES.map((family) => ({ selector: `node.${family}`, style: { "border-color": is(family), "background-color": is(`${family}-soft`) } })),
      { selector: "edge", style: { "curve-style": "haystack", "haystack-radius": 0, width: IS_LARGE ? 4 : 2, "line-color": is("edge"), "overlay-opacity": 0 } },
    ];
  }

  const edges = model.edges.map(([source, target]) => ({ group: "edges", data: { id: `${source}>${target}`, source, target }, pannable: true }));
  const cy = cytoscape({
    container: graph,
    elements: [
      ...[...model.nodes.values()].map((node) => ({
        group: "nodes",
        data: { id: node.key, label: node.isDataset ? node.title : node.job || node.name, width: boxes.get(node.key).width, height: boxes.get(node.key).height },
        position: middle(boxes.get(node.key)),
        classes: node.isDataset ? node.family : "process",
        pannable: true,
      })),
      ...(IS_LARGE ? [] : edges),
    ],
    style: style(),
    layout: { name: "preset", fit: false },
    minZoom: LEAST_ZOOM,
    maxZoom: 2.5,
    autoungrabify: true,
    autounselectify: true,
    boxSelectionEnabled: false,
    hideEdgesOnViewport: IS_LARGE,
    textureOnViewport: IS_LARGE,
  });
  const later = window.requestIdleCallback || ((action) => window.setTimeout(action, 50));
  if (IS_LARGE) later(() => cy.add(edges)); // the cards are there at once
  theme.onChange(() => cy.style(style()));

  const waiting = new Set();

  /** Move the boxes that have changed: soon, as nobody sees them while cards are above them. */
  function move(changed) {
    if (changed.size && !waiting.size) later(settle);
    changed.forEach((key) => waiting.add(key));
  }

  function settle() {
    const changed = [...waiting];
    waiting.clear();
    cy.batch(() => {
      for (const key of changed) {
        if (!model.nodes.has(key)) continue;
        const box = boxes.get(key);
        const node = cy.getElementById(key);
        if (node.data("height") !== box.height) node.data("height", box.height);
        node.position(middle(box));
      }
    });
  }

  const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)");
  function go(to) {
    cy.stop();
    if (isCalm.matches || IS_LARGE) cy.viewport(to);
    else cy.animate({ ...to, duration: 160, easing: "ease-out" });
  }

  let fitted = null;
  /** Whether everything is shown, as `fit` has left it. */
  const isFitted = () => fitted && fitted.zoom === cy.zoom() && fitted.pan.x === cy.pan().x && fitted.pan.y === cy.pan().y;

  /** Show everything, at most as large as it is; where it would be smaller than `least`, nothing moves. */
  function fit(least = 0) {
    cy.resize();
    if (!model.nodes.size) return;
    const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (const box of boxes.values()) {
      bounds.left = Math.min(bounds.left, box.x);
      bounds.top = Math.min(bounds.top, box.y);
      bounds.right = Math.max(bounds.right, box.x + box.width);
      bounds.bottom = Math.max(bounds.bottom, box.y + box.height);
    }
    const room = 40;
    const all = Math.min((cy.width() - 2 * room) / (bounds.right - bounds.left), (cy.height() - 2 * room) / (bounds.bottom - bounds.top));
    const zoom = Math.max(LEAST_ZOOM, Math.min(1, all));
    if (zoom < least) return;
    const pan = {
      x: (cy.width() - zoom * (bounds.left + bounds.right)) / 2,
      y: (cy.height() - zoom * (bounds.top + bounds.bottom)) / 2,
    };
    cy.stop();
    cy.viewport({ zoom, pan });
    fitted = { zoom: cy.zoom(), pan: { ...cy.pan() } };
  }

  function zoomBy(factor) {
    cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
  }

  /** Bring a point of the graph to the middle where it is not well in sight; what is near is large enough already. */
  function reveal(x, y, isNear) {
    const zoom = isNear ? cy.zoom() : Math.max(cy.zoom(), 0.75);
    const seen = { x: x * cy.zoom() + cy.pan().x, y: y * cy.zoom() + cy.pan().y };
    const isSeen = seen.x > 120 && seen.y > 40 && seen.x < cy.width() - 120 && seen.y < cy.height() - 40;
    if (isSeen && (isNear || cy.zoom() >= 0.5)) return;
    go({ zoom, pan: { x: cy.width() / 2 - x * zoom, y: cy.height() / 2 - y * zoom } });
  }

  return { cy, move, settle, fit, isFitted, zoomBy, reveal };
})();
