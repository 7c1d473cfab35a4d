// Layout: datasets and processes in layers from left to right, and the bends of edges that cross layers, in CSS pixels.

const layout = (() => {
  const MAX_BENDS = 20_000; // of all edges together; further edges are straight
  const SWEEPS = 8;
  const VAIN_SWEEPS = 3; // after so many that find nothing better, no more
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
  const lists = (number) => Array.from({ length: number }, () => []);

  /** The connected components, the largest first: their nodes, and their edges between the numbers of these nodes. */
  function components(nodes, edges) {
    const number = new Map(nodes.map((node, at) => [node, at]));
    const root = nodes.map((node, at) => at);
    function top(node) {
      let at = node;
      while (root[at] !== at) {
        root[at] = root[root[at]];
        at = root[at];
      }
      return at;
    }
    const pairs = edges.map(([source, target]) => [number.get(source), number.get(target)]);
    for (const [source, target] of pairs) root[top(target)] = top(source);
    const parts = new Map();
    const within = nodes.map((node, at) => {
      const key = top(at);
      if (!parts.has(key)) parts.set(key, { nodes: [], edges: [] });
      return parts.get(key).nodes.push(node) - 1;
    });
    for (const [source, target] of pairs) parts.get(top(source)).edges.push([within[source], within[target]]);
    return [...parts.values()].sort((one, other) => other.nodes.length - one.nodes.length);
  }

  /**
   * The edges of so many nodes from left to right: [source, target, whether it is reversed]; no cycle is left. Of two edges
   * between the same nodes in both directions, `beside` has the reversed one: it has no place of its own.
   */
  function withoutCycles(number, edges) {
    const after = lists(number);
    const isEntered = new Uint8Array(number);
    edges.forEach(([source, target], at) => {
      after[source].push(at);
      isEntered[target] = 1;
    });
    const state = new Uint8Array(number); // 1: on the way, 2: done
    const isBack = new Uint8Array(edges.length);
    const next = new Uint32Array(number);
    function walk(root) {
      if (state[root]) return;
      const stack = [root];
      state[root] = 1;
      while (stack.length) {
        const node = stack[stack.length - 1];
        const edge = after[node][next[node]];
        next[node] += 1;
        if (edge === undefined) {
          stack.pop();
          state[node] = 2;
        } else {
          const target = edges[edge][1];
          if (state[target] === 1) isBack[edge] = 1;
          else if (!state[target]) {
            state[target] = 1;
            stack.push(target);
          }
        }
      }
    }
    for (let node = 0; node < number; node += 1) if (!isEntered[node]) walk(node);
    for (let node = 0; node < number; node += 1) walk(node);
    const [forward, beside] = [[], []];
    const known = new Set();
    edges.forEach(([source, target], at) => {
      if (isBack[at]) return;
      known.add(source * number + target);
      forward.push([source, target, false]);
    });
    edges.forEach(([source, target], at) => {
      if (isBack[at]) (known.has(target * number + source) ? beside : forward).push([target, source, true]);
    });
    return { forward, beside };
  }

  /** The layer of each node, by the longest path to it: datasets are in even layers, processes in odd ones. */
  function layersOf(nodes, forward) {
    const [before, after] = [lists(nodes.length), lists(nodes.length)];
    for (const [source, target] of forward) {
      before[target].push(source);
      after[source].push(target);
    }
    const layer = nodes.map((node) => (node.startsWith("p") ? 1 : 0));
    const left = before.map((each) => each.length);
    const ready = nodes.map((node, at) => at).filter((at) => !left[at]);
    for (const node of ready) {
      for (const target of after[node]) {
        layer[target] = Math.max(layer[target], layer[node] + 1);
        left[target] -= 1;
        if (!left[target]) ready.push(target);
      }
    }
    // Nodes without predecessors move right before their nearest successor.
    nodes.forEach((node, at) => {
      if (after[at].length && !before[at].length) layer[at] = Math.min(...after[at].map((each) => layer[each])) - 1;
    });
    return layer;
  }

  /** The number of crossings of edges between neighbouring layers: the inversions of their ends. */
  function crossings(lanes, after, place) {
    let total = 0;
    for (let i = 0; i + 1 < lanes.length; i += 1) {
      lanes[i + 1].forEach((item, at) => { place[item] = at; });
      const seen = []; // sorted
      for (const item of lanes[i]) {
        const ends = after[item].map((each) => place[each]);
        if (ends.length > 1) ends.sort((a, b) => a - b);
        for (const end of ends) {
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
  function sweep(lanes, neighbours, place, mean) {
    lanes.forEach((lane, i) => {
      if (i) {
        lane.forEach((item, at) => {
          const near = neighbours[item];
          mean[item] = at;
          if (near.length) mean[item] = near.reduce((total, each) => total + place[each], 0) / near.length;
        });
        lane.sort((one, other) => mean[one] - mean[other]);
      }
      lane.forEach((item, at) => { place[item] = at; });
    });
  }

  /** All items from top to bottom in their layers, with few crossings. */
  function lanesOf(layer, before, after) {
    const number = layer.length;
    const isSeen = new Uint8Array(number);
    const lanes = lists(greatest(layer, -1) + 1);
    const roots = layer.map((each, at) => at).sort((one, other) => layer[one] - layer[other]);
    for (const root of roots) {
      const stack = [root];
      while (stack.length) {
        const item = stack.pop();
        if (isSeen[item]) continue;
        isSeen[item] = 1;
        lanes[layer[item]].push(item);
        for (const near of [before[item], after[item]]) for (let i = near.length - 1; i >= 0; i -= 1) if (!isSeen[near[i]]) stack.push(near[i]);
      }
    }
    const [place, mean] = [new Float64Array(number), new Float64Array(number)];
    let best = lanes.map((lane) => [...lane]);
    let fewest = crossings(lanes, after, place);
    for (let i = 0, last = 0; i < SWEEPS && fewest && i - last < VAIN_SWEEPS; i += 1) {
      if (i % 2) sweep([...lanes].reverse(), after, place, mean);
      else sweep(lanes, before, place, mean);
      const found = crossings(lanes, after, place);
      if (found < fewest) [best, fewest, last] = [lanes.map((lane) => [...lane]), found, i];
    }
    return best;
  }

  /** The components with their lanes, and the chain of items that each edge passes; nothing depends on sizes. */
  function order(nodes, edges) {
    let bends = 0;
    return components(nodes, edges).map((part) => {
      const { forward, beside } = withoutCycles(part.nodes.length, part.edges);
      const layer = layersOf(part.nodes, forward);
      const names = [...part.nodes];
      const chains = forward.map(([source, target, isReversed]) => {
        const items = [source];
        for (let at = layer[source] + 1; at < layer[target] && bends < MAX_BENDS; at += 1) {
          items.push(names.push(`b${bends}`) - 1);
          layer.push(at);
          bends += 1;
        }
        items.push(target);
        return { items, isReversed };
      });
      const [before, after] = [lists(names.length), lists(names.length)];
      for (const { items } of chains) {
        for (let i = 0; i + 1 < items.length; i += 1) {
          after[items[i]].push(items[i + 1]);
          before[items[i + 1]].push(items[i]);
        }
      }
      return {
        names, before, after,
        numbers: lanesOf(layer, before, after),
        get lanes() { return this.numbers.map((lane) => lane.map((item) => names[item])); },
        chains: [...chains, ...beside.map(([source, target]) => ({ items: [source, target], isReversed: true }))].map(({ items, isReversed }) => {
          const [first, ...between] = items.map((item) => names[item]);
          const last = between.pop();
          return { source: isReversed ? last : first, target: isReversed ? first : last, bends: between };
        }),
      };
    });
  }

  /** The heights at which edges end that are nearest to the wished ones and keep order and gaps (isotonic regression). */
  function apart(lane, wished, { names, sizes }, port) {
    const offsets = [0];
    for (let i = 0; i + 1 < lane.length; i += 1) {
      const [upper, lower] = [sizes[lane[i]], sizes[lane[i + 1]]];
      const gap = isBend(names[lane[i]]) || isBend(names[lane[i + 1]]) ? GAP / 2 : GAP;
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
    let i = 0;
    for (const { mean, number } of pools) {
      for (const end = i + number; i < end; i += 1) port[lane[i]] = mean + offsets[i];
    }
  }

  /** The heights at which edges end: as near to the mean of the neighbours as order and gaps allow. */
  function portsOf(part, sizes) {
    const { names, numbers, before, after } = part;
    const port = new Float64Array(names.length);
    for (const lane of numbers) apart(lane, lane.map(() => 0), { names, sizes }, port);
    for (let i = 0; i < PASSES; i += 1) {
      for (const lane of i % 2 ? [...numbers].reverse() : numbers) {
        const wished = lane.map((item) => {
          let near = (i % 2 ? after : before)[item];
          if (!near.length && !i) near = after[item];
          return near.length ? near.reduce((total, each) => total + port[each], 0) / near.length : port[item];
        });
        apart(lane, wished, { names, sizes }, port);
      }
    }
    return port;
  }

  /** A component with the sizes of its items: its boxes from (0, 0), and how wide and high it is. */
  function placed(part, sizeOf, room) {
    const { names, numbers, before } = part;
    const bend = { width: 0, height: BEND_HEIGHT, port: BEND_HEIGHT / 2 };
    const sizes = [];
    for (const lane of numbers) {
      let above = null;
      for (const item of lane) {
        const name = names[item];
        sizes[item] = isBend(name) ? bend : sizeOf(name, above);
        if (!isBend(name)) above = name;
      }
    }
    const port = portsOf(part, sizes);
    const highest = -greatest(names.map((name, item) => sizes[item].port - port[item]), -Infinity);
    const widths = numbers.map((lane) => greatest(lane.map((item) => sizes[item].width), 0));
    const gaps = numbers.slice(1).map((lane) => {
      const climbs = lane.flatMap((item) => before[item].map((each) => Math.abs(port[each] - port[item])));
      return Math.min(MOST_GAP, Math.max(LEAST_GAP, Math.round(SLANT * (climbs.length ? sum(climbs) / climbs.length : 0))));
    });
    const spare = gaps.length ? (room.width - sum(widths) - sum(gaps)) / gaps.length : 0;
    const wide = gaps.map((gap) => Math.max(gap, Math.min(WIDE_GAP, gap + spare)));
    const boxes = [];
    let x = 0;
    let height = 0;
    numbers.forEach((lane, at) => {
      for (const item of lane) {
        const [key, size] = [names[item], sizes[item]];
        const width = key.startsWith("p") ? size.width : widths[at];
        const y = port[item] - size.port - highest;
        boxes.push({ key, x: x + (widths[at] - width) / 2, y, width, height: size.height, port: size.port });
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
