import { render } from "ink";
import { exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { openIo } from "../open-io.ts";
import { type Answer, askTerminal } from "../picture/ask-terminal.ts";
import { decode } from "../picture/decode.ts";
import { createGraphics, type PictureMode } from "../picture/graphics.ts";
import { depthOf, type ScreenIn, type ScreenOut, sizeOf } from "../picture/terminal.ts";
import { perform } from "./effects.ts";
import { startFeed } from "./feed.ts";
import { startLoader } from "./loader.ts";
import { App } from "./screen/app.tsx";
import { createStore } from "./store.ts";
import { openTerminal } from "./terminal.ts";
import { cellWidth } from "./text.ts";
import type { Effect } from "./ui/ui.ts";
import { firstState } from "./ui/ui.ts";

const tickMs = 1_000;

/**
 * Shows the live view until the user quits; resolves to the exit code. Throws `Problem` if no daemon answers at the start or it
 * refuses the key. Always restores the terminal.
 */
export async function runLive(given: Io, stdin: ScreenIn, stdout: ScreenOut, mode: PictureMode): Promise<number> {
  const { clock, env, signal } = given.host;
  const { colour, called } = given.output.terminal;
  // Notes of requests, such as rate limits, go to the last line instead of across the screen
  const stderr = { write: (text: string) => store.dispatch({ kind: "note", text: text.trim(), paint: "yellow" }) };
  const io = openIo({ ...given.host, stderr }, given.global);
  const address = (await io.endpoint()).url;
  const end = new AbortController();
  let code: number = exitCodes.interrupted;
  const until = AbortSignal.any([signal, end.signal]);

  const onEffect = (effect: Effect): void => {
    if (effect.kind === "redraw") terminal?.redraw();
    else if (effect.kind === "quit" || effect.kind === "interrupt") {
      code = effect.kind === "quit" ? exitCodes.ok : exitCodes.interrupted;
      end.abort();
    } else void perform(io, store, effect);
  };
  const store = createStore({ first: firstState(clock.now(), sizeOf(stdout)), onEffect, now: () => performance.now() });
  let terminal: ReturnType<typeof openTerminal> | undefined;
  let onDrawn = (): void => {};
  const drawn = new Promise<void>((resolve) => {
    onDrawn = resolve;
  });
  const feed = startFeed({ io, store, signal: until, drawn });
  // Errors before the first answer are printed like those of other commands
  await feed.started;
  if (until.aborted) {
    onDrawn();
    return code;
  }

  const isAsked = (mode === "auto" && colour) || mode === "sixel";
  const answer: Answer = isAsked ? await askTerminal(stdin, stdout, env) : { protocol: undefined, typed: "" };
  const protocol = mode === "auto" ? answer.protocol : mode === "blocks" || mode === "none" ? undefined : mode;
  const graphics = protocol && createGraphics({ protocol, cell: answer.cell }, cellWidth);
  const display = { colour, depth: depthOf(env, colour), graphics, noPictures: mode === "none", address, called };
  const ticking = setInterval(() => store.dispatch({ kind: "tick", now: clock.now() }), tickMs);
  const stopLoading = startLoader({ io, store, decode: (bytes) => decode(bytes, protocol === "sixel") });
  terminal = openTerminal(stdin, stdout, {
    onKey: (key) => store.dispatch({ kind: "key", key }),
    onSize: (size) => store.dispatch({ kind: "size", size }),
    onDrawn: store.drawn,
    graphics,
    typed: answer.typed,
  });
  // In debug mode Ink writes whole frames; the terminal receives only the changed lines
  const ink = render(<App {...{ store, display }} />, { stdout: terminal.stream, debug: true, exitOnCtrlC: false, patchConsole: false });
  onDrawn();
  try {
    // A component that throws ends Ink. Quitting does not wait for pending requests
    const aborted = new Promise<void>((resolve) => until.addEventListener("abort", () => resolve()));
    await Promise.race([feed.ended, ink.waitUntilExit(), aborted]);
  } finally {
    clearInterval(ticking);
    stopLoading();
    store.stop();
    terminal.close();
    ink.unmount();
    end.abort();
    // Do not wait for pending requests
    io.host.leave();
  }
  return code;
}
