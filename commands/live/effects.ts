import { pluralize } from "../../src/base/text/format.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import { localTime } from "../output/terminal-format.ts";
import type { Store } from "./store.ts";
import type { Effect } from "./ui/ui.ts";

/** An effect that needs a request to the daemon. */
export type DaemonEffect = Exclude<Effect, { kind: "quit" | "interrupt" | "redraw" }>;

/** Makes the request and shows the outcome in the last line. The change itself arrives as a message of the daemon. */
export async function perform(io: Io, store: Store, effect: DaemonEffect): Promise<void> {
  try {
    store.dispatch({ kind: "note", text: await request(io, effect), paint: "green" });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    store.dispatch({ kind: "note", text, paint: isConflict(error) ? "yellow" : "red" });
  }
}

/** Closes alerts. With several, skips those that someone else has closed; with one, that is an error. */
async function closeAlerts(io: Io, { alerts, operation }: Extract<DaemonEffect, { kind: "settle" }>): Promise<string> {
  let alreadyClosed = 0;
  for (const { id } of alerts) {
    try {
      await io.call(operation, { params: { id } });
    } catch (error) {
      if (alerts.length === 1 || !isConflict(error)) throw error;
      alreadyClosed += 1;
    }
  }
  const verb = operation === "acknowledgeAlert" ? "acknowledged" : "dismissed";
  if (alerts.length === 1) return `the alert is ${verb}`;
  const now = `${pluralize(alerts.length - alreadyClosed, "alert is", "alerts are")} ${verb}`;
  return alreadyClosed === 0 ? now : `${now}; ${pluralize(alreadyClosed, "was", "were")} already closed`;
}

function isConflict(error: unknown): boolean {
  return error instanceof Problem && error.kind === "conflict";
}

async function request(io: Io, effect: DaemonEffect): Promise<string> {
  switch (effect.kind) {
    case "settle":
      return await closeAlerts(io, effect);
    case "review": {
      await io.call("updateEvent", { params: { event_id: effect.eventId }, body: { reviewed: effect.reviewed } });
      return `event ${effect.eventId} is marked as ${effect.reviewed ? "" : "not "}reviewed`;
    }
    case "silence": {
      const { cameraId, seconds, reason } = effect;
      const { ends_at } = await io.call("createSilence", { body: { camera_id: cameraId, duration_seconds: seconds, reason } });
      return `${cameraId} is silenced until ${localTime(ends_at)}`;
    }
    default:
      return effect satisfies never;
  }
}
