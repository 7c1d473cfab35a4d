// Curves: visible edges, the highlighted lineage and edges between columns, as SVG between the canvas and the cards.

const curves = (() => {
  const SPACE = "http://www.w3.org/2000/svg";
  const made = (tag, attributes) => {
    const element = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const svg = made("svg", { id: "curves", width: 1, height: 1, "aria-hidden": "true" });
  const defs = made("defs", {});
  for (const name of ["edge", "accent", "direct", "indirect"]) {
    const marker = made("marker", { id: `end-${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" });
    marker.append(made("path", { d: "M0 .5 7.5 4 0 7.5z", class: `end of-${name}` }));
    defs.append(marker);
  }
  const layers = ["edges", "boxes", "flows"].map((name) => made("g", { class: name }));
  const [edgeLayer, boxLayer, flowLayer] = layers;
  svg.append(defs, ...layers);

  const all = model.edges.map(([source, target, bends]) => ({ key: `${source}>${target}`, source, target, bends, path: null }));
  const bendsOf = new Map(all.map((edge) => [edge.key, edge.bends]));
  const shown = new Map();
  const ROUND = 10; // how far from a corner of a card an edge may end
  let way = null;
  let chosen = null; // the key of what the way is of

  /** How high on its card a table's or a process' edges end. */
  const portOf = (key) => boxes.get(key).y + (model.nodes.get(key).isDataset ? HEAD : boxes.get(key).height) / 2;

  /** The upper or lower side of a card, whichever looks towards a height. */
  const sideOf = (box, height) => (height < box.y + box.height / 2 ? box.y : box.y + box.height);

  /** The path of an edge to the left: below both cards, or through its bends to the right side of the target. */
  function pathBack(from, to, bends) {
    const [x, toX] = [from, to].map((box) => box.x + box.width / 2);
    if (!bends.length) {
      const low = Math.max(from.y + from.height, to.y + to.height) + 28;
      return `M${x} ${from.y + from.height}C${x} ${low} ${toX} ${low} ${toX} ${to.y + to.height}`;
    }
    const points = [...bends].reverse().flatMap((key) => {
      const bend = boxes.get(key);
      const y = bend.y + bend.height / 2;
      return [{ x: bend.x + bend.width, y }, { x: bend.x, y }];
    });
    const [first, last] = [points[0], points[points.length - 1]];
    points.push({ x: to.x + to.width, y: Math.min(Math.max(last.y, to.y + ROUND), to.y + to.height - ROUND) });
    return `M${x} ${sideOf(from, first.y)}Q${x} ${first.y} ${first.x} ${first.y}${through(points)}`;
  }

  /** On from the first point through the others, level at each. */
  function through(points) {
    let drawn = "";
    for (let i = 1; i < points.length; i += 1) {
      const [a, b] = [points[i - 1], points[i]];
      const half = (a.x + b.x) / 2;
      drawn += a.y === b.y ? `H${b.x}` : `C${half} ${a.y} ${half} ${b.y} ${b.x} ${b.y}`;
    }
    return drawn;
  }

  /** The path of an edge; it is level at every point that it goes through. */
  function path(from, fromY, to, toY, bends) {
    if (from.x >= to.x) return pathBack(from, to, bends);
    const points = pointsOf(from, fromY, to, toY, bends);
    return `M${points[0].x} ${points[0].y}${through(points)}`;
  }

  const pathOf = (edge) => path(boxes.get(edge.source), portOf(edge.source), boxes.get(edge.target), portOf(edge.target), edge.bends);

  function draw(edge) {
    const isLit = way && way.edges.has(edge.key);
    return made("path", { d: pathOf(edge), class: `edge${isLit ? " lit" : way ? " faded" : ""}`, "marker-end": `url(#end-${isLit ? "accent" : "edge"})` });
  }

  function clear() {
    edgeLayer.replaceChildren();
    boxLayer.replaceChildren();
    shown.clear();
  }

  /** Edges that may be in sight: those whose ends span some of it. */
  function isSeen({ source, target }, { x1, y1, x2, y2 }) {
    const [a, b] = [boxes.get(source), boxes.get(target)];
    return Math.min(a.x, b.x) < x2 && Math.max(a.x + a.width, b.x + b.width) > x1
      && Math.min(a.y, b.y) - 60 < y2 && Math.max(a.y + a.height, b.y + b.height) + 60 > y1;
  }

  /** The edges that may be in sight, for a canvas. */
  function pathsIn(sight) {
    const seen = all.filter((edge) => isSeen(edge, sight));
    for (const edge of seen) edge.path = edge.path || new Path2D(pathOf(edge));
    return seen.map((edge) => edge.path);
  }

  /** A card that is lit, as it is seen from afar. */
  function box(key) {
    const { x, y, width, height } = boxes.get(key);
    const node = model.nodes.get(key);
    const rectangle = made("rect", { x, y, width, height, rx: 8, class: `box ${node.isDataset ? node.family : "process"}${key === chosen ? " chosen" : ""}` });
    if (!node.isDataset) return [rectangle];
    const label = made("text", { x: x + width / 2, y: y + HEAD / 2, class: "label" });
    label.textContent = texts.fitted(node.title, width - 16, texts.FAR.dataset.font);
    return [rectangle, label];
  }

  /** Show the edges in sight; from afar, where the canvas has them, only those that are lit, and the boxes at them. */
  function look(isNear, sight) {
    boxLayer.classList.toggle("tiny", !texts.isReadable(texts.FAR.dataset.size * view.now.zoom));
    const wanted = all.filter((edge) => (isNear ? isSeen(edge, sight) : way && way.edges.has(edge.key)));
    const keys = new Set(wanted.map((edge) => edge.key));
    for (const [key, drawn] of shown) if (!keys.has(key)) { drawn.remove(); shown.delete(key); }
    const fresh = document.createDocumentFragment();
    for (const edge of wanted) {
      if (shown.has(edge.key)) continue;
      const drawn = draw(edge);
      shown.set(edge.key, drawn);
      fresh.append(drawn);
    }
    edgeLayer.append(fresh);
    if (isNear || !way) boxLayer.replaceChildren();
    else if (!boxLayer.childElementCount) {
      boxLayer.append(...[...way.nodes].flatMap(box));
    }
  }

  /** The bends of the edge that a flow goes along: the long one into its process, or the one that leads back. */
  function bendsOfFlow(source, process, target) {
    const isBack = boxes.get(process).x >= boxes.get(target).x;
    return bendsOf.get(isBack ? `${process}>${target}` : `${source}>${process}`) || [];
  }

  /** Draw these flows of columns and no others. */
  function drawFlows(flows, lit, heightOf) {
    flowLayer.replaceChildren(...flows.map((flow) => {
      const [source, target] = [flow.source, flow.target].map((number) => model.columns[number].dataset);
      const kind = flow.isDirect ? "direct" : "indirect";
      const d = path(boxes.get(source), heightOf(flow.source), boxes.get(target), heightOf(flow.target), bendsOfFlow(source, flow.process, target));
      const drawn = made("path", { d, class: `flow ${kind}${lit.has(flow) ? " lit" : ""}`, "marker-end": `url(#end-${kind})`, "data-flow": flow.number });
      const title = made("title", {});
      const text = `${nameOf({ column: flow.source })} → ${nameOf({ column: flow.target })}`;
      title.textContent = flow.expression ? `${text}\n${flow.expression}` : text;
      drawn.append(title);
      return drawn;
    }));
  }

  return {
    svg, look, pathsIn, drawFlows,
    light(lit, key) {
      way = lit;
      chosen = key;
      clear();
    },
    /** Cards have moved, and edges with them. */
    moved() { for (const edge of all) edge.path = null; },
  };
})();
