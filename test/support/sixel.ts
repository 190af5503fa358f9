/** What a terminal would draw. */
export interface DrawnSixel {
  readonly width: number;
  readonly height: number;
  /** RGB, three bytes a pixel; pixels that are not drawn are black. */
  readonly data: Uint8Array;
  /** The number of pixels that were drawn. */
  readonly drawnPixels: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the protocol begins and ends with this character
const whole = /\u001bP([\d;]*)q"(\d+);(\d+);(\d+);(\d+)([^\u001b]*)\u001b\\/;
const commands = /#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|([$-])/y;

/** Draws the first Sixel picture in a text as a terminal does. Throws on anything that the protocol does not have. */
export function decodeSixel(text: string): DrawnSixel {
  const match = whole.exec(text);
  if (!match) throw new Error("no Sixel picture");
  const [width, height] = [Number(match[4]), Number(match[5])];
  const body = match[6] ?? "";
  const data = new Uint8Array(width * height * 3);
  const seen = new Set<number>();
  const palette = new Map<number, readonly number[]>();
  let colour: readonly number[] = [0, 0, 0];
  let at = { x: 0, y: 0 };
  const put = (count: number, character: string): void => {
    const bits = character.charCodeAt(0) - 63;
    for (let step = 0; step < count; step += 1, at.x += 1) {
      for (let line = 0; line < 6; line += 1) {
        if ((bits & (1 << line)) === 0) continue;
        if (at.x >= width || at.y + line >= height) throw new Error(`a pixel outside of the picture: ${at.x}, ${at.y + line}`);
        const pixel = (at.y + line) * width + at.x;
        if (seen.has(pixel)) throw new Error(`pixel ${at.x}, ${at.y + line} is drawn twice`);
        seen.add(pixel);
        data.set(colour, pixel * 3);
      }
    }
  };
  commands.lastIndex = 0;
  while (commands.lastIndex < body.length) {
    const place = commands.lastIndex;
    const found = commands.exec(body);
    if (!found) throw new Error(`unknown: ${JSON.stringify(body.slice(place, place + 20))}`);
    const [, register, red, green, blue, count, repeated, single, move] = found;
    if (red !== undefined)
      palette.set(
        Number(register),
        [red, green, blue].map((percent) => Math.round((Number(percent) * 255) / 100)),
      );
    else if (register !== undefined) colour = palette.get(Number(register)) ?? fail(`colour ${register} is not defined`);
    else if (move !== undefined) at = { x: 0, y: move === "-" ? at.y + 6 : at.y };
    else put(Number(count ?? 1), repeated ?? single ?? "?");
  }
  return { width, height, data, drawnPixels: seen.size };
}

function fail(message: string): never {
  throw new Error(message);
}
