// Overview: what is shown as boxes and lines on a canvas, where it is too small for cards; names are as large as ever.

const far = (() => {
  const LEAST_ROUND = 12; // pixels: lower boxes need no round corners
  const FAINT = 0.5; // how much many edges cover, so that those below others are seen, too
  const FADED = 0.3; // how much of what is not lit is seen
  const NEAR_ENOUGH = 4; // pixels: how far beside a box a click may be
  const TEXT = { size: 12, font: "600 12px" };
  const LEAST_TEXT = 34; // pixels: narrower places get no name
  const canvas = document.createElement("canvas");
  canvas.id = "far";
  graph.prepend(canvas);
  const ink = canvas.getContext("2d");
  const kindOf = (node) => (node.isDataset ? node.family : "process");

  let colours = null;
  theme.onChange(() => { colours = null; });
  function coloursNow() {
    const of = theme.colour;
    colours = colours || {
      edge: of("edge"), accent: of("accent"), text: of("text"), ground: of("ground"), card: of("card"), process: [of("process"), of("edge")],
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

  /** The names of datasets where there is room, those with the most neighbours first: in pixels, over everything. */
  function label(seen, { zoom, x, y }, is) {
    const { way, chosen } = cards.state;
    ink.font = `${TEXT.font} ${texts.family}`;
    ink.textAlign = "center";
    ink.textBaseline = "middle";
    ink.lineJoin = "round";
    ink.lineWidth = 3;
    const taken = [];
    const wide = seen.filter(({ node, box }) => node.isDataset && box.width * zoom >= LEAST_TEXT);
    const worth = new Map(wide.map(({ node: { key } }) => [key, (way && way.nodes.has(key) ? 1e6 : 0) + model.degree(key)]));
    for (const { node, box } of wide.sort((one, other) => worth.get(other.node.key) - worth.get(one.node.key))) {
      const width = box.width * zoom;
      const [middle, height] = [x + (box.x + box.width / 2) * zoom, y + (box.y + box.port) * zoom];
      const isFree = taken.every((each) => Math.abs(each.height - height) >= TEXT.size + 2 || Math.abs(each.middle - middle) >= (each.width + width) / 2);
      if (!isFree) continue;
      taken.push({ middle, height, width });
      const text = texts.fitted(node.title, width - 4, TEXT.font);
      const isChosen = chosen && choosing.keyOf(chosen) === node.key;
      ink.globalAlpha = way && !way.nodes.has(node.key) ? FADED : 1;
      if (!isChosen && box.height * zoom < TEXT.size + 4) {
        ink.strokeStyle = is.ground;
        ink.strokeText(text, middle, height);
      }
      ink.fillStyle = isChosen ? is.card : is.text;
      ink.fillText(text, middle, height);
    }
    ink.globalAlpha = 1;
  }

  /** Draw boxes and edges, whose scale is set already; gives what is in sight. */
  function drawAll(zoom) {
    const line = Math.max(1.5, 0.6 / zoom);
    const sight = view.sight();
    const is = coloursNow();
    const { way, chosen } = cards.state;
    const paths = curves.pathsIn(sight);
    ink.lineWidth = line;
    ink.strokeStyle = is.edge;
    ink.globalAlpha = way ? FADED : model.isLarge ? FAINT : 1;
    for (const { path, isLit } of paths) if (!isLit) ink.stroke(path);
    ink.globalAlpha = 1;
    ink.strokeStyle = is.accent;
    ink.lineWidth = 1.6 * line;
    for (const { path, isLit } of paths) if (isLit) ink.stroke(path);
    const border = Math.max(2, 0.6 / zoom);
    const seen = [...boxes.values()].map((box) => ({ box, node: model.nodes.get(box.key) })).filter(({ node, box }) => node && isIn(box, sight));
    for (const { node, box } of seen) {
      const isChosen = chosen && choosing.keyOf(chosen) === node.key;
      const [fill, edge] = isChosen ? [is.accent, is.accent] : is[kindOf(node)];
      const round = box.height * zoom < LEAST_ROUND ? 0 : 8;
      const isFaded = way && !way.nodes.has(node.key);
      ink.globalAlpha = isFaded ? FADED : 1;
      ink.fillStyle = isFaded ? fill : edge;
      rectangle(box, 0, round);
      ink.fillStyle = fill;
      if (2 * border < Math.min(box.width, box.height)) rectangle(box, border, round);
    }
    ink.globalAlpha = 1;
    return seen;
  }

  /** Draw the visible area. */
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [view.size.width, view.size.height].map((each) => Math.round(each * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const { zoom, x, y } = view.now;
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.clearRect(0, 0, width, height);
    ink.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio);
    const seen = drawAll(zoom);
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    label(seen, view.now, coloursNow());
  }

  /** The dataset or process at a point of the graph, or null; the nearest where boxes are tiny. */
  function at({ x, y }) {
    const away = (box) => Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height));
    let found = null;
    let least = NEAR_ENOUGH / view.now.zoom;
    for (const box of boxes.values()) {
      const node = model.nodes.get(box.key);
      const distance = node ? away(box) : Infinity;
      if (distance < least) {
        least = distance;
        found = node;
      }
    }
    return found;
  }

  return { draw, at, colours: coloursNow, kindOf };
})();
