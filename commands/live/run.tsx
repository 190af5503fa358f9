import { render } from "ink";
import { exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { openIo } from "../open-io.ts";
import { perform } from "./effects.ts";
import { startFeed } from "./feed.ts";
import { startLoader } from "./loader.ts";
import { depthOf } from "./look.ts";
import { App } from "./screen/app.tsx";
import { createStore } from "./store.ts";
import { openTerminal, type ScreenIn, type ScreenOut, sizeOf } from "./terminal.ts";
import type { Effect } from "./ui/effect.ts";
import { firstState } from "./ui/ui.ts";

const tickMs = 1_000;

/**
 * Shows what happens until the person ends it; resolves to the exit code. Throws `Problem` when no daemon answers at the start, and when
 * it refuses. The terminal is given back as it was in any case.
 */
export async function runLive(given: Io, stdin: ScreenIn, stdout: ScreenOut): Promise<number> {
  const { clock, env, signal } = given.host;
  const { colour } = given.output.terminal;
  // what commands say beside their output, such as that they have to wait, would be written across the screen
  const stderr = { write: (text: string) => store.dispatch({ kind: "note", text: text.trim(), paint: "yellow" }) };
  const io = openIo({ ...given.host, stderr }, given.global);
  const look = { colour, depth: depthOf(env, colour), address: (await io.endpoint()).url };
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
  const feed = startFeed({ io, store, signal: until });
  // errors of the start are printed as those of any command
  await feed.started;
  if (until.aborted) return code;

  const ticking = setInterval(() => store.dispatch({ kind: "tick", now: clock.now() }), tickMs);
  const stopLoading = startLoader({ io, store });
  terminal = openTerminal(stdin, stdout, {
    onKey: (key) => store.dispatch({ kind: "key", key }),
    onSize: (size) => store.dispatch({ kind: "size", size }),
    onDrawn: store.drawn,
  });
  // each change of the tree is one whole frame, and the terminal is sent what differs
  const ink = render(<App {...{ store, look }} />, { stdout: terminal.stream, debug: true, exitOnCtrlC: false, patchConsole: false });
  try {
    // a component that throws ends Ink; who quits does not wait for what the daemon has to answer yet
    const quitted = new Promise<void>((resolve) => until.addEventListener("abort", () => resolve()));
    await Promise.race([feed.ended, ink.waitUntilExit(), quitted]);
  } finally {
    clearInterval(ticking);
    stopLoading();
    store.stop();
    terminal.close();
    ink.unmount();
    end.abort();
    // a request that is under way may take long to come to its end
    io.host.leave();
  }
  return code;
}
