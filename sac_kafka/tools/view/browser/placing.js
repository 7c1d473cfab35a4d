// Positions of cards: those of a layout; a card that grows afterwards moves the cards below it.

const HEAD = 56;
const ROW = 22;
const FOOT = 8;
const MARK = 22; // a process without a label
const CARD = { least: 148, most: 248, fixed: 216, left: 17, right: 14, badge: 30, place: 140, type: 100 };
const FONTS = { title: "600 14px", below: "12px", column: "600 13px", type: "12px", process: "12px" };
const MANY_CARDS = 150; // more are not measured, and have one width

const boxes = new Map();
let lanes = []; // items of each layer of each component, from top to bottom
let byHeight = [];

/** How high a card is with that many rows, and whether it has a last row that says how many more there are. */
const heightWith = (rows, hasMore) => (rows ? HEAD + (rows + (hasMore ? 1 : 0)) * ROW + FOOT : HEAD);

const longest = (items) => items.reduce((one, other) => (other.length > one.length ? other : one), "");

/** The width of a dataset's card with these columns, if nothing is shortened, within limits; `hasTypes`: with data types. */
function widthOf(node, rows, hasTypes) {
  const columns = rows.map((number) => model.columns[number]);
  const type = hasTypes ? longest(columns.map((column) => column.type)) : "";
  const name = longest(columns.map((column) => column.name));
  const row = texts.widthOf(name, FONTS.column) + (type ? 16 + Math.min(CARD.type, texts.widthOf(type, FONTS.type)) : 0);
  const head = Math.max(texts.widthOf(node.title, FONTS.title) + CARD.badge, Math.min(CARD.place, texts.widthOf(belowOf(node), FONTS.below)));
  return Math.ceil(Math.min(CARD.most, Math.max(CARD.least, CARD.left + CARD.right + Math.max(row, head))));
}

/** Type and location of a dataset, the line below its name; the location of a file says what it is. */
const belowOf = (node) => (node.family === "file" && node.place ? node.place : [node.type, node.place].filter(Boolean).join(" · "));

/** The rows of processes name the job of each once, and none where there is only one. */
function sizesOf(ordered, rowsOf, widthWith) {
  const processes = ordered.flatMap((part) => part.names).filter(model.isProcess);
  const hasJobs = new Set(processes.map((key) => model.nodes.get(key).job)).size > 1;
  return (key, above) => {
    const node = model.nodes.get(key);
    if (node.isDataset) {
      const { rows, more } = rowsOf(node);
      return { width: widthWith(node, rows), height: heightWith(rows.length, Boolean(more)), port: HEAD / 2 };
    }
    const isNamed = hasJobs && node.job && !(above && model.nodes.get(above).job === node.job);
    return { width: isNamed ? Math.min(150, Math.ceil(texts.widthOf(node.job, FONTS.process)) + 26) : MARK, height: MARK, port: MARK / 2 };
  };
}

/** A layout of ordered components with these columns; without room for data types where all of it can be read only then. */
function laidOut(ordered, rowsOf) {
  const room = view.room();
  const placed = (widthWith) => layout.place(ordered, sizesOf(ordered, rowsOf, widthWith), room);
  if (ordered.reduce((number, part) => number + part.names.length, 0) > MANY_CARDS) return placed(() => CARD.fixed);
  const whole = placed((node, rows) => widthOf(node, rows, true));
  if (whole.width <= room.readable) return whole;
  const narrow = placed((node, rows) => widthOf(node, rows, false));
  return narrow.width <= room.readable ? narrow : whole;
}

/** Take the positions of a layout. */
function takePositions(ordered, found) {
  lanes = ordered.flatMap((part) => part.lanes).filter((lane) => lane.length);
  boxes.clear();
  for (const box of found.boxes) boxes.set(box.key, { ...box, first: box.y, least: box.height });
  byHeight = [...boxes.values()].sort((one, other) => one.first - other.first);
}

/**
 * Make cards as high as `heights` says; gives whether anything has changed. What is below a card that grows goes down, in
 * all layers alike, so that what stood on one line still does; what is below one that shrinks stays.
 */
function place(heights) {
  let isChanged = false;
  let grown = [];
  let shift = 0;
  for (const box of byHeight) {
    const above = grown.filter((each) => each.bottom <= box.first);
    if (above.length) {
      shift = Math.max(shift, ...above.map((each) => each.shift));
      grown = grown.filter((each) => each.bottom > box.first);
    }
    const height = heights.get(box.key) || (model.isDataset(box.key) ? HEAD : box.least);
    const y = box.first + shift;
    if (y !== box.y || height !== box.height) isChanged = true;
    box.y = y;
    box.height = height;
    if (height > box.least) grown.push({ bottom: box.first + box.least, shift: shift + height - box.least });
  }
  return isChanged;
}

/** The points through which an edge goes from one height to another: where it leaves, flat `away` from each bend, where it ends. */
function pointsOf(from, fromY, to, toY, bends, away) {
  const points = [{ x: from.x + from.width, y: fromY }];
  for (const key of bends) {
    const bend = boxes.get(key);
    const y = bend.y + bend.height / 2 + away;
    points.push({ x: bend.x, y }, { x: bend.x + bend.width, y });
  }
  points.push({ x: to.x, y: toY });
  return points;
}
