import type { JournalMessage } from "../../../src/contract/live.ts";
import type { Visit } from "../../events/visit.ts";
import type { Alert, Camera, Event, Health, Mode, Pipeline, Silence, Telemetry } from "../records.ts";
import type { Activity } from "./activity.ts";

/** The most records kept in memory; other commands show older ones. */
export const mostEvents = 500;
export const mostAlerts = 500;
export const mostLogged = 300;
export const mostSilences = 1_000;

/** The state of the connection and the time it began. */
export type Link =
  | { readonly kind: "connecting"; readonly since: Date }
  | { readonly kind: "connected"; readonly since: Date; readonly version: string }
  | { readonly kind: "interrupted"; readonly since: Date; readonly reason: string };

/** The known state of the daemon. */
export interface LiveData {
  readonly link: Link;
  /** Sequence of the last processed message; undefined before the first. */
  readonly sequence: number | undefined;
  /** Newest sequence known to the daemon; the view catches up until it reaches it. */
  readonly newest: number;
  /** Number of messages missed because the daemon no longer had them. */
  readonly lost: number;
  /** Whether the lists have been loaded; before that, empty lists mean nothing. */
  readonly isLoaded: boolean;
  readonly cameras: ReadonlyMap<string, Camera>;
  readonly activity: ReadonlyMap<string, Activity>;
  /** Visits that are going on, by batch id, oldest first. */
  readonly visits: ReadonlyMap<string, Visit>;
  /** Newest first, at most `mostEvents`. */
  readonly events: readonly Event[];
  /** Open alerts, newest first, at most `mostAlerts`. */
  readonly alerts: readonly Alert[];
  /** Active alert silences, newest first. */
  readonly silences: readonly Silence[];
  /** The mode of the home; undefined before the lists are loaded, and of a daemon without modes. */
  readonly mode: Mode | undefined;
  /** Received messages, newest last, at most `mostLogged`. */
  readonly log: readonly JournalMessage[];
  readonly health: Health | undefined;
  readonly pipeline: Pipeline | undefined;
  readonly telemetry: Telemetry | undefined;
  /** The times of the last replies. */
  readonly receivedAt: { readonly [K in "health" | "pipeline" | "telemetry"]?: Date };
}

/** The initial state. */
export function noData(now: Date): LiveData {
  return {
    ...{ link: { kind: "connecting", since: now }, sequence: undefined, newest: 0, lost: 0 },
    ...{ isLoaded: false, cameras: new Map(), activity: new Map(), visits: new Map(), events: [], alerts: [], silences: [], log: [] },
    mode: undefined,
    ...{ health: undefined, pipeline: undefined, telemetry: undefined, receivedAt: {} },
  };
}

/** Number of messages to catch up after a lost connection. */
export function messagesBehind({ link, sequence, newest }: LiveData): number {
  return link.kind === "connected" && sequence !== undefined ? Math.max(0, newest - sequence) : 0;
}
