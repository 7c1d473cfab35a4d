// Selection: the selected item, its highlighted lineage, the displayed columns, the link and the details panel.

const choosing = (() => {
  const announcement = document.getElementById("announcement");
  const kinds = { direct: document.getElementById("direct"), indirect: document.getElementById("indirect") };
  const MAX_FLOWS = 3000;
  const open = new Set(); // datasets whose columns are shown
  const whole = new Set(); // datasets whose columns are all shown, however many
  let limit = 0; // columns of the others
  let chosen = null;
  let way = null;

  const isShown = (flow) => (flow.isDirect ? kinds.direct.checked : kinds.indirect.checked);
  const keyOf = (thing) => (thing.column !== undefined ? model.columns[thing.column].dataset : thing.node);
  const isSame = (one, other) => one === other || (one && other && one.node === other.node && one.column === other.column);

  /** The columns that the card of a dataset shows, and how many more it has; -1: it shows all, and could show fewer. */
  function rowsOf(node) {
    const lit = (number) => Boolean(way && way.columns.has(number));
    if (!open.has(node.key)) return { rows: node.columns.filter(lit), more: 0 };
    if (node.columns.length <= limit + 1) return { rows: node.columns, more: 0 };
    if (whole.has(node.key)) return { rows: node.columns, more: -1 };
    const rows = node.columns.filter((number, i) => i < limit || lit(number));
    return { rows, more: node.columns.length - rows.length };
  }

  const wayOf = (thing) => (thing.column !== undefined ? wayOfColumn(thing.column, isShown) : wayOfNode(thing.node));

  /** Bring everything to what is chosen now; the card `still` stays where it is on the screen. */
  function update(still) {
    prepare(still);
    cards.renew();
  }

  /** The same, before it is drawn. */
  function prepare(still) {
    way = chosen && wayOf(chosen);
    const before = still && boxes.get(still).y;
    const { rows, more } = cards.state;
    rows.clear();
    more.clear();
    const heights = new Map();
    const wanted = new Set([...open, ...(way && way.columns.size ? way.nodes : [])]);
    for (const key of wanted) {
      if (!boxes.has(key) || !model.isDataset(key)) continue;
      const shown = rowsOf(model.nodes.get(key));
      rows.set(key, shown.rows);
      more.set(key, shown.more);
      heights.set(key, heightWith(shown.rows.length, Boolean(shown.more)));
    }
    const hasMoved = place(heights);
    if (hasMoved) curves.moved();
    if (still && hasMoved) view.panBy(0, (before - boxes.get(still).y) * view.now.zoom);
    if (way && !way.columns.size && parts.isPathOf(chosen)) way = null; // nothing else is shown
    Object.assign(cards.state, { way, chosen });
    curves.drawFlows(flowsShown(rows), way ? way.flows : new Set(), cards.heightOf);
    curves.light(way);
    map.draw();
  }

  /** The flows to draw: those of the way of a column, else those between columns that are shown. */
  function flowsShown(rows) {
    const isHere = (flow) => parts.has(flow.process) && parts.has(model.columns[flow.source].dataset) && parts.has(model.columns[flow.target].dataset);
    if (way && way.columns.size) return [...way.flows].filter(isHere);
    const columns = new Set([...rows.values()].flat());
    const found = [];
    for (const number of columns) {
      for (const flow of model.outOf(number)) {
        if (columns.has(flow.target) && isShown(flow) && isHere(flow)) found.push(flow);
        if (found.length === MAX_FLOWS) return found;
      }
    }
    return found;
  }

  /** Announce the selection to screen readers. */
  function tell() {
    if (!chosen) announcement.textContent = "Nothing selected";
    else if (chosen.column !== undefined) {
      announcement.textContent = `column ${nameOf(chosen)}: ${sidesOf(chosen.column).map(([title, flows]) => `${title.toLowerCase()} ${flows.length}`).join(", ")}`;
    } else {
      const node = model.nodes.get(chosen.node);
      announcement.textContent = `${node.isDataset ? node.type : "process"} ${node.name}: ${model.before(node.key).length} upstream, ${model.after(node.key).length} downstream`;
    }
  }

  /**
   * Choose a dataset, process or column; null: none. `isFar`: it may be out of sight. `isWhole`: all of its path comes into
   * sight where that can be read; where it cannot, that of a column is shown alone.
   */
  function choose(thing, { isFar = false, isWhole = false, still = null } = {}) {
    chosen = thing;
    const wasAll = view.isFitted();
    const isWider = Boolean(thing) !== details.isShown();
    details.show(thing);
    if (isWider) view.resize();
    const isElsewhere = thing && !parts.has(keyOf(thing));
    if (isElsewhere && parts.isPath()) parts.showPath(thing);
    else if (isElsewhere) parts.showAll();
    update(still);
    if (wasAll && !isFar) view.fit(view.now.zoom < view.READABLE ? 0 : view.READABLE);
    if (thing) bringToSight(thing, isFar, isWhole);
    const address = thing ? `#${encodeURIComponent(nameOf(thing))}` : "#";
    if (window.location.hash !== address && (thing || window.location.hash)) window.location.hash = address;
    parts.offer();
    tell();
  }

  function bringToSight(thing, isFar, isWhole) {
    if (isWhole) {
      const gather = () => view.gather([...way.nodes].filter((key) => boxes.has(key)).map((key) => boxes.get(key)));
      if (gather()) return;
      if (thing.column !== undefined && parts.isAll()) {
        parts.showPath(thing);
        if (gather()) return;
      }
    }
    reveal(!isFar);
  }

  /** Bring what is chosen into sight; what is near is large enough already. */
  function reveal(isNear = true) {
    const thing = chosen;
    if (!thing || !parts.has(keyOf(thing))) return;
    const box = boxes.get(keyOf(thing));
    view.reveal(box.x + box.width / 2, thing.column !== undefined ? cards.heightOf(thing.column) : box.y + box.port, isNear);
  }

  /** Choose what the link names. */
  function follow() {
    let name = "";
    try { name = decodeURIComponent(window.location.hash.slice(1)); } catch { return; }
    const thing = name ? byName(name) : null;
    if (thing && !isSame(thing, chosen)) choose(thing, { isFar: true, isWhole: true });
    else if (!thing && chosen && !name) choose(null);
  }

  /** Open the columns of a dataset, or close them. */
  function toggle(key) {
    if (!model.nodes.get(key).columns.length) return;
    if (open.has(key)) open.delete(key);
    else open.add(key);
  }

  function click(target) {
    const column = target.closest("[data-column]");
    const more = target.closest("[data-more]");
    const head = target.closest("[data-node]");
    const flow = target.closest("[data-flow]");
    if (flow) choose({ column: model.flows[flow.dataset.flow].target });
    else if (column) choose({ column: Number(column.dataset.column) }, { still: model.columns[column.dataset.column].dataset });
    else if (more) {
      const key = more.dataset.more;
      if (!whole.delete(key)) whole.add(key);
      update(key);
    } else if (head) press(head.dataset.node);
    else return false;
    return true;
  }

  /** Choose a dataset or process; its columns open, or close where it is chosen already. */
  function press(key) {
    if (!open.has(key) || (chosen && chosen.node === key)) toggle(key);
    choose({ node: key }, { still: key });
  }

  for (const box of Object.values(kinds)) box.addEventListener("change", () => update(null));
  details.onChoose(choose);
  search.onChoose(choose);
  return {
    choose, follow, click, press, update, prepare, reveal, keyOf, rowsOf, wayOf,
    get: () => chosen,
    isOpen: (key) => open.has(key),
    isAnyOpen: () => open.size > 0,
    /** Show the columns of these datasets and of no others, at most so many of each. */
    open(keys, most) {
      open.clear();
      whole.clear();
      for (const key of keys) open.add(key);
      limit = most;
    },
  };
})();
