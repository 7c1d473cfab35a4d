// Cards: DOM elements above the canvas for the visible datasets and processes, where they are large enough to read.

const cards = (() => {
  const LEAST_ZOOM = 0.7; // below, text would be too small to read
  const MAX_CARDS = 350;
  const LEAST_TYPE = 36; // pixels: in less room there is no data type
  const layer = document.createElement("div");
  layer.id = "cards";
  const held = document.createElement("div");
  layer.append(curves.svg, held);
  graph.append(layer);
  const { fitted } = texts;
  const shown = new Map();
  const state = { rows: new Map(), more: new Map(), way: null, chosen: null };

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

  /** Type and location of a dataset, of which the end matters most. */
  function placeOf(node, width) {
    const text = belowOf(node);
    if (!node.place || texts.widthOf(text, FONTS.below) <= width) return fitted(text, width, FONTS.below);
    const begin = text === node.place ? "" : `${fitted(node.type, width / 2, FONTS.below)} · `;
    return begin + fitted(node.place, width - texts.widthOf(begin, FONTS.below), FONTS.below, texts.ending);
  }

  /** The row of a column: its name, and its data type in what room is left. */
  function columnRow(number, width) {
    const column = model.columns[number];
    const name = shownName(column);
    const row = button("column", undefined, `column ${name}${column.type ? `, ${column.type}` : ""}`);
    const shownAs = fitted(name, width, FONTS.column);
    const left = width - texts.widthOf(shownAs, FONTS.column) - 12;
    row.append(element("span", "name", shownAs));
    if (column.type && left > LEAST_TYPE) row.append(element("span", "type", fitted(column.type, left, FONTS.type, texts.beginning)));
    row.title = column.type ? `${name}: ${column.type}` : name;
    row.dataset.column = number;
    if (state.way && state.way.columns.size) row.classList.add(state.way.columns.has(number) ? "lit" : "faded");
    if (state.chosen && state.chosen.column === number) row.classList.add("chosen");
    return row;
  }

  function datasetCard(node, box) {
    const width = box.width - CARD.left - CARD.right;
    const card = element("article", `card dataset ${node.family}${node.dropped ? " dropped" : ""}`);
    const head = button("head", undefined, `${node.name}, ${node.type}, ${texts.counted(node.columns.length, "column")}`);
    head.title = node.dropped ? `${node.name}\n(dropped)` : node.name;
    head.dataset.node = node.key;
    head.append(
      element("span", "title", fitted(node.title, width - (node.columns.length ? CARD.badge : 0), FONTS.title)),
      element("span", "below", placeOf(node, width)),
    );
    if (node.columns.length) {
      head.setAttribute("aria-expanded", String(choosing.isOpen(node.key)));
      head.append(element("span", "count", String(node.columns.length)));
    }
    card.append(head, ...(state.rows.get(node.key) || []).map((number) => columnRow(number, width)));
    const more = state.more.get(node.key);
    if (more) {
      const last = button("more", more > 0 ? `show ${more} more` : "show fewer");
      last.dataset.more = node.key;
      card.append(last);
    }
    return card;
  }

  /** The card of a process: a mark, or the name of its job. */
  function processCard(node, box) {
    const hasProblem = Object.keys(node.reasons).length > 0;
    const isMark = box.width <= MARK;
    const card = element("article", `card process${isMark ? " mark" : ""}${hasProblem ? " problem" : ""}`);
    const head = button("head", undefined, `process ${node.name}${hasProblem ? ", incomplete or failed" : ""}`);
    head.title = node.name;
    head.dataset.node = node.key;
    if (!isMark) head.append(element("span", "title", fitted(node.job, box.width - 24, FONTS.process)));
    if (hasProblem) head.append(element("span", "flag", "!"));
    card.append(head);
    return card;
  }

  function made(key) {
    const node = model.nodes.get(key);
    const box = boxes.get(key);
    const card = node.isDataset ? datasetCard(node, box) : processCard(node, box);
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
    for (const [key, box] of boxes) {
      if (!model.nodes.has(key)) continue;
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

  let isAsked = false;
  /** Update the cards for the visible area. */
  function look() {
    isAsked = false;
    const { zoom, x, y } = view.now;
    const seen = zoom >= LEAST_ZOOM ? inSight() : [];
    const isUp = zoom >= LEAST_ZOOM && seen.length <= MAX_CARDS;
    graph.classList.toggle("near", isUp);
    graph.classList.toggle("lit", Boolean(state.way));
    layer.style.transform = `translate(${x}px, ${y}px) scale(${zoom})`;
    layer.style.setProperty("--unit", String(Math.max(1, 0.5 / zoom))); // from afar lines stay as wide as they are
    curves.look(isUp, view.sight());
    map.look();
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

  function lookSoon() {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => { if (isAsked) look(); });
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
