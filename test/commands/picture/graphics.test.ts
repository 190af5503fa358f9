import { readFile } from "node:fs/promises";
import { inflateSync } from "node:zlib";
import { render } from "ink";
import { createElement } from "react";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { Picture } from "../../../commands/live/screen/picture.tsx";
import { difference, openTerminal } from "../../../commands/live/terminal.ts";
import { cellWidth } from "../../../commands/live/text.ts";
import { readKeys } from "../../../commands/live/ui/key.ts";
import { askTerminal } from "../../../commands/picture/ask-terminal.ts";
import { decode } from "../../../commands/picture/decode.ts";
import { createGraphics, type Protocol } from "../../../commands/picture/graphics.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeKeys, FakeTerminal } from "../../support/fake-terminal.ts";
import { picturePath } from "../../support/pictures.ts";
import { plainDisplay } from "../live/draw.tsx";

const image = await decode(await readFile(picturePath()), true);
const place = { columns: 40, rows: 15 };
const esc = "\u001b";

describe("pictures of a terminal", () => {
  it("terminal graphics: a terminal with Kitty's protocol gets the pixels once, and deletes a picture that is gone", () => {
    const graphics = createGraphics({ protocol: "kitty" }, cellWidth);
    const frame = ["title", ...graphics.linesFor(image, place).map((line) => `ab${line} text`)];
    const drawn = graphics.update(frame, false);
    expect(drawn.startsWith(`${esc}[2;3H${esc}_Ga=T,f=24,o=z,s=${image.width},v=${image.height},i=1,p=1,c=40,r=15,C=1,q=2,m=`)).toBe(true);
    const parts = drawn
      .split(`${esc}\\`)
      .flatMap((part) => part.split(";").slice(-1))
      .filter((part) => !part.includes(esc));
    expect(parts.every((part) => part.length <= 4_096)).toBe(true);
    expect(inflateSync(Buffer.from(parts.join(""), "base64")).equals(Buffer.from(image.data))).toBe(true);
    expect(graphics.update(frame, false)).toBe("");
    // the terminal has dropped it with everything else
    expect(graphics.update(frame, true)).toBe(drawn);
    expect(graphics.update(["title"], false)).toBe(`${esc}_Ga=d,d=I,i=1,q=2${esc}\\`);
    expect(graphics.clear()).toBe("");
  });

  it("terminal graphics: a terminal with iTerm's protocol gets a file of the picture, as large as its cells", async () => {
    const graphics = createGraphics({ protocol: "iterm" }, cellWidth);
    const drawn = graphics.update(graphics.linesFor(image, place), false);
    const [, options = "", file = ""] = /\]1337;File=([^:]*):([\w+/=]*)/.exec(drawn) ?? [];
    expect(options).toContain("inline=1");
    expect(options).toContain("width=40;height=15;preserveAspectRatio=0;doNotMoveCursor=1");
    const { data, info } = await sharp(Buffer.from(file, "base64")).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([image.width, image.height]);
    const difference = data.reduce((sum, value, at) => sum + Math.abs(value - (image.data[at] ?? 0)), 0) / data.length;
    expect(difference).toBeLessThan(6);
  });

  it.each(["kitty", "iterm", "sixel"] as Protocol[])(
    "terminal graphics: %s pictures survive Ink, are not written over, and vanish at the end",
    async (protocol) => {
      const screen = new FakeTerminal(60, 20);
      const graphics = createGraphics({ protocol }, cellWidth);
      const terminal = openTerminal(new FakeKeys(), screen, { onKey: () => {}, onSize: () => {}, onDrawn: () => {}, graphics });
      const display = { ...plainDisplay, graphics };
      const format = { now: new Date(), colour: false, width: 60 };
      const loaded = { subject: { kind: "camera", id: "yard" }, picture: 0, image } as const;
      const shown = createElement(Picture, { terminal: format, display, size: place, loaded });
      const ink = render(shown, { stdout: terminal.stream, debug: true, exitOnCtrlC: false, patchConsole: false });
      const start = { kitty: `${esc}_Ga=T`, iterm: `${esc}]1337;File=`, sixel: `${esc}P0;1q` }[protocol];
      const times = () => screen.written.join("").split(start).length - 1;
      await eventually(() => times() === 1, { what: "the picture" });
      const before = screen.written.length;
      terminal.redraw();
      expect(times()).toBe(2);
      expect(screen.written.slice(before).join("")).toContain(`${esc}[2J`);
      terminal.close();
      ink.unmount();
      if (protocol === "kitty") expect(screen.written.at(-1)).toContain(`${esc}_Ga=d,d=I,i=1,q=2${esc}\\`);
    },
  );

  it("terminal graphics: a line beside a picture that stays is written without its cells", () => {
    const [line = ""] = createGraphics({ protocol: "iterm" }, cellWidth).linesFor(image, place);
    const changed = difference([`ab${line} 5 s ago`], [`ab${line} 6 s ago`]);
    expect(changed).toContain(`${esc}[1;1Hab${esc}[0m${esc}[43G${esc}[K`);
    expect(changed).toContain(" 6 s ago");
    expect(changed).not.toContain(" ".repeat(40));
    expect(difference([`ab${line} 5 s ago`], ["abc"])).toContain(`${esc}[Kabc`);
  });

  it.each([
    ["a terminal with Kitty's protocol", [`${esc}_Gi=31;OK${esc}\\`, `${esc}P>|kitty(0.40)${esc}\\${esc}[?62;c`], "kitty", ""],
    ["WezTerm, with a key typed in between", [`${esc}P>|WezTerm 2025${esc}\\`, "j", `${esc}[?65;4;6c`], "iterm", "j"],
    ["a terminal with Sixel", [`${esc}P>|foot(1.16.2)${esc}\\`, `${esc}[?62;4;22c`], "sixel", ""],
    ["a terminal whose other attributes contain a 4", [`${esc}[?4;14;42c`], undefined, ""],
    ["a terminal without pictures", [`${esc}[?6`, "2;22c"], undefined, ""],
    ["a terminal that never answers", ["jk"], undefined, "jk"],
  ] as const)("terminal graphics: %s is recognised and no key is lost", async (_, answers, protocol, typed) => {
    const keys = new FakeKeys();
    const screen = new FakeTerminal(80, 24);
    screen.once("written", () => {
      for (const answer of answers) setTimeout(() => keys.type(answer));
    });
    expect(await askTerminal(keys, screen, { TERM: "xterm-256color" })).toEqual({ protocol, typed });
  });

  it("terminal graphics: a terminal says how many pixels a cell has", async () => {
    const keys = new FakeKeys();
    const screen = new FakeTerminal(80, 24);
    screen.once("written", () => setTimeout(() => keys.type(`${esc}[6;20;10tk${esc}[?62;4c`)));
    const answer = await askTerminal(keys, screen, { TERM: "xterm-256color" });
    expect(answer).toEqual({ protocol: "sixel", cell: { columns: 10, rows: 20 }, typed: "k" });
  });

  it("terminal graphics: tmux is asked only for Sixel, and late answers are no keys", async () => {
    const screen = new FakeTerminal(80, 24);
    const keys = new FakeKeys();
    screen.once("written", () => setTimeout(() => keys.type(`${esc}[?1;2;4c`)));
    expect(await askTerminal(keys, screen, { TMUX: "/tmp/tmux", TERM_PROGRAM: "iTerm.app" })).toEqual({ protocol: "sixel", typed: "" });
    expect(screen.written).toEqual([`${esc}[16t${esc}[c`]);
    expect(readKeys(`j${esc}_Gi=31;OK${esc}\\${esc}P>|x${esc}\\${esc}[6;20;10t${esc}[?62ck`)).toEqual({
      keys: [{ text: "j" }, { text: "k" }],
      rest: "",
    });
    expect(readKeys(`${esc}_Gi=3`).rest).toBe(`${esc}_Gi=3`);
  });
});
