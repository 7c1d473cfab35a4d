// Parts: what of the graph is shown (all, one path, one job, one schema), and the arrangement of its cards.

const parts = (() => {
  const select = document.getElementById("part");
  const counts = document.getElementById("counts");
  const LIMITS = [14, 8, 5]; // columns of a card, the most that there is room for
  const MANY_OPEN = 60; // datasets: with more, all columns are closed at first
  const ALL = { kind: "all", name: "" };
  let part = ALL;
  let keys = new Set(model.nodes.keys());
  const isSame = (one, other) => one.kind === other.kind && one.name === other.name;

  const places = (node) => node.isDataset && node.place;
  const distinct = (values) => [...new Set(values)].filter(Boolean).sort();
  const jobs = distinct([...model.nodes.values()].map((node) => node.job));
  const schemas = distinct([...model.nodes.values()].map(places));

  /** Processes with the datasets that they read and write. */
  function withEnds(processes) {
    const found = new Set();
    for (const { key, inputs, outputs } of processes) for (const each of [...inputs, key, ...outputs]) found.add(each);
    return found;
  }

  const KEYS = {
    all: () => new Set(model.nodes.keys()),
    path: ({ way }) => new Set(way.nodes),
    job: ({ name }) => withEnds([...model.nodes.values()].filter((node) => !node.isDataset && node.job === name)),
    schema({ name }) {
      const own = [...model.nodes.values()].filter((node) => places(node) === name).map((node) => node.key);
      const beside = new Set(own.flatMap((key) => [...model.before(key), ...model.after(key)]));
      return new Set([...own, ...withEnds([...beside].map((key) => model.nodes.get(key)))]);
    },
  };

  /** Open the columns of all cards, or of as many as the window has room for, those with the fewest first. */
  function openColumns(ordered) {
    const { height } = view.room();
    const own = [...keys].map((key) => model.nodes.get(key)).filter((node) => node.columns.length);
    own.sort((one, other) => one.columns.length - other.columns.length);
    const fits = (number, limit) => {
      choosing.open(own.slice(0, number).map((node) => node.key), limit);
      return laidOut(ordered, choosing.rowsOf).height <= height;
    };
    if (!own.length || own.length > MANY_OPEN) return;
    for (const limit of LIMITS) if (fits(own.length, limit)) return;
    let [least, most] = [0, own.length - 1];
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      if (fits(middle, LIMITS[LIMITS.length - 1])) least = middle;
      else most = middle - 1;
    }
    fits(least, LIMITS[LIMITS.length - 1]);
  }

  /** Lay out what is shown; `isOpen`: with the columns that there is room for, else with those of the path alone. */
  function arrange(isOpen) {
    const edges = model.edges.filter(([source, target]) => keys.has(source) && keys.has(target));
    const ordered = layout.order([...keys], edges);
    choosing.open([], LIMITS[0]);
    if (isOpen) openColumns(ordered);
    takePositions(ordered, laidOut(ordered, choosing.rowsOf));
    curves.take(ordered);
    choosing.prepare(null);
  }

  const number = (isDataset) => [...keys].filter((key) => model.isDataset(key) === isDataset).length;
  const ofAll = (isDataset, one, many) => {
    const all = isDataset ? VALUES.datasets.length : VALUES.processes.length;
    return keys.size < model.nodes.size ? `${texts.counted(number(isDataset))} of ${texts.counted(all, one, many)}` : texts.counted(all, one, many);
  };

  function tell() {
    counts.textContent = [
      ofAll(true, "dataset"), ofAll(false, "process", "processes"), ...(jobs.length === 1 ? [`job ${jobs[0]}`] : []),
    ].join(" · ");
    select.selectedIndex = [...select.options].findIndex((each) => isSame(each.shows, part));
  }

  function option(label, given) {
    const made = cards.element("option", "", texts.shortened(label, 60));
    made.shows = given;
    return made;
  }

  function group(label, kind, names) {
    const made = document.createElement("optgroup");
    made.label = label;
    made.append(...names.map((name) => option(name, { kind, name })));
    return names.length > 1 ? [made] : [];
  }

  /** What can be shown: a path is that of what is selected. */
  function offer() {
    const thing = choosing.get();
    const paths = part.kind === "path" ? [part] : [];
    if (thing && !paths.some((each) => each.name === nameOf(thing))) paths.push({ kind: "path", name: nameOf(thing), thing });
    select.replaceChildren(
      option("Everything", ALL), ...paths.map((each) => option(`Path of ${each.name}`, each)),
      ...group("One job", "job", jobs), ...group("One schema or folder", "schema", schemas),
    );
    tell();
    details.show(thing);
  }

  /** Show a part of the graph. */
  function show(given) {
    part = given.kind === "path" ? { ...given, way: choosing.wayOf(given.thing) } : given;
    keys = KEYS[part.kind](part);
    arrange(!(part.kind === "path" && part.way.columns.size));
    view.first();
    choosing.reveal();
    cards.renew();
    offer();
  }

  select.addEventListener("change", () => {
    show(select.selectedOptions[0].shows);
    graph.focus({ preventScroll: true });
  });

  return {
    show, offer,
    isAll: () => part.kind === "all",
    isPath: () => part.kind === "path",
    has: (key) => keys.has(key),
    showAll() { show(ALL); },
    /** Show the path of a thing alone, or everything again. */
    showPath(thing) { show(thing ? { kind: "path", name: nameOf(thing), thing } : ALL); },
    isPathOf: (thing) => part.kind === "path" && part.name === nameOf(thing),
    /** Open the columns of all cards that there is room for, or close them. */
    toggleColumns() {
      arrange(!choosing.isAnyOpen());
      view.first();
      cards.renew();
    },
  };
})();
