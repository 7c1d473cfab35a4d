// Positions of cards. The initial ones come with the page; a card that grows moves the cards below it.

const HEAD = VALUES.headHeight;
const ROW = 22;
const FOOT = 8;
const MAX_ROWS = 14;

const boxes = new Map();
for (const [key, [x, y, width, height]] of Object.entries(VALUES.boxes)) {
  boxes.set(key, { key, x, y, width, height, first: y, least: height });
}
const byHeight = [...boxes.values()].sort((one, other) => one.first - other.first);

/** How high a card is with that many rows, and whether it has a last row that says how many more there are. */
const heightWith = (rows, hasMore) => (rows ? HEAD + (rows + (hasMore ? 1 : 0)) * ROW + FOOT : HEAD);

/**
 * Make cards as high as `heights` says; gives whether anything has changed. What is below a card that grows goes down, in
 * all layers alike, so that what stood on one line still does.
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
    const height = heights.get(box.key) || box.least;
    const y = box.first + shift;
    if (y !== box.y || height !== box.height) isChanged = true;
    box.y = y;
    box.height = height;
    if (height > box.least) grown.push({ bottom: box.first + box.least, shift: shift + height - box.least });
  }
  return isChanged;
}

/** The points through which an edge goes from one height to another: where it leaves, flat over each bend, where it ends. */
function pointsOf(from, fromY, to, toY, bends) {
  const points = [{ x: from.x + from.width, y: fromY }];
  for (const key of bends) {
    const bend = boxes.get(key);
    const y = bend.y + bend.height / 2;
    points.push({ x: bend.x, y }, { x: bend.x + bend.width, y });
  }
  points.push({ x: to.x, y: toY });
  return points;
}
