// Search: every word must occur in the name; names that start with the query come first.

const search = (() => {
  const input = document.getElementById("asked");
  const list = document.getElementById("found");
  const MOST = 40;
  let choose = () => {};
  let options = [];
  let at = -1;

  let known = null;
  /** Search index in lower case, built on first use. */
  function things() {
    if (known) return known;
    known = [
      ...[...model.nodes.values()].map((node) => ({
        thing: { node: node.key },
        title: node.isDataset ? node.title : node.job || node.name,
        below: node.isDataset ? `${node.type} · ${node.name}` : `process · ${node.name}`,
        rank: node.isDataset ? 0 : 2,
      })),
      ...model.columns.map((column) => ({
        thing: { column: column.number },
        title: shownName(column),
        below: `${column.type || "column"} · ${model.nodes.get(column.dataset).name}`,
        rank: 1,
      })),
    ];
    for (const each of known) {
      each.begin = each.title.toLowerCase();
      each.all = `${nameOf(each.thing)} ${each.title} ${each.below}`.toLowerCase();
    }
    return known;
  }

  function find(asked) {
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const worth = (each) => (each.begin === words[0] ? 0 : each.begin.startsWith(words[0]) ? 1 : each.begin.includes(words[0]) ? 2 : 3) * 4 + each.rank;
    return things().filter((each) => words.every((word) => each.all.includes(word))).sort((a, b) => worth(a) - worth(b));
  }

  function mark(next) {
    options.forEach((option, i) => option.setAttribute("aria-selected", String(i === next)));
    at = next;
    if (options[at]) {
      options[at].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", options[at].id);
    } else input.removeAttribute("aria-activedescendant");
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    mark(-1);
  }

  function take(thing) {
    close();
    input.blur();
    choose(thing, { isFar: true, isWhole: true });
    graph.focus({ preventScroll: true });
  }

  function show() {
    const found = find(input.value);
    list.replaceChildren(...found.slice(0, MOST).map((each, i) => {
      const option = cards.element("li", "");
      option.id = `option-${i}`;
      option.setAttribute("role", "option");
      option.title = nameOf(each.thing);
      option.append(cards.element("span", "title", texts.shortened(each.title, 60)), cards.element("span", "below", texts.shortened(each.below, 70)));
      option.addEventListener("mousedown", (event) => { event.preventDefault(); take(each.thing); });
      option.addEventListener("mousemove", () => { if (at !== i) mark(i); });
      option.thing = each.thing;
      return option;
    }));
    options = [...list.children];
    const rest = found.length - options.length;
    if (rest > 0 || !found.length) list.append(cards.element("li", "rest", found.length ? `and ${rest} more` : "no matches"));
    list.hidden = !input.value.trim();
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark(options.length && !list.hidden ? 0 : -1);
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", () => { if (input.value) show(); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length) mark((at + step + options.length) % options.length);
    else if (event.key === "Enter" && options[at]) take(options[at].thing);
    else if (event.key === "Escape") {
      input.value = "";
      close();
      graph.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return { onChoose(action) { choose = action; }, focus() { input.focus(); input.select(); } };
})();
