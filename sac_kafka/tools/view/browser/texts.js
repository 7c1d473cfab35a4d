// Shortening of texts: the middle is cut, because both ends of a name matter most.

const texts = (() => {
  const ruler = document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(document.body).fontFamily;
  const known = new Map();
  let font = "";

  /** Return the width of a text in pixels, in a font such as "600 13px". */
  function widthOf(text, inFont) {
    if (font !== inFont) {
      font = inFont;
      ruler.font = `${font} ${family}`;
    }
    return ruler.measureText(text).width;
  }

  /** A text of at most so many characters. */
  function shortened(text, most) {
    if (text.length <= most) return text;
    const end = Math.floor((most - 1) / 2);
    return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
  }

  /** A text at most so many pixels wide. */
  function fitted(text, width, inFont) {
    const key = `${width} ${inFont} ${text}`;
    if (known.has(key)) return known.get(key);
    const fits = (each) => widthOf(each, inFont) <= width;
    let least = 4;
    let most = Math.min(text.length, 200);
    let found = text;
    if (text.length > most || !fits(text)) {
      while (least < most) {
        const middle = Math.ceil((least + most) / 2);
        if (fits(shortened(text, middle))) least = middle;
        else most = middle - 1;
      }
      found = shortened(text, least);
    }
    known.set(key, found);
    return found;
  }

  /** A number with what it counts; toLocaleString would take tens of milliseconds at first. */
  const counted = (number, one, many = `${one}s`) => `${String(number).replace(/\B(?=(\d{3})+$)/g, ",")} ${number === 1 ? one : many}`;

  /** Return the names in the overview: of a dataset and of a process. */
  const FAR = { dataset: { size: 24, font: "600 24px" }, process: { size: 20, font: "20px" } };
  const isReadable = (pixels) => pixels >= 6.5;

  return { family, widthOf, shortened, fitted, counted, FAR, isReadable };
})();
