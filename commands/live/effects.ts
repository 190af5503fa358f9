import { pluralize } from "../../src/base/text/pluralize.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import { localTime } from "../output/terminal-format.ts";
import type { Store } from "./store.ts";
import type { Effect } from "./ui/effect.ts";

/** What was asked of the daemon. */
export type Deed = Exclude<Effect, { kind: "quit" | "interrupt" | "redraw" }>;

/** Does it, and says in the last line what came of it. What changed by it is told by the daemon, to all who watch. */
export async function perform(io: Io, store: Store, deed: Deed): Promise<void> {
  try {
    store.dispatch({ kind: "note", text: await done(io, deed), paint: "green" });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    store.dispatch({ kind: "note", text, paint: isConflict(error) ? "yellow" : "red" });
  }
}

/** One that another person has settled meanwhile does not keep the others from it; alone it is told as the daemon does. */
async function settled(io: Io, { alerts, operation }: Extract<Deed, { kind: "settle" }>): Promise<string> {
  let before = 0;
  for (const { id } of alerts) {
    try {
      await io.call(operation, { params: { id } });
    } catch (error) {
      if (alerts.length === 1 || !isConflict(error)) throw error;
      before += 1;
    }
  }
  const verb = operation === "acknowledgeAlert" ? "acknowledged" : "dismissed";
  if (alerts.length === 1) return `the alert is ${verb}`;
  const now = `${pluralize(alerts.length - before, "alert is", "alerts are")} ${verb}`;
  return before === 0 ? now : `${now}; ${pluralize(before, "was", "were")} settled already`;
}

function isConflict(error: unknown): boolean {
  return error instanceof Problem && error.kind === "conflict";
}

async function done(io: Io, deed: Deed): Promise<string> {
  switch (deed.kind) {
    case "settle":
      return await settled(io, deed);
    case "review": {
      await io.call("updateEvent", { params: { event_id: deed.eventId }, body: { reviewed: deed.reviewed } });
      return `event ${deed.eventId} is marked as ${deed.reviewed ? "" : "not "}reviewed`;
    }
    case "silence": {
      const { cameraId, seconds, reason } = deed;
      const { ends_at } = await io.call("createSilence", { body: { camera_id: cameraId, duration_seconds: seconds, reason } });
      return `${cameraId} is silenced until ${localTime(ends_at)}`;
    }
    default:
      return deed satisfies never;
  }
}
