import { type Point, pointText } from "../../src/contract/polygon.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Argument, Command } from "../command.ts";
import { actionCommand, recordCommand, rowsCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { idOf, text, toggle, WrongValue } from "../input/options.ts";
import type { Io } from "../io.ts";
import { ago, exactly } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type Zone = ReplyOf<"listZones">["zones"][number];

const cameraArgument = { camera_id: idOf("camera", textArgument("Camera id or name")) };

const cornersText = ({ points }: Zone): string => points.map(pointText).join(" ");

const stateOf = ({ doubtful_since }: Zone) =>
  doubtful_since === null ? ({ text: "certain", paint: "green" } as const) : ({ text: "doubtful", paint: "yellow" } as const);

const useOf = (zone: Zone) => ({ text: zone.private ? "blacked out" : "rules" });

export const zoneView: View<Zone> = {
  plural: "zones",
  fields: fieldsOf("listZones", "zones"),
  id: ({ name }) => name,
  columns: [
    { title: "NAME", keep: true, isId: true, cell: ({ name }) => ({ text: name }) },
    { title: "STATE", cell: stateOf },
    { title: "USE", cell: useOf },
    { title: "CHANGED", cell: ({ updated_at }, terminal) => ({ text: ago(terminal, updated_at) }) },
    { title: "CORNERS", cell: (zone) => ({ text: cornersText(zone) }) },
  ],
  details: (zone, terminal) => [
    ["zone", { text: zone.name, paint: "bold" }],
    ["state", stateOf(zone)],
    ["use", useOf(zone)],
    ["corners", { text: cornersText(zone) }],
    ["changed", { text: exactly(terminal, zone.updated_at) }],
  ],
};

const cornerForm = "corners X,Y from 0,0 (top left) to 1,1 (bottom right), such as 0.1,0.4";

/** The corners of a zone, at least three; the daemon checks their number and order. */
const corners: Argument<readonly Point[]> = {
  description: "Corners X,Y in their order around the zone, 0 to 1",
  several: true,
  read: (text) =>
    text
      .trim()
      .split(/\s+/)
      .map((corner) => {
        const [x, y] = /^(\d*\.?\d+),(\d*\.?\d+)$/.exec(corner)?.slice(1).map(Number) ?? [];
        if (x === undefined || y === undefined) throw new WrongValue(cornerForm);
        return { x, y };
      }),
};

/** Notes that the camera was moved since its zones were drawn. */
function noteDoubt(io: Io, camera_id: string, zones: readonly Zone[]): void {
  if (zones.every(({ doubtful_since }) => doubtful_since === null)) return;
  io.output.note(`camera ${camera_id} was moved; draw its zones again, or keep them: homesec cameras zones confirm ${camera_id}`);
}

type Rule = ReplyOf<"getRule">;

/** Returns the rule. Throws `Problem` (`invalid`) if it is not about this camera, so that no zone is saved for nothing. */
async function ruleOfCamera(io: Io, id: string, camera_id: string): Promise<Rule> {
  const rule = await io.call("getRule", { params: { id } });
  if (rule.camera_ids?.includes(camera_id) ?? true) return rule;
  throw new Problem("invalid", `rule ${rule.name} does not apply to camera ${camera_id}; add it with homesec rules update --cameras`);
}

/** Adds a zone to those of a rule. */
async function limitRule(io: Io, { id, zones }: Rule, name: string): Promise<void> {
  const others = (zones ?? []).filter((other) => other.toLowerCase() !== name.toLowerCase());
  await io.call("updateRule", { params: { id }, body: { zones: [...others, name] } });
}

export const zoneCommands: readonly Command[] = [
  rowsCommand({
    name: "cameras zones list",
    summary: "List the zones of a camera",
    arguments: cameraArgument,
    examples: [{ command: "homesec cameras zones list front-door", note: "names and corners" }],
    view: zoneView,
    body: (io, { arguments: params }) => io.call("listZones", { params }),
    rows: ({ zones }) => zones,
    after: (io, { camera_id, zones }) => noteDoubt(io, camera_id, zones),
  }),
  recordCommand({
    name: "cameras zones add",
    summary: "Add a zone to a camera, or replace its corners",
    description:
      "Adds a zone, a named area of the camera's picture. Each corner is X,Y: shares of the width from the left and of the height from the top. A detection is in a zone if the middle of the lower edge of its box is. --rule limits a rule to the zone; `rules add` and `rules update` name zones with --zones and --not-zones. With --private, homesec blacks the zone out in every picture that it sends or serves; the files stay as they are. The camera's page draws zones on its last picture.",
    arguments: { ...cameraArgument, name: textArgument("Name of the zone"), points: corners },
    options: {
      rule: idOf("rule", text("rule", "Limit this rule to the zone, by id or name")),
      private: toggle("Black it out in every picture; --no-private ends that"),
    },
    examples: [
      {
        command: "homesec cameras zones add front-door driveway 0.1,0.4 0.5,0.4 0.6,1 0,1 --rule 'Every car'",
        note: "that rule no longer alerts about cars in the street",
      },
      {
        command: "homesec cameras zones add front-door driveway 0.1,0.4 0.5,0.4 0.6,1 0,1",
        note: "four corners; `rules add --zones driveway` then uses it",
      },
      {
        command: "homesec cameras zones add front-door neighbour 0.7,0 1,0 1,0.4 0.7,0.4 --private",
        note: "the neighbour's windows are black in every picture",
      },
    ],
    view: zoneView,
    async record(io, { arguments: { points, ...params }, options: { rule: id, private: isPrivate } }) {
      const rule = id === undefined ? undefined : await ruleOfCamera(io, id, params.camera_id);
      const body = { points: [...points], ...(isPrivate !== undefined && { private: isPrivate }) };
      const zone = await io.call("setZone", { params, body });
      if (rule) await limitRule(io, rule, zone.name);
      return zone;
    },
    note: ({ name }, { arguments: { camera_id } }) => `zone ${name} of camera ${camera_id} saved`,
    async after(io, _, { options: { rule: id } }) {
      if (id === undefined) return;
      const { name, zones } = await io.call("getRule", { params: { id } });
      io.output.note(`rule ${name} now alerts only at cameras with a zone ${zones?.join(" or ")}, and only about what is in it`);
    },
  }),
  actionCommand({
    name: "cameras zones remove",
    summary: "Remove a zone of a camera",
    arguments: { ...cameraArgument, name: textArgument("Name of the zone") },
    examples: [{ command: "homesec cameras zones remove front-door driveway", note: "rules that name it no longer match at this camera" }],
    async act(io, { arguments: params }) {
      await io.call("deleteZone", { params });
      return `zone ${params.name} of camera ${params.camera_id} removed`;
    },
  }),
  rowsCommand({
    name: "cameras zones confirm",
    summary: "Confirm the zones of a camera that was moved",
    arguments: cameraArgument,
    examples: [{ command: "homesec cameras zones confirm front-door", note: "its zones still lie where they should" }],
    view: zoneView,
    body: (io, { arguments: params }) => io.call("confirmZones", { params }),
    rows: ({ zones }) => zones,
  }),
];
