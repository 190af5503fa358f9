const cell = { width: 8.4, height: 17 };
const margin = 12;
const foreground = "#d6dae0";
const background = "#14171c";
const named = ["#14171c", "#e5534b", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#d6dae0"];
const bright = ["#636e7b", "#ff938a", "#8ddb8c", "#daaa3f", "#6cb6ff", "#dcbdfb", "#56d4dd", "#ffffff"];
const wide = /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;
const plainStyle = { fg: foreground, bg: background, bold: false, dim: false, inverse: false };

/** Converts a screen with colour codes, as `tmux capture-pane -e -p` prints it, to an SVG. `title` is the text for screen readers. */
export function screenSvg(screen, { columns, rows, title }) {
  const lines = screen.split("\n").slice(0, rows);
  const [width, height] = [columns * cell.width + 2 * margin, rows * cell.height + 2 * margin];
  let style = plainStyle;
  const body = lines.map((line, y) => {
    const cells = [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with this character
    for (const [token, codes] of line.matchAll(/\u001b\[([\d;:]*)m|[^\u001b]/gu)) {
      if (codes !== undefined) style = styled(style, codes);
      else cells.push({ text: token, style, columns: wide.test(token) ? 2 : 1 });
    }
    return drawnLine(cells, y);
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" role="img" aria-label="${escaped(title)}">`,
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" shape-rendering="crispEdges">`,
    ...body.filter((line) => line !== ""),
    "</g></svg>\n",
  ].join("\n");
}

/** Draws neighbours of the same colour as one piece, and half blocks as two points, so that the font does not matter. */
function drawnLine(cells, y) {
  let [shapes, texts, x] = ["", "", 0];
  for (let at = 0; at < cells.length; ) {
    let end = at + 1;
    while (end < cells.length && looks(cells[end]) === looks(cells[at])) end += 1;
    const piece = cells.slice(at, end);
    const columns = piece.reduce((sum, each) => sum + each.columns, 0);
    const { fg, bg } = coloursOf(piece[0].style);
    if (bg !== background) shapes += rectangle(x, y, columns, bg);
    if (piece[0].text === "▀") shapes += rectangle(x, y, columns, fg, 0.5);
    else if (piece.some(({ text }) => text !== " ")) texts += textPiece(piece, x, y, columns, fg);
    x += columns;
    at = end;
  }
  return shapes + texts;
}

const looks = ({ text, style }) => JSON.stringify([text === "▀", style]);

function coloursOf({ fg, bg, inverse }) {
  return inverse ? { fg: bg, bg: fg } : { fg, bg };
}

function rectangle(x, y, columns, fill, part = 1) {
  const [left, top] = [margin + x * cell.width, margin + y * cell.height];
  return `<rect x="${round(left)}" y="${round(top)}" width="${round(columns * cell.width)}" height="${round(cell.height * part)}" fill="${fill}"/>`;
}

function textPiece(piece, x, y, columns, fill) {
  const text = piece.map((each) => each.text).join("");
  const { bold, dim } = piece[0].style;
  const place = `x="${round(margin + x * cell.width)}" y="${round(margin + (y + 0.75) * cell.height)}" textLength="${round(columns * cell.width)}"`;
  const look = `${fill === foreground ? "" : ` fill="${fill}"`}${bold ? ' font-weight="bold"' : ""}${dim ? ' opacity="0.6"' : ""}`;
  return `<text ${place} fill="${fill}" xml:space="preserve"${look.replace(/ fill="[^"]*"/, "")}>${escaped(text)}</text>`;
}

function styled(style, codes) {
  let next = { ...style };
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at];
    if (code === 0) next = plainStyle;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 7 || code === 27) next = { ...next, inverse: code === 7 };
    else if (code === 39) next = { ...next, fg: foreground };
    else if (code === 49) next = { ...next, bg: background };
    else if (code === 38 || code === 48) {
      const isTrue = numbers[at + 1] === 2;
      const colour = isTrue ? hex(numbers.slice(at + 2, at + 5)) : of256(numbers[at + 2]);
      next = { ...next, [code === 38 ? "fg" : "bg"]: colour };
      at += isTrue ? 4 : 2;
    } else if (code >= 30 && code <= 37) next = { ...next, fg: named[code - 30] };
    else if (code >= 40 && code <= 47) next = { ...next, bg: named[code - 40] };
    else if (code >= 90 && code <= 97) next = { ...next, fg: bright[code - 90] };
  }
  return next;
}

function of256(number) {
  if (number < 8) return named[number];
  if (number < 16) return bright[number - 8];
  if (number >= 232) return hex([8 + (number - 232) * 10, 8 + (number - 232) * 10, 8 + (number - 232) * 10]);
  const step = (value) => (value === 0 ? 0 : 55 + value * 40);
  return hex([Math.floor((number - 16) / 36), Math.floor((number - 16) / 6) % 6, (number - 16) % 6].map(step));
}

const hex = (values) => `#${values.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
const round = (value) => Number(value.toFixed(2));
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
