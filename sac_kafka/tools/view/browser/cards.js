// Cards: DOM elements above the canvas for the visible datasets and processes, where they are large enough to read.

const cards = (() => {
  const LEAST_ZOOM = 0.36;
  const MAX_CARDS = 350;
  const layer = document.createElement("div");
  layer.id = "cards";
  const held = document.createElement("div");
  layer.append(curves.svg, held);
  graph.append(layer);
  const { fitted } = texts;
  const shown = new Map();
  const state = { rows: new Map(), more: new Map(), open: new Set(), way: null, chosen: null };

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function button(className, text, label) {
    const made = element("button", className, text);
    made.type = "button";
    made.tabIndex = -1;
    if (label) made.setAttribute("aria-label", label);
    return made;
  }

  /** Return the type and, if there is room, the location of the dataset. */
  function placeOf(node) {
    const begin = node.type && node.place ? `${fitted(node.type, 110, "11px")} · ` : node.type;
    return node.place ? begin + fitted(node.place, 192 - texts.widthOf(begin, "11px"), "11px") : fitted(begin, 192, "11px");
  }

  function datasetCard(node) {
    const card = element("article", `card dataset ${node.family}${node.dropped ? " dropped" : ""}`);
    const head = button("head", undefined, `${node.name}, ${node.type}, ${texts.counted(node.columns.length, "column")}`);
    head.title = node.dropped ? `${node.name}\n(dropped)` : node.name;
    head.dataset.node = node.key;
    const title = element("span", "title", fitted(node.title, 166, "600 13px"));
    const below = element("span", "below", placeOf(node));
    head.append(title, below);
    if (node.columns.length) {
      head.setAttribute("aria-expanded", String(state.open.has(node.key)));
      head.append(element("span", "count", String(node.columns.length)));
    }
    card.append(head);
    const rows = state.rows.get(node.key) || [];
    for (const number of rows) {
      const column = model.columns[number];
      const row = button("column", undefined, `column ${shownName(column)}`);
      row.append(element("span", "name", fitted(shownName(column), 190, "600 12px")));
      row.title = shownName(column);
      row.dataset.column = number;
      if (state.way && state.way.columns.size) row.classList.add(state.way.columns.has(number) ? "lit" : "faded");
      if (state.chosen && state.chosen.column === number) row.classList.add("chosen");
      card.append(row);
    }
    const more = state.more.get(node.key);
    if (more) {
      const last = button("more", more > 0 ? `show ${more} more` : "show fewer");
      last.dataset.more = node.key;
      card.append(last);
    }
    return card;
  }

  function processCard(node) {
    const card = element("article", "card process");
    const head = button("head", undefined, `process ${node.name}`);
    head.title = node.name;
    head.dataset.node = node.key;
    head.append(element("span", "title", fitted(node.job || node.name, 100, "12px")));
    const problem = Object.keys(node.reasons).length;
    if (problem) head.append(element("span", "flag", "!"));
    card.append(head);
    return card;
  }

  function made(key) {
    const node = model.nodes.get(key);
    const box = boxes.get(key);
    const card = node.isDataset ? datasetCard(node) : processCard(node);
    card.style.transform = `translate(${box.x}px, ${box.y}px)`;
    card.style.width = `${box.width}px`;
    card.style.height = `${box.height}px`;
    if (state.way) card.classList.add(state.way.nodes.has(key) ? "lit" : "faded");
    if (state.chosen && (state.chosen.node === key || (state.chosen.column !== undefined && model.columns[state.chosen.column].dataset === key))) {
      card.classList.add("chosen");
    }
    return card;
  }

  /** Return the visible area with a margin. */
  function inSight() {
    const { x1, y1, x2, y2 } = view.sight();
    const found = [];
    for (const key of model.nodes.keys()) {
      const box = boxes.get(key);
      if (box.x < x2 + 80 && box.x + box.width > x1 - 80 && box.y < y2 + 80 && box.y + box.height > y1 - 80) {
        found.push(key);
        if (found.length > MAX_CARDS) return found;
      }
    }
    return found;
  }

  function clear() {
    held.replaceChildren();
    shown.clear();
  }

  /** Update the cards for the visible area. */
  function look() {
    const { zoom, x, y } = view.now;
    const seen = zoom >= LEAST_ZOOM ? inSight() : [];
    const isUp = zoom >= LEAST_ZOOM && seen.length <= MAX_CARDS;
    graph.classList.toggle("near", isUp);
    graph.classList.toggle("lit", Boolean(state.way));
    layer.style.transform = `translate(${x}px, ${y}px) scale(${zoom})`;
    layer.style.setProperty("--unit", String(Math.max(1, 0.5 / zoom))); // from afar lines stay as wide as they are
    curves.look(isUp, view.sight());
    if (!isUp) {
      far.draw();
      clear();
      return;
    }
    const wanted = new Set(seen);
    for (const [key, card] of shown) if (!wanted.has(key)) { card.remove(); shown.delete(key); }
    const fresh = document.createDocumentFragment();
    for (const key of seen) {
      if (shown.has(key)) continue;
      const card = made(key);
      shown.set(key, card);
      fresh.append(card);
    }
    held.append(fresh);
  }

  let isAsked = false;
  function lookSoon() {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => { isAsked = false; look(); });
  }
  view.onChange(lookSoon);
  theme.onChange(lookSoon);

  return {
    element, state, look,
    /** Rebuild all cards after their content has changed. */
    renew() { clear(); look(); },
    /** Return the vertical middle of a column's row. */
    heightOf(number) {
      const key = model.columns[number].dataset;
      const at = (state.rows.get(key) || []).indexOf(number);
      return boxes.get(key).y + (at < 0 ? HEAD / 2 : HEAD + at * ROW + ROW / 2);
    },
  };
})();
