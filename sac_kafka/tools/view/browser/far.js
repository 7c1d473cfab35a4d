// Overview: the whole graph as boxes and lines on a canvas, where it is too small for cards.

const far = (() => {
  const LEAST_ROUND = 12; // pixels: lower boxes need no round corners
  const FAINT = 0.5; // how much many edges cover, so that those below others are seen, too
  const NEAR_ENOUGH = 4; // pixels: how far beside a box a click may be
  const canvas = document.createElement("canvas");
  canvas.id = "far";
  graph.prepend(canvas);
  const ink = canvas.getContext("2d");
  const nodes = [...model.nodes.values()].map((node) => ({ node, box: boxes.get(node.key), kind: node.isDataset ? node.family : "process" }));

  let colours = null;
  theme.onChange(() => { colours = null; });
  function coloursNow() {
    const of = theme.colour;
    colours = colours || {
      edge: of("edge"), text: of("text"), process: [of("process"), of("edge")],
      ...Object.fromEntries(FAMILIES.map((family) => [family, [of(`${family}-soft`), of(family)]])),
    };
    return colours;
  }

  const isIn = (box, { x1, y1, x2, y2 }) => box.x < x2 && box.x + box.width > x1 && box.y < y2 && box.y + box.height > y1;

  function rectangle(box, inset, round) {
    const [x, y, width, height] = [box.x + inset, box.y + inset, box.width - 2 * inset, box.height - 2 * inset];
    if (!round) ink.fillRect(x, y, width, height);
    else {
      ink.beginPath();
      ink.roundRect(x, y, width, height, round - inset);
      ink.fill();
    }
  }

  /** The names of boxes, in the middles of their heads, where they are large enough. */
  function label(seen, zoom) {
    ink.textAlign = "center";
    ink.textBaseline = "middle";
    for (const isDataset of [true, false]) {
      const { size, font } = texts.FAR[isDataset ? "dataset" : "process"];
      if (!texts.isReadable(size * zoom)) continue;
      ink.font = `${font} ${texts.family}`;
      for (const { node, box } of seen) {
        if (node.isDataset !== isDataset) continue;
        const text = texts.fitted(isDataset ? node.title : node.job || node.name, box.width - 16, font);
        ink.fillText(text, box.x + box.width / 2, box.y + (isDataset ? HEAD : box.height) / 2);
      }
    }
  }

  /** Draw the visible area. */
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [view.size.width, view.size.height].map((each) => Math.round(each * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const { zoom, x, y } = view.now;
    const sight = view.sight();
    const is = coloursNow();
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.clearRect(0, 0, width, height);
    ink.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio);
    ink.strokeStyle = is.edge;
    ink.lineWidth = Math.max(1.5, 0.6 / zoom);
    ink.globalAlpha = model.isLarge ? FAINT : 1;
    for (const path of curves.pathsIn(sight)) ink.stroke(path);
    ink.globalAlpha = 1;
    const border = Math.max(2, 0.5 / zoom);
    const seen = nodes.filter(({ box }) => isIn(box, sight));
    for (const { box, kind } of seen) {
      const [fill, line] = is[kind];
      const round = box.height * zoom < LEAST_ROUND ? 0 : 8;
      ink.fillStyle = line;
      rectangle(box, 0, round);
      ink.fillStyle = fill;
      rectangle(box, border, round);
    }
    ink.fillStyle = is.text;
    label(seen, zoom);
  }

  /** The dataset or process at a point of the graph, or null; the nearest where boxes are tiny. */
  function at({ x, y }) {
    const away = (box) => Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height));
    let found = null;
    let least = NEAR_ENOUGH / view.now.zoom;
    for (const { node, box } of nodes) {
      const distance = away(box);
      if (distance < least) {
        least = distance;
        found = node;
      }
    }
    return found;
  }

  return { draw, at };
})();
