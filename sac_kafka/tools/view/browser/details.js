// Details panel of the selected item. Texts are set with textContent: names and expressions come from messages.

const details = (() => {
  const panel = document.getElementById("details");
  const { element } = cards;
  const LABELS = { through_driver: "through the driver" }; // attributes with other names for readers
  let choose = () => {};

  function link(text, thing, title) {
    const made = element("button", "link", text);
    made.type = "button";
    made.title = title || text;
    made.addEventListener("click", () => choose(thing, { isFar: true }));
    return made;
  }

  function heading(thing, kind, name, more) {
    const head = element("header", "");
    head.append(element("p", "kind", kind));
    const title = element("h2", "", name);
    head.append(title);
    if (more) head.append(typeof more === "string" ? element("p", "more", more) : more);
    const only = element("button", "only", parts.isPathOf(thing) ? "Show everything" : "Show only this path");
    only.type = "button";
    only.addEventListener("click", () => parts.showPath(parts.isPathOf(thing) ? null : thing));
    head.append(only);
    const close = element("button", "plain close", "×");
    close.type = "button";
    close.title = "Close (Esc)";
    close.setAttribute("aria-label", "Close");
    close.addEventListener("click", () => choose(null));
    head.append(close);
    return head;
  }

  function section(title, parts) {
    if (!parts.length) return [];
    const made = element("section", "");
    made.append(element("h3", "", title), ...parts);
    return [made];
  }

  const listed = (items) => {
    const list = element("ul", "");
    for (const each of items) {
      const item = element("li", "");
      item.append(...[each].flat());
      list.append(item);
    }
    return items.length ? [list] : [];
  };

  const labelOf = (key) => (Object.hasOwn(LABELS, key) ? LABELS[key] : key.replaceAll("_", " "));

  function facts(values) {
    const entries = Object.entries(values);
    const list = element("dl", "");
    for (const [key, value] of entries) list.append(element("dt", "", labelOf(key)), element("dd", "", value));
    return entries.length ? [list] : [];
  }

  const nodeLinks = (keys) => listed(keys.map((key) => {
    const node = model.nodes.get(key);
    return link(node.name, { node: key });
  }));
  function columnLink(number) {
    const { type } = model.columns[number];
    const item = [link(shownName(model.columns[number]), { column: number }, nameOf({ column: number }))];
    return type ? [...item, element("span", "type", type)] : item;
  }

  function ofDataset(node) {
    const parts = [...section("Written by", nodeLinks(model.before(node.key))), ...section("Read by", nodeLinks(model.after(node.key)))];
    const most = 300;
    const columns = node.columns.slice(0, most).map(columnLink);
    if (node.columns.length > most) columns.push(element("span", "", `and ${node.columns.length - most} more`));
    return [
      heading({ node: node.key }, node.dropped ? `${node.type}, dropped` : node.type || "dataset", node.name),
      ...parts,
      ...section(`Columns (${node.columns.length})`, listed(columns)),
    ];
  }

  function ofProcess(node) {
    const { failure, lineage, ...others } = node.reasons;
    const reasons = { ...(lineage ? { reason: lineage } : {}), ...others };
    return [
      heading({ node: node.key }, "process", node.name, node.job && `job ${node.job}`),
      ...section("Failure", failure ? [element("p", "", failure)] : []),
      ...section("Incomplete lineage", facts(reasons)),
      ...section("Rows", node.rows ? [element("p", "", node.rows)] : []),
      ...section("Inputs", nodeLinks(node.inputs)),
      ...section("Outputs", nodeLinks(node.outputs)),
      ...section("Last run", facts(node.facts)),
      ...section("Query", node.query ? [element("pre", "", node.query)] : []),
      ...section("Qualified name", [element("p", "name", node.id)]),
    ];
  }

  /** A flow seen from one of its ends: the column at the other end, how, and by which process. */
  function flowItem(flow, end) {
    const other = flow[end];
    const dataset = model.nodes.get(model.columns[other].dataset);
    const item = [
      element("span", `line ${flow.isDirect ? "direct" : "indirect"}`),
      link(`${dataset.title}.${shownName(model.columns[other])}`, { column: other }, nameOf({ column: other })),
    ];
    if (flow.expression) item.push(element("code", "", flow.expression));
    const process = model.nodes.get(flow.process);
    const by = element("span", "by", "by ");
    by.append(link(process.job || process.name, { node: flow.process }, process.name));
    item.push(by);
    return item;
  }

  function ofColumn(column) {
    const dataset = model.nodes.get(column.dataset);
    const most = 100;
    const flows = (title, all, end) => section(`${title} (${all.length})`, listed(all.slice(0, most).map((flow) => flowItem(flow, end))));
    const at = element("p", "more", "of ");
    at.append(link(dataset.name, { node: dataset.key }));
    const head = heading({ column: column.number }, column.type ? `column, ${column.type}` : "column", shownName(column), at);
    return [
      head,
      ...section("Constant", column.constant ? [element("code", "", column.constant)] : []),
      ...sidesOf(column.number).flatMap(([title, all, end]) => flows(title, all, end)),
    ];
  }

  return {
    onChoose(action) { choose = action; },
    isShown: () => !panel.hidden,
    show(thing) {
      panel.hidden = !thing;
      panel.replaceChildren();
      if (!thing) return;
      if (thing.column !== undefined) panel.append(...ofColumn(model.columns[thing.column]));
      else {
        const node = model.nodes.get(thing.node);
        panel.append(...(node.isDataset ? ofDataset(node) : ofProcess(node)));
      }
      panel.scrollTop = 0;
    },
  };
})();
