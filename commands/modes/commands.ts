import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { longestEntryDelay, longestExitDelay } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Command, Values } from "../command.ts";
import { actionCommand, listCommand, recordCommand, rowsCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { seconds, single, WrongValue } from "../input/options.ts";
import { parseSchedule, scheduleForm } from "../rules/schedule-text.ts";
import { modeView, switchView } from "./view.ts";

/** The word for --schedule that ends it. */
const none = "none";

const modeOptions = {
  exit_delay_seconds: { ...seconds(0, longestExitDelay, "Time to leave before the mode takes effect"), flag: "exit-delay" },
  entry_delay_seconds: { ...seconds(0, longestEntryDelay, "Time that alerts wait for a switch"), flag: "entry-delay" },
  schedule: single("days times zone", "When to switch to it, such as 'mon-fri 23:00-06:00', or none", (given) => {
    if (given.toLowerCase() === none) return null;
    const parsed = parseSchedule(given, localTimeZone());
    if (parsed === undefined) throw new WrongValue(`${scheduleForm}, or none`);
    return parsed;
  }),
};

const scheduleText =
  "A schedule switches to its mode only if the home is in mode home, and switches back to home only if no one switched meanwhile.";

const modeArgument = textArgument("Name of the mode");

export const commands: readonly Command[] = [
  rowsCommand({
    name: "modes list",
    summary: "List the modes with their delays and schedules",
    examples: [{ command: "homesec modes list", note: "built-in and custom modes" }],
    view: modeView,
    body: (io) => io.call("listModes", {}),
    rows: ({ modes }) => modes,
  }),
  listCommand({
    name: "modes history",
    summary: "List who switched the mode and when",
    examples: [
      { command: "homesec modes history", note: "newest first" },
      { command: "homesec modes history -o json", note: "with all fields" },
    ],
    view: switchView,
    page: (io, _, page) => io.call("listModeSwitches", { query: page }),
    rows: ({ items }) => items,
  }),
  recordCommand({
    name: "modes add",
    summary: "Add a mode",
    description: `Adds a mode that rules can name. ${scheduleText}`,
    arguments: { name: modeArgument },
    options: modeOptions,
    examples: [{ command: "homesec modes add holiday --exit-delay 2m", note: "then: homesec rules update 'Person' --mode away,holiday" }],
    view: modeView,
    record: (io, { arguments: { name }, options }) => io.call("createMode", { body: { name: name.toLowerCase(), ...options } }),
    note: ({ name }) => `mode ${name} added; rules alert in it if they name it, or name no mode`,
  }),
  recordCommand({
    name: "modes update",
    summary: "Change the delays and schedule of a mode",
    description: `Changes the given parts of a mode and keeps the rest. ${scheduleText}`,
    arguments: { name: modeArgument },
    options: modeOptions,
    examples: [
      { command: "homesec modes update night --schedule 'mon-fri 23:00-06:00'", note: "at night on weekdays" },
      { command: "homesec modes update away --exit-delay 90s --entry-delay 45s", note: "more time to leave and to come home" },
    ],
    view: modeView,
    async record(io, { arguments: { name }, options }) {
      if (Object.values(options satisfies Values<typeof modeOptions>).every((value) => value === undefined)) {
        throw new Problem("invalid", "nothing to change; give --exit-delay, --entry-delay or --schedule");
      }
      return await io.call("updateMode", { params: { name: name.toLowerCase() }, body: options });
    },
    note: ({ name }) => `mode ${name} changed`,
  }),
  actionCommand({
    name: "modes remove",
    summary: "Remove a mode that no rule names",
    arguments: { name: modeArgument },
    examples: [{ command: "homesec modes remove holiday", note: "not the built-in ones" }],
    async act(io, { arguments: { name } }) {
      await io.call("deleteMode", { params: { name: name.toLowerCase() } });
      return `mode ${name} removed`;
    },
  }),
];
