import { Problem } from "../../src/contract/problem.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { choice } from "../input/options.ts";
import type { Io } from "../io.ts";
import { ago, type TerminalFormat } from "../output/terminal-format.ts";
import type { View } from "../output/view.ts";
import type { Camera } from "./view.ts";

type Parking = ReplyOf<"getCameraParking">;

/** The option that turns the recognition of parked objects on or off. */
export const parkedOption = {
  parked: choice(["on", "off"], "Open no events for parked cars; both forget the known ones"),
};

/** Returns the parked objects of a camera for people; undefined for programs, a deleted camera, and a daemon of an earlier version. */
export async function parkingOf(io: Io, { camera_id, deleted_at }: Camera): Promise<Parking | undefined> {
  if (deleted_at !== null || io.output.format !== "table" || io.output.fields !== undefined) return undefined;
  try {
    return await io.call("getCameraParking", { params: { camera_id } });
  } catch (error) {
    if (error instanceof Problem && error.kind === "not_found") return undefined;
    throw error;
  }
}

/** The view with a line for each parked object. */
export function parkingView(view: View<Camera>, parking: Parking | undefined): View<Camera> {
  if (!parking || (parking.enabled && parking.parked.length === 0)) return view;
  return {
    ...view,
    details: (record, terminal) => [
      ...view.details(record, terminal),
      ...(parking.enabled ? [] : [["parked", { text: "off: parked cars open events" }] as const]),
      ...parking.parked.map((parked) => ["parked", { text: parkedText(parked, terminal) }] as const),
    ],
  };
}

/** `car at 0.50, 0.70, came 3 h ago, seen in 38 of 40 pictures`. */
function parkedText({ object_type, box, parked_since, seen_count, picture_count }: Parking["parked"][number], terminal: TerminalFormat) {
  const place = [box.x + box.width / 2, box.y + box.height].map((share) => share.toFixed(2)).join(", ");
  return `${object_type} at ${place}, came ${ago(terminal, parked_since)}, seen in ${seen_count} of ${picture_count} pictures`;
}
