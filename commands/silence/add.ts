import { longestSilenceSeconds } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { recordCommand } from "../command-shapes.ts";
import { flag, idOf, seconds, text } from "../input/options.ts";
import { futureTime } from "../input/time-options.ts";
import { silenceView } from "./view.ts";

export const addSilence = recordCommand({
  name: "silence add",
  summary: "Mute alerts of a camera, a rule or all",
  description:
    "Starts an alert silence: homesec still stores and analyses events, but raises no alerts for the camera or rule. A silence lasts 30 days at most and survives restarts. When it ends, everyone it muted gets one summary. Alerts raised before it started are still delivered.",
  options: {
    camera: idOf("camera", text("camera", "Only alerts of this camera, by id or name")),
    rule: idOf("rule", text("rule", "Only alerts of this rule, by id or name")),
    all: flag("Mute all alerts"),
    for: seconds(1, longestSilenceSeconds, "Duration, such as 2h"),
    until: futureTime("End, such as 18:00, 2h or 'tomorrow 06:00'"),
    reason: text("text", "Reason, shown wherever alerts are missing"),
  },
  examples: [
    { command: "homesec silence add --camera front-door --for 2h --reason 'The painters are here'", note: "one camera" },
    { command: "homesec silence add --rule 'Person at night' --until 'tomorrow 06:00' --reason 'A party'", note: "one rule until a time" },
    { command: "homesec silence add --all --for 15m --reason 'Moving in the furniture'", note: "all alerts" },
  ],
  view: silenceView,
  async record(io, { options: { camera, rule, all, for: duration, until, reason } }) {
    if (camera === undefined && rule === undefined && !all) {
      throw new Problem("invalid", "nothing to mute; give --camera, --rule, both, or --all");
    }
    if ((camera !== undefined || rule !== undefined) && all)
      throw new Problem("invalid", "--all excludes --camera and --rule; remove --all or the others");
    if ((duration === undefined) === (until === undefined)) {
      throw new Problem("invalid", "a silence needs one end; give either --for 2h or --until 18:00");
    }
    if (reason === undefined || reason.trim() === "")
      throw new Problem("invalid", "a silence needs a reason; give --reason, it is shown wherever alerts are missing");
    const body = { camera_id: camera, rule_id: rule, ...(all && { all }), duration_seconds: duration, ends_at: until, reason };
    return await io.call("createSilence", { body });
  },
  note: ({ id }) => `silence ${id} started; end it early with \`homesec silence end ${id}\``,
});
