// Model: the data of the graph (written by page.py) and traversals of it, without any drawing.

const VALUES = JSON.parse(document.getElementById("values").textContent);
const DIRECT = 1;
const MANY_EDGES = 1000; // more are drawn faintly, and nothing moves slowly
const FAMILIES = ["table", "view", "file", "topic", "model", "database", "other"];

const model = (() => {
  const nodes = new Map();
  VALUES.datasets.forEach((each, i) => nodes.set(`d${i}`, { key: `d${i}`, isDataset: true, columns: [], ...each }));
  VALUES.processes.forEach((each, i) => nodes.set(`p${i}`, { key: `p${i}`, isDataset: false, columns: [], ...each }));
  const columns = VALUES.columns.map(([dataset, name, type = ""], number) => ({ number, dataset, name, type, constant: "" }));
  for (const column of columns) nodes.get(column.dataset).columns.push(column.number);
  for (const [number, expression] of VALUES.constants) columns[number].constant = expression;
  const flows = VALUES.flows.map(([source, target, process, kind, expression], number) => ({
    number, source, target, process: `p${process}`, isDirect: kind === DIRECT, expression: VALUES.expressions[expression],
  }));

  // What is beside what: the datasets and processes beside each, and the flows into and out of each column.
  const beside = new Map([...nodes.keys()].map((key) => [key, { before: new Set(), after: new Set() }]));
  const edges = [];
  function connect(source, target) {
    if (beside.get(source).after.has(target)) return;
    beside.get(source).after.add(target);
    beside.get(target).before.add(source);
    edges.push([source, target]);
  }
  for (const { key, isDataset, inputs, outputs } of nodes.values()) {
    if (isDataset) continue;
    for (const each of inputs) connect(each, key);
    for (const each of outputs) connect(key, each);
  }
  for (const column of columns) Object.assign(column, { into: [], outOf: [] });
  for (const flow of flows) {
    columns[flow.target].into.push(flow);
    columns[flow.source].outOf.push(flow);
  }
  return {
    nodes, columns, flows, edges, isLarge: edges.length > MANY_EDGES,
    isDataset: (key) => key.startsWith("d"),
    isProcess: (key) => key.startsWith("p"),
    /** The keys of the datasets or processes just before one, and just after it. */
    before: (key) => [...beside.get(key).before],
    after: (key) => [...beside.get(key).after],
    degree: (key) => beside.get(key).before.size + beside.get(key).after.size,
    /** The flows into a column, and out of it. */
    into: (number) => columns[number].into,
    outOf: (number) => columns[number].outOf,
  };
})();

/** Return the name of a column, or a placeholder if it is empty or blank. */
const shownName = (column) => (column.name.trim() ? column.name : "(no name)");

/** The address of a dataset, process or column: what stands behind `#` in a link. */
function nameOf(thing) {
  if (thing.column !== undefined) {
    const column = model.columns[thing.column];
    const dataset = model.nodes.get(column.dataset);
    return dataset.name + dataset.mark + column.name;
  }
  const node = model.nodes.get(thing.node);
  return node.isDataset ? node.name : node.id;
}

/** The edges of a column, by what the columns at their other ends are to it: title, flows, other end. */
function sidesOf(number) {
  const [into, outOf] = [model.into(number), model.outOf(number)];
  return [
    ["Sources", into.filter((flow) => flow.isDirect), "source"],
    ["Influenced by", into.filter((flow) => !flow.isDirect), "source"],
    ["Targets", outOf.filter((flow) => flow.isDirect), "target"],
    ["Influences", outOf.filter((flow) => !flow.isDirect), "target"],
  ];
}

/** Return the item of an address, or null. */
const byName = (() => {
  let things = null; // most pages are opened without one
  function all() {
    const found = new Map();
    for (const column of model.columns) {
      const dataset = model.nodes.get(column.dataset);
      for (const mark of ["#", ".", dataset.mark]) found.set(dataset.name + mark + column.name, { column: column.number });
    }
    for (const node of model.nodes.values()) if (!node.isDataset) found.set(node.id, { node: node.key });
    for (const node of model.nodes.values()) if (node.isDataset) found.set(node.name, { node: node.key });
    return found;
  }
  return (name) => {
    things = things || all();
    return things.get(name) || null;
  };
})();

/** All that is reached from a start over what `next` gives, the start included. */
function reached(start, next) {
  const seen = new Set([start]);
  for (const item of seen) for (const each of next(item)) seen.add(each);
  return seen;
}

/** The way of a dataset or process both ways: nodes, and edges as pairs of their keys. */
function wayOfNode(key) {
  const before = reached(key, model.before);
  const after = reached(key, model.after);
  const edges = model.edges.filter(
    ([source, target]) => (before.has(source) && before.has(target)) || (after.has(source) && after.has(target)),
  );
  return {
    nodes: new Set([...before, ...after]),
    edges: new Set(edges.map(([source, target]) => `${source}>${target}`)),
    columns: new Set(),
    flows: new Set(),
  };
}

/** The way of a column both ways over flows that `isShown` takes. */
function wayOfColumn(number, isShown) {
  const flows = new Set();
  const follow = (side, end) => reached(number, (each) => {
    const taken = side(each).filter(isShown);
    taken.forEach((flow) => flows.add(flow));
    return taken.map((flow) => flow[end]);
  });
  const columns = new Set([...follow(model.into, "source"), ...follow(model.outOf, "target")]);
  const nodes = new Set([...columns].map((each) => model.columns[each].dataset));
  for (const flow of flows) nodes.add(flow.process);
  return { nodes, edges: new Set(), columns, flows };
}
