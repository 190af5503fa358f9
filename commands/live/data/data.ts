import type { JournalMessage } from "../../../src/contract/live.ts";
import type { Alert, Camera, Event, Health, Pipeline, Silence, Telemetry } from "../records.ts";
import type { Activity } from "./activity.ts";

/** So much is kept; what is older can be asked for with other commands. */
export const mostEvents = 500;
export const mostAlerts = 500;
export const mostLogged = 300;
export const mostSilences = 1_000;

/** How the connection is. `since` is when that began. */
export type Link =
  | { readonly kind: "connecting"; readonly since: Date }
  | { readonly kind: "connected"; readonly since: Date; readonly version: string }
  | { readonly kind: "interrupted"; readonly since: Date; readonly reason: string };

/** What the view knows of the daemon. */
export interface LiveData {
  readonly link: Link;
  /** The last message that was taken up; undefined before the first. */
  readonly sequence: number | undefined;
  /** The newest message of which the daemon told when it was connected: until then the view is catching up. */
  readonly newest: number;
  /** Messages that the daemon could not give any more after an interruption. */
  readonly lost: number;
  readonly cameras: ReadonlyMap<string, Camera>;
  readonly activity: ReadonlyMap<string, Activity>;
  /** The newest first, at most `mostEvents`. */
  readonly events: readonly Event[];
  /** Those that nobody has acknowledged or dismissed, the newest first, at most `mostAlerts`. */
  readonly alerts: readonly Alert[];
  /** Alert silences that have not ended, the newest first. */
  readonly silences: readonly Silence[];
  /** What was heard, the newest last, at most `mostLogged`. */
  readonly log: readonly JournalMessage[];
  readonly health: Health | undefined;
  readonly pipeline: Pipeline | undefined;
  readonly telemetry: Telemetry | undefined;
}

/** Before anything is known. */
export function noData(now: Date): LiveData {
  return {
    ...{ link: { kind: "connecting", since: now }, sequence: undefined, newest: 0, lost: 0 },
    ...{ cameras: new Map(), activity: new Map(), events: [], alerts: [], silences: [], log: [] },
    ...{ health: undefined, pipeline: undefined, telemetry: undefined },
  };
}

/** Whether messages of the time of an interruption are still on their way. */
export function messagesBehind({ link, sequence, newest }: LiveData): number {
  return link.kind === "connected" && sequence !== undefined ? Math.max(0, newest - sequence) : 0;
}
