import { ranges, riskLevels } from "../../src/contract/constants.ts";
import { cleanupView } from "../cleanup.ts";
import { type Command, defineCommand } from "../command.ts";
import { actionCommand, rowsCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";
import { choice, flag, idOf, type Option, single, text, WrongValue } from "../input/options.ts";
import { retentionView } from "./view.ts";

const [least, most] = ranges.retentionDays;
const unitDays: Readonly<Record<string, number>> = { d: 1, w: 7, y: 365 };

/** A period such as 30d, 8w or 1y, in days. */
function days(name: string, what: string): Option<number | undefined> & { readonly flag: string } {
  const option = single("period", `Keep ${what} this long, such as 90d, 8w or 1y`, (given) => {
    const [, count, unit = "d"] = /^(\d{1,5})([dwy])?$/.exec(given.toLowerCase()) ?? [];
    const value = Number(count) * (unitDays[unit] ?? Number.NaN);
    if (!(value >= least && value <= most)) throw new WrongValue(`a period from ${least} to ${most} days, such as 90d, 8w or 1y`);
    return value;
  });
  return { ...option, flag: name };
}

const listRetention = rowsCommand({
  name: "retention list",
  summary: "List how long data is kept, by camera and severity",
  examples: [{ command: "homesec retention list", note: "* means RETENTION_DAYS" }],
  view: retentionView,
  body: (io) => io.call("listRetention", {}),
  rows: ({ rules }) => rules,
  after: (io, { retention_days, delete_images }) =>
    io.output.note(
      `everything else: ${retention_days} days (RETENTION_DAYS); original pictures ${delete_images ? "too" : "stay (DELETE_IMAGES=false)"}`,
    ),
});

const setRetention = defineCommand({
  name: "retention set",
  summary: "Set how long data of a camera or severity is kept",
  description:
    "Sets the periods of events, original pictures and thumbnails of a camera, of a risk level, or of a level at a camera. It replaces the rule for the same camera and level. The most specific rule decides: a camera with a level, then a camera, then a level. A period that the rule does not name is RETENTION_DAYS. Pictures are not kept longer than their events.",
  options: {
    camera_id: { ...idOf("camera", text("camera", "Camera; without it every camera")), flag: "camera" },
    risk_level: { ...choice(riskLevels, "Risk level of the events; without it every level"), flag: "severity" },
    event_days: days("events", "events"),
    original_days: days("originals", "original pictures"),
    thumbnail_days: days("thumbnails", "thumbnails"),
    dry_run: flag("Show what a cleanup would delete; save nothing"),
  },
  examples: [
    { command: "homesec retention set --camera porch --severity high --events 1y --dry-run", note: "what it would free" },
    { command: "homesec retention set --camera porch --severity high --events 365d --originals 30d --thumbnails 90d", note: "save it" },
    { command: "homesec retention set --severity low --events 7d", note: "unimportant events of every camera go after a week" },
  ],
  prints: ({ options: { dry_run } }) => (dry_run ? cleanupView : retentionView),
  async run({ options: { dry_run, ...body } }, io) {
    const { printRecord } = await import("../output/output.ts");
    if (dry_run) await printRecord(io.output, await io.call("previewRetention", { body }), cleanupView);
    else {
      const rule = await io.call("setRetention", { body });
      io.output.note(`retention rule ${rule.id} saved; \`homesec cleanup --dry-run\` shows what the next cleanup deletes`);
      await printRecord(io.output, rule, retentionView);
    }
    return exitCodes.ok;
  },
});

const removeRetention = actionCommand({
  name: "retention remove",
  summary: "Remove a retention rule",
  description: "Removes a rule. Its data then follows the next rule that fits, or RETENTION_DAYS.",
  arguments: { rule_id: idArgument("Id of the retention rule") },
  examples: [{ command: "homesec retention remove 3", note: "homesec retention list shows ids" }],
  async act(io, { arguments: { rule_id } }) {
    await io.call("deleteRetention", { params: { rule_id } });
    return `retention rule ${rule_id} removed`;
  },
});

export const commands: readonly Command[] = [listRetention, setRetention, removeRetention];
