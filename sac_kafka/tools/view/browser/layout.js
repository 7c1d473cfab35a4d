// Layout: datasets and processes in layers from left to right, and the bends of edges that cross layers, in CSS pixels.

const layout = (() => {
  const MAX_BENDS = 20_000; // of all edges together; further edges are straight
  const SWEEPS = 8;
  const PASSES = 6;
  const BEND_HEIGHT = 10;
  const GAP = 20; // between two cards of a layer
  const LEAST_GAP = 24; // between two layers
  const WIDE_GAP = 80; // what a window with room makes of it
  const MOST_GAP = 400;
  const SLANT = 0.3; // width of a gap per pixel of vertical distance of its edges: steeper ones would merge visually
  const PART_GAP = 56; // between two connected components

  const isBend = (key) => key.startsWith("b");
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const greatest = (numbers, least) => numbers.reduce((a, b) => Math.max(a, b), least);

  /** The connected components, the largest first: their nodes and their edges. */
  function components(nodes, edges) {
    const root = new Map(nodes.map((node) => [node, node]));
    function top(node) {
      let at = node;
      while (root.get(at) !== at) {
        root.set(at, root.get(root.get(at)));
        at = root.get(at);
      }
      return at;
    }
    for (const [source, target] of edges) root.set(top(target), top(source));
    const parts = new Map();
    for (const node of nodes) {
      if (!parts.has(top(node))) parts.set(top(node), { nodes: [], edges: [] });
      parts.get(top(node)).nodes.push(node);
    }
    for (const edge of edges) parts.get(top(edge[0])).edges.push(edge);
    return [...parts.values()].sort((one, other) => other.nodes.length - one.nodes.length);
  }

  const lists = (keys) => new Map([...keys].map((key) => [key, []]));

  /** The edges from left to right: [source, target, the edge itself]; those that close a cycle are reversed. */
  function withoutCycles(nodes, edges) {
    const after = lists(nodes);
    for (const edge of edges) after.get(edge[0]).push(edge);
    const entered = new Set(edges.map(([, target]) => target));
    const done = new Set();
    const back = new Set();
    for (const root of [...nodes.filter((node) => !entered.has(node)), ...nodes]) {
      if (done.has(root)) continue;
      const onWay = new Set([root]);
      const stack = [{ node: root, at: 0 }];
      while (stack.length) {
        const top = stack[stack.length - 1];
        const edge = after.get(top.node)[top.at];
        top.at += 1;
        if (!edge) {
          stack.pop();
          onWay.delete(top.node);
          done.add(top.node);
        } else if (onWay.has(edge[1])) back.add(edge);
        else if (!done.has(edge[1])) {
          onWay.add(edge[1]);
          stack.push({ node: edge[1], at: 0 });
        }
      }
    }
    const forward = edges.filter((edge) => !back.has(edge)).map((edge) => [...edge, edge]);
    const known = new Set(forward.map(([source, target]) => `${source}>${target}`));
    // Two nodes with edges in both directions have one chain; the reversed edge is drawn next to it.
    for (const edge of back) if (!known.has(`${edge[1]}>${edge[0]}`)) forward.push([edge[1], edge[0], edge]);
    return forward;
  }

  /** The layer of each node, by the longest path to it: datasets are in even layers, processes in odd ones. */
  function layersOf(nodes, forward) {
    const [before, after] = [lists(nodes), lists(nodes)];
    for (const [source, target] of forward) {
      before.get(target).push(source);
      after.get(source).push(target);
    }
    const layer = new Map(nodes.map((node) => [node, node.startsWith("p") ? 1 : 0]));
    const left = new Map(nodes.map((node) => [node, before.get(node).length]));
    const ready = nodes.filter((node) => !left.get(node));
    for (const node of ready) {
      for (const target of after.get(node)) {
        layer.set(target, Math.max(layer.get(target), layer.get(node) + 1));
        left.set(target, left.get(target) - 1);
        if (!left.get(target)) ready.push(target);
      }
    }
    // Nodes without predecessors move right before their nearest successor.
    for (const node of nodes) {
      if (after.get(node).length && !before.get(node).length) layer.set(node, Math.min(...after.get(node).map((each) => layer.get(each))) - 1);
    }
    return layer;
  }

  /** The number of crossings of edges between neighbouring layers: the inversions of their ends. */
  function crossings(lanes, after) {
    let total = 0;
    for (let i = 0; i + 1 < lanes.length; i += 1) {
      const place = new Map(lanes[i + 1].map((item, at) => [item, at]));
      const seen = []; // sorted
      for (const item of lanes[i]) {
        for (const end of after.get(item).map((each) => place.get(each)).sort((a, b) => a - b)) {
          let [low, high] = [0, seen.length];
          while (low < high) {
            const middle = (low + high) >> 1;
            if (seen[middle] <= end) low = middle + 1;
            else high = middle;
          }
          total += seen.length - low;
          seen.splice(low, 0, end);
        }
      }
    }
    return total;
  }

  /** Order each layer by the mean position of the neighbours in the previous layer; items without neighbours stay. */
  function sweep(lanes, neighbours) {
    let place = new Map();
    for (const lane of lanes) {
      const mean = new Map(lane.map((item, at) => {
        const places = neighbours.get(item).map((each) => place.get(each)).filter((each) => each !== undefined);
        return [item, places.length ? sum(places) / places.length : at];
      }));
      lane.sort((one, other) => mean.get(one) - mean.get(other));
      place = new Map(lane.map((item, at) => [item, at]));
    }
  }

  /** All items from top to bottom in their layers, with few crossings. */
  function lanesOf(layer, before, after) {
    const seen = new Set();
    for (const root of [...layer.keys()].sort((one, other) => layer.get(one) - layer.get(other))) {
      const stack = [root];
      while (stack.length) {
        const item = stack.pop();
        if (seen.has(item)) continue;
        seen.add(item);
        stack.push(...[...after.get(item), ...before.get(item)].reverse());
      }
    }
    const lanes = Array.from({ length: greatest([...layer.values()], -1) + 1 }, () => []);
    for (const item of seen) lanes[layer.get(item)].push(item);
    let best = lanes.map((lane) => [...lane]);
    let fewest = crossings(lanes, after);
    for (let i = 0; i < SWEEPS && fewest; i += 1) {
      if (i % 2) sweep([...lanes].reverse(), after);
      else sweep(lanes, before);
      const number = crossings(lanes, after);
      if (number < fewest) [best, fewest] = [lanes.map((lane) => [...lane]), number];
    }
    return best;
  }

  /** The components with their lanes, and the chain of items that each edge passes; nothing depends on sizes. */
  function order(nodes, edges) {
    let bends = 0;
    return components(nodes, edges).map((part) => {
      const forward = withoutCycles(part.nodes, part.edges);
      const layer = layersOf(part.nodes, forward);
      const chains = forward.map(([source, target, edge]) => {
        const items = [source];
        for (let at = layer.get(source) + 1; at < layer.get(target) && bends < MAX_BENDS; at += 1) {
          layer.set(`b${bends}`, at);
          items.push(`b${bends}`);
          bends += 1;
        }
        return { edge, items: [...items, target] };
      });
      const [before, after] = [lists(layer.keys()), lists(layer.keys())];
      for (const { items } of chains) {
        for (let i = 0; i + 1 < items.length; i += 1) {
          after.get(items[i]).push(items[i + 1]);
          before.get(items[i + 1]).push(items[i]);
        }
      }
      return { lanes: lanesOf(layer, before, after), chains, before, after };
    });
  }

  /** The heights at which edges end that are nearest to the wished ones and keep order and gaps (isotonic regression). */
  function apart(lane, wished, sizes) {
    const offsets = [0];
    for (let i = 0; i + 1 < lane.length; i += 1) {
      const [upper, lower] = [sizes.get(lane[i]), sizes.get(lane[i + 1])];
      const gap = isBend(lane[i]) || isBend(lane[i + 1]) ? GAP / 2 : GAP;
      offsets.push(offsets[i] + upper.height - upper.port + gap + lower.port);
    }
    const pools = []; // mean of the wished heights, and their number
    for (let i = 0; i < lane.length; i += 1) {
      let [mean, number] = [wished[i] - offsets[i], 1];
      while (pools.length && pools[pools.length - 1].mean >= mean) {
        const above = pools.pop();
        mean = (above.mean * above.number + mean * number) / (above.number + number);
        number += above.number;
      }
      pools.push({ mean, number });
    }
    const means = pools.flatMap(({ mean, number }) => Array(number).fill(mean));
    return lane.map((item, i) => [item, means[i] + offsets[i]]);
  }

  /** The heights at which edges end: as near to the mean of the neighbours as order and gaps allow. */
  function portsOf({ lanes, before, after }, sizes) {
    const port = new Map(lanes.flatMap((lane) => apart(lane, lane.map(() => 0), sizes)));
    for (let i = 0; i < PASSES; i += 1) {
      for (const lane of i % 2 ? [...lanes].reverse() : lanes) {
        const wished = lane.map((item) => {
          let near = (i % 2 ? after : before).get(item);
          if (!near.length && !i) near = after.get(item);
          return near.length ? sum(near.map((each) => port.get(each))) / near.length : port.get(item);
        });
        for (const [item, height] of apart(lane, wished, sizes)) port.set(item, height);
      }
    }
    return port;
  }

  /** A component with the sizes of its items: its boxes from (0, 0), and how wide and high it is. */
  function placed(part, sizeOf, room) {
    const sizes = new Map();
    for (const lane of part.lanes) {
      let above = null;
      for (const item of lane) {
        sizes.set(item, isBend(item) ? { width: 0, height: BEND_HEIGHT, port: BEND_HEIGHT / 2 } : sizeOf(item, above));
        if (!isBend(item)) above = item;
      }
    }
    const port = portsOf(part, sizes);
    const highest = -greatest([...port].map(([item, height]) => sizes.get(item).port - height), -Infinity);
    const widths = part.lanes.map((lane) => greatest(lane.map((item) => sizes.get(item).width), 0));
    const gaps = part.lanes.slice(1).map((lane) => {
      const climbs = lane.flatMap((item) => part.before.get(item).map((each) => Math.abs(port.get(each) - port.get(item))));
      return Math.min(MOST_GAP, Math.max(LEAST_GAP, Math.round(SLANT * (climbs.length ? sum(climbs) / climbs.length : 0))));
    });
    const spare = gaps.length ? (room.width - sum(widths) - sum(gaps)) / gaps.length : 0;
    const wide = gaps.map((gap) => Math.max(gap, Math.min(WIDE_GAP, gap + spare)));
    const boxes = [];
    let x = 0;
    let height = 0;
    part.lanes.forEach((lane, at) => {
      for (const item of lane) {
        const size = sizes.get(item);
        const width = item.startsWith("p") ? size.width : widths[at];
        const y = port.get(item) - size.port - highest;
        boxes.push({ key: item, x: x + (widths[at] - width) / 2, y, width, height: size.height, port: size.port });
        height = Math.max(height, y + size.height);
      }
      x += widths[at] + (wide[at] || 0);
    });
    return { boxes, width: x, height };
  }

  /**
   * Lay out ordered components next to and below each other.
   *
   * `sizeOf` takes an item and the one above it, and gives width, height and the height at which edges end;
   * `room` is the size of the window, whose shape the whole gets.
   */
  function place(parts, sizeOf, room) {
    const all = parts.map((part) => placed(part, sizeOf, room));
    const area = sum(all.map((part) => (part.width + PART_GAP) * (part.height + PART_GAP)));
    const most = greatest(all.map((part) => part.width), Math.sqrt((area * room.width) / room.height));
    const boxes = [];
    let [x, y, depth, width] = [0, 0, 0, 0];
    for (const part of all) {
      if (x && x + part.width > most) [x, y, depth] = [0, y + depth + PART_GAP, 0];
      for (const box of part.boxes) boxes.push({ ...box, x: box.x + x, y: box.y + y });
      width = Math.max(width, x + part.width);
      depth = Math.max(depth, part.height);
      x += part.width + PART_GAP;
    }
    return { boxes, width, height: y + depth };
  }

  return { order, place };
})();
