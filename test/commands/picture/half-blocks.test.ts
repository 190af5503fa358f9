import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellWidth } from "../../../commands/live/text.ts";
import { decode } from "../../../commands/picture/decode.ts";
import { cellsFor, halfBlocks } from "../../../commands/picture/half-blocks.ts";
import { depthOf } from "../../../commands/picture/terminal.ts";
import { picturePath } from "../../support/pictures.ts";

/** Two pixels above two: red and green, blue and white. */
const four = { width: 2, height: 2, data: Uint8Array.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]) };

describe("terminal picture", () => {
  it("terminal picture: shows two points per character, in 24-bit colour", () => {
    expect(halfBlocks(four, { columns: 2, rows: 1 }, "24bit")).toEqual([
      "\u001b[38;2;255;0;0m\u001b[48;2;0;0;255m▀\u001b[38;2;0;255;0m\u001b[48;2;255;255;255m▀\u001b[39m\u001b[49m",
    ]);
  });

  it("terminal picture: uses the nearest of 256 colours on a simpler terminal", () => {
    expect(halfBlocks(four, { columns: 2, rows: 1 }, "256")).toEqual([
      "\u001b[38;5;196m\u001b[48;5;21m▀\u001b[38;5;46m\u001b[48;5;231m▀\u001b[39m\u001b[49m",
    ]);
    const grey = { width: 1, height: 2, data: Uint8Array.from([128, 128, 128, 10, 10, 10]) };
    expect(halfBlocks(grey, { columns: 1, rows: 1 }, "256")).toEqual(["\u001b[38;5;244m\u001b[48;5;232m▀\u001b[39m\u001b[49m"]);
  });

  it("terminal picture: uses characters on a terminal without colours", () => {
    const halves = { width: 2, height: 2, data: Uint8Array.from([0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 255, 255]) };
    expect(halfBlocks(halves, { columns: 2, rows: 1 }, "none")).toEqual([" @"]);
  });

  it("terminal picture: writes a colour code only where the colour changes", () => {
    const even = { width: 8, height: 2, data: new Uint8Array(48).fill(7) };
    expect(halfBlocks(even, { columns: 8, rows: 1 }, "24bit")).toEqual([
      "\u001b[38;2;7;7;7m\u001b[48;2;7;7;7m▀▀▀▀▀▀▀▀\u001b[39m\u001b[49m",
    ]);
  });

  it("terminal picture: keeps its proportions and fits its place", () => {
    const side = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(side, side, side, side, (width, height, columns, rows) => {
        const image = { width, height, data: new Uint8Array(width * height * 3) };
        const lines = halfBlocks(image, { columns, rows }, "256");
        const cells = cellsFor(image, { columns, rows });
        expect(lines).toHaveLength(cells.rows);
        expect(new Set(lines.map(cellWidth))).toEqual(new Set([cells.columns]));
        expect(cells.columns).toBeLessThanOrEqual(columns);
        expect(cells.rows).toBeLessThanOrEqual(rows);
      }),
    );
  });

  it("terminal picture: is read from a real file", async () => {
    const image = await decode(await readFile(picturePath()));
    expect(image.data).toHaveLength(image.width * image.height * 3);
    expect(image.width / image.height).toBeCloseTo(4 / 3, 1);
    await expect(decode(new TextEncoder().encode("no picture"))).rejects.toThrow();
  });

  it("terminal picture: uses as many colours as the terminal supports", () => {
    expect(depthOf({ COLORTERM: "truecolor" }, true)).toBe("24bit");
    expect(depthOf({ COLORTERM: "24bit" }, true)).toBe("24bit");
    expect(depthOf({ TERM: "xterm-256color" }, true)).toBe("256");
    expect(depthOf({ COLORTERM: "truecolor" }, false)).toBe("none");
  });
});
