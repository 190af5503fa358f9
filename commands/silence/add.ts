import { Problem } from "../../src/contract/problem.ts";
import { longestSilenceSeconds } from "../../src/contract/routes/silences.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { flag, futureTime, seconds, text } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import { findRule } from "../rules/find.ts";

export const addSilence = defineCommand({
  name: "silence add",
  summary: "Hold back the alerts of a camera, of a rule, or all of them, for a while",
  description:
    "Begins an alert silence: events are stored and judged as ever, but no alert is raised of what it is about. It always has an end, 30 days away at most, and survives restarts. At its end whom it kept alerts from are told once what it held back. Alerts that were raised before it began are still delivered.",
  options: {
    camera: text("id", "Only alerts of this camera"),
    rule: text("rule", "Only alerts of this rule: its id, or its exact name; with --camera, of this rule for this camera"),
    all: flag("All alerts, where neither a camera nor a rule is named"),
    for: seconds(1, longestSilenceSeconds, "How long it lasts, such as 2h"),
    until: futureTime("When it ends, such as 18:00 or 'tomorrow 06:00'; instead of --for"),
    reason: text("text", "Why, for whoever wonders later"),
  },
  examples: [
    { command: "homesec silence add --camera front-door --for 2h --reason 'The painters are here'", note: "one camera" },
    { command: "homesec silence add --rule 'Person at night' --until 'tomorrow 06:00' --reason 'A party'", note: "one rule, until a time" },
    { command: "homesec silence add --all --for 15m --reason 'Moving in the furniture'", note: "everything" },
  ],
  prints: async () => (await import("./view.ts")).silenceView,
  async run({ options: { camera, rule, all, for: duration, until, reason } }, io) {
    if (camera === undefined && rule === undefined && !all) {
      throw new Problem("invalid", "say what to silence: --camera, --rule, both, or --all");
    }
    if ((camera !== undefined || rule !== undefined) && all) throw new Problem("invalid", "--all goes with neither --camera nor --rule");
    if ((duration === undefined) === (until === undefined)) {
      throw new Problem("invalid", "a silence has one end: give either --for 2h or --until 18:00");
    }
    if (reason === undefined || reason.trim() === "")
      throw new Problem("invalid", "say why with --reason; it is shown wherever alerts are missing");
    const { silenceView } = await import("./view.ts");
    const { id: rule_id } = rule === undefined ? { id: undefined } : await findRule(io, rule);
    const silence = await io.call("createSilence", {
      body: { camera_id: camera, rule_id, ...(all && { all }), duration_seconds: duration, ends_at: until, reason },
    });
    io.output.note(`silence ${silence.id} holds alerts back; \`homesec silence end ${silence.id}\` ends it earlier`);
    await printRecord(io.output, silence, silenceView);
    return exitCodes.ok;
  },
});
