import { recordCommand } from "../command-shapes.ts";
import { optionalText } from "../input/arguments.ts";
import { flag } from "../input/options.ts";
import type { ModeState } from "./view.ts";

export const mode = recordCommand({
  name: "mode",
  summary: "Show or switch the mode of the home",
  description:
    "Shows the mode of the home, or switches it. Rules alert only in the modes that they name; pictures are stored and analysed in every mode. A mode with an exit delay takes effect after it: give the current mode to cancel. `homesec modes list` shows all modes, `homesec modes history` who switched when.",
  arguments: { mode: optionalText("Mode to switch to, such as away") },
  options: { now: flag("Skip the exit delay of the mode") },
  examples: [
    { command: "homesec mode", note: "the mode now, and who chose it" },
    { command: "homesec mode away", note: "takes effect after the exit delay" },
    { command: "homesec mode night --now", note: "at once" },
  ],
  view: { plural: "modes", fields: async () => (await view()).fields(), id: ({ mode }: ModeState) => mode, columns: [], details: () => [] },
  async record(io, { arguments: { mode }, options: { now } }) {
    if (mode === undefined) return await io.call("getMode", {});
    return await io.call("setMode", { body: { mode: mode.toLowerCase(), skip_exit_delay: now } });
  },
  viewOf: view,
});

/** Loaded only when it is needed: every command line reads this file. */
async function view() {
  return (await import("./view.ts")).stateView;
}
