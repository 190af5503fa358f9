import process from "node:process";
import { Writable } from "node:stream";
import { difference } from "./frame-writer.ts";
import { type Key, readKeys } from "./ui/key.ts";
import type { Size } from "./ui/ui.ts";

/** Its own screen, without a cursor; a line that is too long is cut, not continued on the next. */
const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J";
const leave = "\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l";
const clear = "\u001b[0m\u001b[2J";
/** How long the rest of what an arrow key sends may take to come. */
const escapeMs = 50;

/** What can be drawn on and typed at. */
export interface ScreenOut {
  write(text: string): unknown;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

export interface ScreenIn {
  setRawMode(raw: boolean): unknown;
  setEncoding(encoding: "utf8"): unknown;
  on(event: "data", listener: (text: string) => void): unknown;
  off(event: "data", listener: (text: string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

interface Listeners {
  onKey(key: Key): void;
  onSize(size: Size): void;
  /** A frame is on the screen. */
  onDrawn(): void;
}

/** A terminal that was taken over. */
export interface Terminal {
  /** For Ink, which writes whole frames to it. */
  readonly stream: NodeJS.WriteStream;
  /** Draws the last frame anew, when something else has written on the screen. */
  redraw(): void;
  /** Gives the terminal back as it was. May be called again. */
  close(): void;
}

/** The size of a terminal; 80x24 when it does not say. */
export function sizeOf({ columns, rows }: Pick<ScreenOut, "columns" | "rows">): Size {
  return { columns: columns || 80, rows: rows || 24 };
}

/** Takes a terminal over until `close`, the end of the process included, whichever way it comes to that. */
export function openTerminal(stdin: ScreenIn, stdout: ScreenOut, listeners: Listeners): Terminal {
  let lines: readonly string[] = [];
  let frame: readonly string[] = [];
  let open = true;

  const draw = (text: string): void => {
    if (!open) return;
    frame = text.split("\n");
    const change = difference(lines, frame);
    lines = frame;
    if (change !== "") stdout.write(change);
    listeners.onDrawn();
  };
  const redraw = (): void => {
    if (!open) return;
    lines = [];
    stdout.write(clear + difference(lines, frame));
    lines = frame;
  };
  const onResize = (): void => {
    // a terminal moves its lines when it changes its size, each in a way of its own
    stdout.write(clear);
    lines = [];
    Object.assign(stream, inkSize(sizeOf(stdout)));
    listeners.onSize(sizeOf(stdout));
  };
  const keys = keyReader(listeners.onKey);
  const close = (): void => {
    if (!open) return;
    open = false;
    process.off("exit", close);
    process.off("uncaughtExceptionMonitor", close);
    stdout.off("resize", onResize);
    keys.stop();
    stdin.off("data", keys.take);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(leave);
  };

  const stream = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        draw(String(chunk));
        done();
      },
    }),
    { isTTY: true, ...inkSize(sizeOf(stdout)) },
  ) as unknown as NodeJS.WriteStream;

  process.once("exit", close);
  // an error that nobody caught is printed after this, where it can be read
  process.once("uncaughtExceptionMonitor", close);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("data", keys.take);
  stdin.resume();
  stdout.on("resize", onResize);
  stdout.write(enter);
  return { stream, redraw, close };
}

/** Ink clears the whole terminal when a frame fills it; it is told of a higher one. */
function inkSize({ columns, rows }: Size): Size {
  return { columns, rows: rows + 1000 };
}

/** Reads keys out of what comes, in pieces of any size. */
function keyReader(onKey: (key: Key) => void) {
  let rest = "";
  let timer: NodeJS.Timeout | undefined;
  const tell = (input: string): void => {
    const read = readKeys(input);
    rest = read.rest;
    for (const key of read.keys) onKey(key);
  };
  return {
    take(text: string): void {
      clearTimeout(timer);
      tell(rest + text);
      if (rest === "") return;
      timer = setTimeout(() => {
        const begun = rest;
        rest = "";
        // nothing followed: it was the key alone
        if (begun === "\u001b") onKey("escape");
      }, escapeMs);
    },
    stop: () => clearTimeout(timer),
  };
}
