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
  const layers = ["edges", "flows"].map((name) => made("g", { class: name }));
  const [edgeLayer, flowLayer] = layers;
  svg.append(defs, ...layers);

  let all = [];
  let bendsOf = new Map();
  const shown = new Map();
  const ROUND = 10; // how far from a corner of a card an edge may end
  const BESIDE = 3.5; // how far from the middle of its row an edge ends where both kinds do
  const AGAIN = 3; // how far beside another one of the same kind between the same columns
  const MOST_BESIDE = 9;
  const MOST_SPREAD = 36; // of flows through the same bends
  let way = null;

  /** How high on its card a table's or a process' edges end. */
  const portOf = (key) => boxes.get(key).y + boxes.get(key).port;

  /** The upper or lower side of a card, whichever looks towards a height. */
  const sideOf = (box, height) => (height < box.y + box.height / 2 ? box.y : box.y + box.height);

  /** The path of an edge to the left: below both cards, or through its bends to the right side of the target; `away` beside others. */
  function pathBack(from, to, bends, away) {
    const [x, toX] = [from.x + from.width / 2 + away, to.x + to.width / 2 - away];
    if (!bends.length) {
      const low = Math.max(from.y + from.height, to.y + to.height) + 28 + away;
      return `M${x} ${from.y + from.height}C${x} ${low} ${toX} ${low} ${toX} ${to.y + to.height}`;
    }
    const points = [...bends].reverse().flatMap((key) => {
      const bend = boxes.get(key);
      const y = bend.y + bend.height / 2 + away;
      return [{ x: bend.x + bend.width, y }, { x: bend.x, y }];
    });
    const [first, last] = [points[0], points[points.length - 1]];
    points.push({ x: to.x + to.width, y: away + Math.min(Math.max(last.y - away, to.y + ROUND), to.y + to.height - ROUND) });
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
  function path(from, fromY, to, toY, bends, away = 0) {
    if (from.x >= to.x) return pathBack(from, to, bends, away);
    const points = pointsOf(from, fromY, to, toY, bends, away);
    return `M${points[0].x} ${points[0].y}${through(points)}`;
  }

  const pathOf = (edge) => path(boxes.get(edge.source), portOf(edge.source), boxes.get(edge.target), portOf(edge.target), edge.bends);

  function draw(edge) {
    const isLit = way && way.edges.has(edge.key);
    return made("path", { d: pathOf(edge), class: `edge${isLit ? " lit" : way ? " faded" : ""}`, "marker-end": `url(#end-${isLit ? "accent" : "edge"})` });
  }

  function clear() {
    edgeLayer.replaceChildren();
    shown.clear();
  }

  /** Edges that may be in sight: those whose ends span some of it. */
  function isSeen({ source, target }, { x1, y1, x2, y2 }) {
    const [a, b] = [boxes.get(source), boxes.get(target)];
    return Math.min(a.x, b.x) < x2 && Math.max(a.x + a.width, b.x + b.width) > x1
      && Math.min(a.y, b.y) - 60 < y2 && Math.max(a.y + a.height, b.y + b.height) + 60 > y1;
  }

  /** The edges that may be in sight, for a canvas: their paths, and whether they are lit. */
  function pathsIn(sight) {
    const seen = all.filter((edge) => isSeen(edge, sight));
    for (const edge of seen) edge.path = edge.path || new Path2D(pathOf(edge));
    return seen.map((edge) => ({ path: edge.path, isLit: Boolean(way && way.edges.has(edge.key)) }));
  }

  /** Show the edges in sight; from afar the canvas has them. */
  function look(isNear, sight) {
    const wanted = isNear ? all.filter((edge) => isSeen(edge, sight)) : [];
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
  }

  /** The bends of the edge that a flow goes along: the long one into its process, or the one that leads back. */
  function bendsOfFlow(source, process, target) {
    const isBack = boxes.get(process).x >= boxes.get(target).x;
    return bendsOf.get(isBack ? `${process}>${target}` : `${source}>${process}`) || [];
  }

  /** How far above or below the middle of its rows each flow ends, so that no two between the same columns overlap. */
  function offsetsOf(flows) {
    const kinds = new Map(); // of the flows at each end
    const before = new Map(); // of the same kind between the same columns
    for (const { source, target, isDirect } of flows) {
      for (const end of [`>${source}`, `${target}>`]) kinds.set(end, (kinds.get(end) || 0) | (isDirect ? 1 : 2));
    }
    return flows.map(({ source, target, isDirect }) => {
      const pair = `${source}>${target}>${isDirect}`;
      const again = (before.get(pair) || 0) * AGAIN;
      before.set(pair, (before.get(pair) || 0) + 1);
      const away = (end) => (isDirect ? -1 : 1) * Math.min(MOST_BESIDE, again + (kinds.get(end) === 3 ? BESIDE : 0));
      return [away(`>${source}`), away(`${target}>`)];
    });
  }

  /** Draw flows through the same bends beside each other, and beside the edge that goes there. */
  function spread(lines) {
    const together = new Map();
    for (const line of lines) {
      const at = line.bends[0] || `${line.source}>${line.target}`;
      if (!together.has(at)) together.set(at, []);
      together.get(at).push(line);
    }
    for (const same of together.values()) {
      same.sort((one, other) => one.from - other.from);
      const step = Math.min(4, MOST_SPREAD / same.length);
      const middle = Math.floor(same.length / 2);
      same.forEach((line, i) => { line.away = step * (i < middle ? i - middle : i - middle + 1); });
    }
  }

  /** Draw these flows of columns and no others. */
  function drawFlows(flows, lit, heightOf) {
    const offsets = offsetsOf(flows);
    const lines = flows.map((flow, at) => {
      const [source, target] = [flow.source, flow.target].map((number) => model.columns[number].dataset);
      const [from, to] = [heightOf(flow.source) + offsets[at][0], heightOf(flow.target) + offsets[at][1]];
      return { flow, source, target, from, to, bends: bendsOfFlow(source, flow.process, target), away: 0 };
    });
    spread(lines);
    flowLayer.replaceChildren(...lines.map(({ flow, source, target, from, to, bends, away }) => {
      const kind = flow.isDirect ? "direct" : "indirect";
      const d = path(boxes.get(source), from, boxes.get(target), to, bends, away);
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
    /** Take the edges of a layout. */
    take(ordered) {
      all = ordered.flatMap((part) => part.chains).map((chain) => ({ key: `${chain.source}>${chain.target}`, ...chain, path: null }));
      bendsOf = new Map(all.map((edge) => [edge.key, edge.bends]));
      clear();
    },
    light(lit) {
      way = lit;
      clear();
    },
    /** Cards have moved, and edges with them. */
    moved() { for (const edge of all) edge.path = null; },
  };
})();
