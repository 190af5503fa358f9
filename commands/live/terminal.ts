import process from "node:process";
import { Writable } from "node:stream";
import { type Graphics, reserved } from "../picture/graphics.ts";
import { type ScreenIn, type ScreenOut, type Size, sizeOf } from "../picture/terminal.ts";
import { cellWidth } from "./text.ts";
import { type Key, readKeys } from "./ui/key.ts";

/** Alternate screen, no cursor, no line wrapping. */
const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J";
const leave = "\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l";
const clear = "\u001b[0m\u001b[2J";
/** Longest pause within the escape sequence of a key. */
const escapeMs = 50;

interface Listeners {
  onKey(key: Key): void;
  onSize(size: Size): void;
  /** Called when a frame is on the screen. */
  onDrawn(): void;
  /** Draws real pictures. */
  readonly graphics?: Graphics | undefined;
  /** Text that the user typed before. */
  readonly typed?: string;
}

/** A terminal in full-screen mode. */
export interface Terminal {
  /** Receives whole frames from Ink. */
  readonly stream: NodeJS.WriteStream;
  /** Redraws the last frame, after another program has written to the screen. */
  redraw(): void;
  /** Restores the terminal. Idempotent. */
  close(): void;
}

/** Switches the terminal to full-screen mode until `close`. Also restores it when the process exits or crashes. */
export function openTerminal(stdin: ScreenIn, stdout: ScreenOut, listeners: Listeners): Terminal {
  let lines: readonly string[] = [];
  let frame: readonly string[] = [];
  let open = true;

  const draw = (text: string): void => {
    if (!open) return;
    frame = text.split("\n");
    const change = difference(lines, frame, listeners.graphics?.update(frame, lines.length === 0));
    lines = frame;
    if (change !== "") stdout.write(change);
    listeners.onDrawn();
  };
  const redraw = (): void => {
    if (!open) return;
    lines = [];
    stdout.write(clear + difference(lines, frame, listeners.graphics?.update(frame, true)));
    lines = frame;
  };
  const onResize = (): void => {
    // Terminals move lines differently on a resize: draw everything again
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
    stdout.write((listeners.graphics?.clear() ?? "") + leave);
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
  // Restore the terminal before Node.js prints an uncaught error
  process.once("uncaughtExceptionMonitor", close);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("data", keys.take);
  stdin.resume();
  stdout.on("resize", onResize);
  stdout.write(enter);
  if (listeners.typed) keys.take(listeners.typed);
  return { stream, redraw, close };
}

/** Reports a taller terminal to Ink, which clears the screen if a frame fills it. */
function inkSize({ columns, rows }: Size): Size {
  return { columns, rows: rows + 1000 };
}

/** Reads keys from chunks of any size. */
function keyReader(onKey: (key: Key) => void) {
  let rest = "";
  let timer: NodeJS.Timeout | undefined;
  const emitKeys = (input: string): void => {
    const read = readKeys(input);
    rest = read.rest;
    for (const key of read.keys) onKey(key);
  };
  return {
    take(text: string): void {
      clearTimeout(timer);
      emitKeys(rest + text);
      if (rest === "") return;
      timer = setTimeout(() => {
        const begun = rest;
        rest = "";
        // Nothing followed: the escape key itself
        if (begun === "\u001b") onKey("escape");
      }, escapeMs);
    },
    stop: () => clearTimeout(timer),
  };
}

const csi = "\u001b[";
/** Synchronized output: terminals that support it show everything between the two at once. */
const beginUpdate = `${csi}?2026h`;
const endUpdate = `${csi}?2026l`;

/**
 * The escape sequences that change a screen from the lines `before` to `after`, then draw `pictures`. Empty if nothing differs. The cells of
 * a picture that stays are not written.
 */
export function difference(before: readonly string[], after: readonly string[], pictures = ""): string {
  let text = "";
  for (let at = 0; at < Math.max(before.length, after.length); at += 1) {
    const line = after[at] ?? "";
    // Clear before writing: after a full line the cursor stays on its last character
    if (line !== before[at]) text += `${csi}${at + 1};1H${aroundPicture(before[at] ?? "", line) ?? `${csi}K${line}`}${csi}0m`;
  }
  return text + pictures === "" ? "" : beginUpdate + text + pictures + endUpdate;
}

/** The text of a line beside a picture that stays where it is; undefined without one. */
function aroundPicture(before: string, after: string): string | undefined {
  const [old, now] = [reserved.exec(before), reserved.exec(after)];
  if (old === null || now === null || old[0] !== now[0]) return undefined;
  const start = after.slice(0, now.index);
  const column = cellWidth(start);
  if (column !== cellWidth(before.slice(0, old.index))) return undefined;
  return `${start}${csi}0m${csi}${column + (now[2]?.length ?? 0) + 1}G${csi}K${after.slice(now.index + now[0].length)}`;
}
