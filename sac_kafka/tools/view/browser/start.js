// Mouse and keyboard events, and the initial view.

(() => {
  const keys = document.getElementById("keys");
  const help = document.getElementById("help");

  /** The dataset or process whose box, as it is seen from afar, is where something has happened; null where cards are near. */
  const boxBelow = (event) => (graph.classList.contains("near") ? null : far.at(view.below(gestures.at(event))));

  graph.addEventListener("pointermove", (event) => {
    const found = gestures.isHeld() ? null : boxBelow(event);
    const title = found ? found.name : "";
    if (graph.title !== title) graph.title = title;
    graph.classList.toggle("over", Boolean(found));
  });
  // A click on a card, a curve, a box; one that has moved the graph is none.
  graph.addEventListener("click", (event) => {
    if (gestures.isEndOfDrag(event)) return;
    if (!choosing.click(event.target)) {
      const found = boxBelow(event);
      if (found) choosing.choose({ node: found.key }, { isFar: true });
      else if (choosing.get()) choosing.choose(null);
    }
    graph.focus({ preventScroll: true });
  });
  document.getElementById("zoom").addEventListener("click", (event) => {
    const { zoom } = event.target.dataset;
    if (zoom === "fit") view.fit();
    else if (zoom === "columns") parts.toggleColumns();
    else if (zoom) view.zoomBy(zoom === "in" ? 1.3 : 1 / 1.3);
  });
  document.getElementById("theme").addEventListener("click", theme.toggle);
  function showKeys(isShown) {
    keys.hidden = !isShown;
    help.setAttribute("aria-expanded", String(isShown));
  }
  help.addEventListener("click", () => showKeys(keys.hidden));

  /** The nearest by height of some cards. */
  function nearest(found, to) {
    const height = (key) => boxes.get(key).y;
    return found.filter(parts.has).sort((one, other) => Math.abs(height(one) - height(to)) - Math.abs(height(other) - height(to)))[0];
  }

  /** Up and down: the next of the same layer, or column of the same card. */
  function beside(chosen, step) {
    if (chosen.column !== undefined) {
      const rows = cards.state.rows.get(choosing.keyOf(chosen));
      const next = rows[rows.indexOf(chosen.column) + step];
      return next === undefined ? { node: choosing.keyOf(chosen) } : { column: next };
    }
    const rows = cards.state.rows.get(chosen.node) || [];
    if (step > 0 && choosing.isOpen(chosen.node) && rows.length) return { column: rows[0] };
    const lane = lanes.find((each) => each.includes(chosen.node));
    const others = lane.filter((key) => model.nodes.has(key));
    const next = others[others.indexOf(chosen.node) + step];
    return next && { node: next };
  }

  /** Left and right: along an edge, or along a flow of the column. */
  function along(chosen, side) {
    if (chosen.column !== undefined) {
      const flows = side === "before" ? model.into(chosen.column) : model.outOf(chosen.column);
      const flow = flows.find((each) => each.isDirect && parts.has(each.process)) || flows[0];
      return flow && { column: side === "before" ? flow.source : flow.target };
    }
    const next = nearest(model[side](chosen.node), chosen.node);
    return next && { node: next };
  }

  function move(key) {
    const chosen = choosing.get();
    const first = lanes.length && lanes[0].find((each) => model.nodes.has(each));
    const next = !chosen ? first && { node: first } : {
      ArrowLeft: () => along(chosen, "before"),
      ArrowRight: () => along(chosen, "after"),
      ArrowUp: () => beside(chosen, -1),
      ArrowDown: () => beside(chosen, 1),
    }[key]();
    if (next) choosing.choose(next, { isFar: true });
  }

  function back() {
    const chosen = choosing.get();
    if (!keys.hidden) showKeys(false);
    else if (chosen && chosen.column !== undefined) choosing.choose({ node: choosing.keyOf(chosen) });
    else if (chosen) choosing.choose(null);
    else if (!parts.isAll()) parts.showAll();
  }

  /** The path of what is chosen alone, or everything. */
  function showPath() {
    const chosen = choosing.get();
    if (chosen && !parts.isPathOf(chosen)) parts.showPath(chosen);
    else if (!parts.isAll()) parts.showAll();
  }

  const actions = {
    "/": () => search.focus(), Escape: back, "+": () => view.zoomBy(1.3), "=": () => view.zoomBy(1.3), "-": () => view.zoomBy(1 / 1.3),
    0: () => view.fit(), c: () => parts.toggleColumns(), p: () => showPath(), t: () => theme.toggle(), "?": () => showKeys(keys.hidden),
    Enter: () => {
      const chosen = choosing.get();
      if (chosen && chosen.node !== undefined) choosing.press(chosen.node);
    },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT"].includes(event.target.tagName)) return;
    const isOnButton = event.target.tagName === "BUTTON";
    if (event.key.startsWith("Arrow") && !isOnButton) move(event.key);
    else if (actions[event.key] && !(isOnButton && event.key === "Enter")) actions[event.key]();
    else return;
    event.preventDefault();
  });

  window.lineage = { view, model, boxes, choosing, parts, nameOf };

  const kinds = [...FAMILIES.filter((family) => VALUES.datasets.some((each) => each.family === family)), ...(VALUES.processes.length ? ["process"] : [])];
  document.getElementById("kinds").append(...kinds.map((kind) => cards.element("span", kind, kind)));
  document.getElementById("empty").hidden = model.nodes.size > 0;
  document.getElementById("parts").hidden = model.nodes.size === 0;
  window.addEventListener("hashchange", choosing.follow);
  parts.showAll();
  choosing.follow();
})();
