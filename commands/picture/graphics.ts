import { deflateSync } from "node:zlib";
import { sixel } from "./sixel.ts";
import type { PixelImage, Size } from "./terminal.ts";

/** The ways to show a picture: three protocols for real pixels, half blocks as text, or not at all. */
export const pictureModes = ["auto", "kitty", "iterm", "sixel", "blocks", "none"] as const;
export type PictureMode = (typeof pictureModes)[number];
export type Protocol = Extract<PictureMode, "kitty" | "iterm" | "sixel">;

/** How a terminal shows pictures. */
export interface Screen {
  readonly protocol: Protocol;
  /** The size of a cell in pixels; undefined if the terminal does not say it. */
  readonly cell?: Size | undefined;
}

/** Where a picture is on the screen, in cells from 1. */
interface Placement extends Size {
  readonly id: number;
  readonly row: number;
  readonly column: number;
}

/** Pictures that the terminal draws over the cells that the frame keeps free for them. */
export interface Graphics {
  /** The lines of a frame that keep the cells of a picture free. */
  linesFor(image: PixelImage, size: Size): string[];
  /** Returns what to write after the lines of a frame: new pictures drawn, missing ones deleted. `isCleared`: the screen was cleared. */
  update(frame: readonly string[], isCleared: boolean): string;
  /** Deletes all pictures. */
  clear(): string;
}

/** An invisible colour of spaces that names the picture over them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes begin with this character
export const reserved = /\u001b\[38;2;1;2;(\d+)m( +)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const codes = /\u001b\[[\d;]*m/g;
const mostIds = 200;

/** Creates the pictures of a screen. `widthOf` measures a text in cells. */
export function createGraphics(screen: Screen, widthOf: (text: string) => number): Graphics {
  const { protocol } = screen;
  const images = new Map<number, PixelImage>();
  const ids = new WeakMap<PixelImage, number>();
  let last = 0;
  let shown = new Map<number, string>();
  const idOf = (image: PixelImage): number => {
    const known = ids.get(image);
    if (known !== undefined && images.get(known) === image) return known;
    last = (last % mostIds) + 1;
    ids.set(image, last);
    images.set(last, image);
    return last;
  };
  return {
    linesFor(image, { columns, rows }) {
      const line = `\u001b[38;2;1;2;${idOf(image)}m${" ".repeat(columns)}\u001b[39m`;
      return Array.from({ length: rows }, () => line);
    },
    update(frame, isCleared) {
      const before = isCleared ? new Map<number, string>() : shown;
      const placements = placementsIn(frame, widthOf);
      shown = new Map(placements.map((place) => [place.id, JSON.stringify(place)]));
      const gone = [...before.keys()].filter((id) => !shown.has(id));
      for (const id of images.keys()) if (!shown.has(id) && id !== last) images.delete(id);
      const changed = placements.filter((place) => before.get(place.id) !== shown.get(place.id));
      const pictures = changed.map((place) => {
        const image = images.get(place.id);
        return image === undefined ? "" : `\u001b[${place.row};${place.column}H${drawn(screen, image, place)}`;
      });
      return (protocol === "kitty" ? gone.map(deletion).join("") : "") + pictures.join("");
    },
    clear() {
      const text = protocol === "kitty" ? [...shown.keys()].map(deletion).join("") : "";
      shown = new Map();
      return text;
    },
  };
}

function placementsIn(frame: readonly string[], widthOf: (text: string) => number): readonly Placement[] {
  const found = new Map<number, Placement>();
  for (const [at, line] of frame.entries()) {
    const match = reserved.exec(line);
    if (match === null) continue;
    const id = Number(match[1]);
    const first = found.get(id) ?? {
      ...{ id, row: at + 1, columns: match[2]?.length ?? 0, rows: 0 },
      column: widthOf(line.slice(0, match.index).replace(codes, "")) + 1,
    };
    found.set(id, { ...first, rows: first.rows + 1 });
  }
  return [...found.values()];
}

/** Most characters of base64 in one part, as the protocol demands. */
const partLength = 4_096;

/** Kitty's protocol: raw pixels, scaled by the terminal to the cells. It answers nothing and does not move the cursor. */
function kitty({ width, height, data }: PixelImage, { id, columns, rows }: Place): string {
  const text = deflateSync(data, { level: 1 }).toString("base64");
  const parts = text.match(new RegExp(`.{1,${partLength}}`, "g")) ?? [];
  const head = `a=T,f=24,o=z,s=${width},v=${height},${id === undefined ? "" : `i=${id},p=1,`}c=${columns},r=${rows},C=1,q=2,`;
  return parts.map((part, at) => `\u001b_G${at === 0 ? head : ""}m=${at === parts.length - 1 ? 0 : 1};${part}\u001b\\`).join("");
}

const deletion = (id: number): string => `\u001b_Ga=d,d=I,i=${id},q=2\u001b\\`;

/** The protocol of iTerm2 and WezTerm: the file itself. */
function iterm({ file }: PixelImage, { columns, rows }: Place): string {
  if (file === undefined) return "";
  const size = `width=${columns};height=${rows};preserveAspectRatio=0;doNotMoveCursor=1`;
  return `\u001b]1337;File=inline=1;size=${file.length};${size}:${Buffer.from(file).toString("base64")}\u0007`;
}

/** A cell that is not larger than those of usual terminals, so that a picture stays within its cells. */
const smallCell: Size = { columns: 8, rows: 16 };

interface Place extends Size {
  /** Without an id, the picture stays where it was drawn. */
  readonly id?: number;
}

/** The text that draws a picture from the cursor on, over that many cells. */
export function drawn({ protocol, cell = smallCell }: Screen, image: PixelImage, place: Place): string {
  if (protocol === "kitty") return kitty(image, place);
  if (protocol === "iterm") return iterm(image, place);
  return sixel(image, { columns: place.columns * cell.columns, rows: place.rows * cell.rows });
}
