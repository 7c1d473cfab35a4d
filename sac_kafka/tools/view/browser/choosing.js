// Selection: the selected item, its highlighted lineage, the displayed columns, the link and the details panel.

const choosing = (() => {
  const announcement = document.getElementById("announcement");
  const kinds = { direct: document.getElementById("direct"), indirect: document.getElementById("indirect") };
  const MAX_FLOWS = 3000;
  const READABLE = 0.6;
  const open = cards.state.open;
  const whole = new Set(); // datasets whose columns are all shown, however many
  let chosen = null;
  let way = null;

  const isShown = (flow) => (flow.isDirect ? kinds.direct.checked : kinds.indirect.checked);
  const keyOf = (thing) => (thing.column !== undefined ? model.columns[thing.column].dataset : thing.node);
  const isSame = (one, other) => one === other || (one && other && one.node === other.node && one.column === other.column);

  /** The columns that the card of a dataset shows: all where it is open, else those of the way. */
  function rowsOf(node) {
    const lit = (number) => Boolean(way && way.columns.has(number));
    if (!open.has(node.key)) return node.columns.filter(lit);
    if (whole.has(node.key) || node.columns.length <= MAX_ROWS + 1) return node.columns;
    return node.columns.filter((number, i) => i < MAX_ROWS || lit(number));
  }

  /** Bring everything to what is chosen now; the card `still` stays where it is on the screen. */
  function update(still) {
    way = !chosen ? null : chosen.column !== undefined ? wayOfColumn(chosen.column, isShown) : wayOfNode(chosen.node);
    const before = still && boxes.get(still).y;
    const { rows, more } = cards.state;
    rows.clear();
    more.clear();
    const heights = new Map();
    const wanted = new Set([...open, ...(way && way.columns.size ? [...way.nodes].filter((key) => model.nodes.get(key).isDataset) : [])]);
    for (const key of wanted) {
      const node = model.nodes.get(key);
      const shown = rowsOf(node);
      rows.set(key, shown);
      if (open.has(key) && node.columns.length > MAX_ROWS + 1) more.set(key, whole.has(key) ? -1 : node.columns.length - shown.length);
      heights.set(key, heightWith(shown.length, Boolean(more.get(key))));
    }
    const hasMoved = place(heights);
    if (hasMoved) curves.moved();
    if (still && hasMoved) view.panBy(0, (before - boxes.get(still).y) * view.now.zoom);
    const flows = flowsShown(rows);
    curves.drawFlows(flows, way ? way.flows : new Set(), cards.heightOf);
    curves.light(way, chosen && keyOf(chosen));
    Object.assign(cards.state, { way, chosen });
    cards.renew();
  }

  /** The flows to draw: those of the way of a column, else those between columns that are shown. */
  function flowsShown(rows) {
    if (way && way.columns.size) return [...way.flows];
    const columns = new Set([...rows.values()].flat());
    const found = [];
    for (const number of columns) {
      for (const flow of model.outOf(number)) {
        if (columns.has(flow.target) && isShown(flow)) found.push(flow);
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

  /** Choose a dataset, process or column; null: none. `isFar`: it may be out of sight. */
  function choose(thing, { isFar = false, still = null } = {}) {
    chosen = thing;
    if (thing && thing.column !== undefined && isFar) open.add(keyOf(thing));
    const wasAll = view.isFitted();
    const isWider = Boolean(thing) !== details.isShown();
    details.show(thing);
    if (isWider) view.resize();
    update(still);
    if (wasAll && !isFar) view.fit(READABLE);
    if (thing) {
      const box = boxes.get(keyOf(thing));
      view.reveal(box.x + box.width / 2, thing.column !== undefined ? cards.heightOf(thing.column) : box.y + HEAD / 2, !isFar);
    }
    const address = thing ? `#${encodeURIComponent(nameOf(thing))}` : "#";
    if (window.location.hash !== address && (thing || window.location.hash)) window.location.hash = address;
    tell();
  }

  /** Choose what the link names. */
  function follow() {
    let name = "";
    try { name = decodeURIComponent(window.location.hash.slice(1)); } catch { return; }
    const thing = name ? byName(name) : null;
    if (thing && !isSame(thing, chosen)) choose(thing, { isFar: true });
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

  function press(key) {
    toggle(key);
    choose({ node: key }, { still: key });
  }

  for (const box of Object.values(kinds)) box.addEventListener("change", () => update(null));
  details.onChoose(choose);
  search.onChoose(choose);
  return { choose, follow, click, press, update, get: () => chosen, keyOf };
})();
