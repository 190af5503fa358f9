import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import { localTime } from "../output/people.ts";
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
    store.dispatch({ kind: "note", text, paint: error instanceof Problem && error.kind === "conflict" ? "yellow" : "red" });
  }
}

async function done(io: Io, deed: Deed): Promise<string> {
  switch (deed.kind) {
    case "settle": {
      for (const { id } of deed.alerts) await io.call(deed.operation, { params: { id } });
      const verb = deed.operation === "acknowledgeAlert" ? "acknowledged" : "dismissed";
      return deed.alerts.length === 1 ? `the alert is ${verb}` : `${deed.alerts.length} alerts are ${verb}`;
    }
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
