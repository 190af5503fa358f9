import { render } from "ink";
import type { Display } from "../../../commands/live/display.ts";
import { App } from "../../../commands/live/screen/app.tsx";
import { createStore } from "../../../commands/live/store.ts";
import { openTerminal } from "../../../commands/live/terminal.ts";
import type { State } from "../../../commands/live/ui/ui.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeKeys, FakeTerminal } from "../../support/fake-terminal.ts";

export const plainDisplay: Display = { colour: false, depth: "none", address: "http://127.0.0.1:8000" };

/** The screen of a state, drawn by Ink on a terminal in memory. */
export async function screenOf(state: State, display: Display = plainDisplay): Promise<FakeTerminal> {
  const screen = new FakeTerminal(state.ui.size.columns, state.ui.size.rows);
  const store = createStore({ first: state, onEffect: () => {}, now: () => performance.now() });
  const terminal = openTerminal(new FakeKeys(), screen, { onKey: () => {}, onSize: () => {}, onDrawn: () => {} });
  const ink = render(<App {...{ store, display }} />, { stdout: terminal.stream, debug: true, exitOnCtrlC: false, patchConsole: false });
  try {
    await eventually(() => screen.text.trim() !== "", { what: "the screen" });
    return screen;
  } finally {
    store.stop();
    terminal.close();
    ink.unmount();
  }
}
