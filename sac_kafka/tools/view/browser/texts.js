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

  /** The end of a text, with at most so many characters. */
  const ending = (text, most) => (text.length <= most ? text : `…${text.slice(text.length - most + 1)}`);

  /** The beginning of a text, with at most so many characters. */
  const beginning = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

  /** A text at most so many pixels wide, without its middle or, by `cut`, its beginning or end. */
  function fitted(text, width, inFont, cut = shortened) {
    const key = `${width} ${inFont} ${cut.name} ${text}`;
    if (known.has(key)) return known.get(key);
    const fits = (each) => widthOf(each, inFont) <= width;
    let least = 4;
    let most = Math.min(text.length, 200);
    let found = text;
    if (text.length > most || !fits(text)) {
      while (least < most) {
        const middle = Math.ceil((least + most) / 2);
        if (fits(cut(text, middle))) least = middle;
        else most = middle - 1;
      }
      found = cut(text, least);
    }
    known.set(key, found);
    return found;
  }

  /** A number with what it counts; toLocaleString would take tens of milliseconds at first. */
  function counted(number, one = "", many = `${one}s`) {
    const digits = String(number).replace(/\B(?=(\d{3})+$)/g, ",");
    return one ? `${digits} ${number === 1 ? one : many}` : digits;
  }

  return { family, widthOf, shortened, ending, beginning, fitted, counted };
})();
