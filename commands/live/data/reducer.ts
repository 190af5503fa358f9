import type { GapMessage, JournalMessage } from "../../../src/contract/live.ts";
import { type Visit, type VisitDetection, visitsWith } from "../../events/visit.ts";
import type { Alert, Camera, Event, Health, Mode, Pipeline, Silence, Telemetry } from "../records.ts";
import { type Activity, withDetection } from "./activity.ts";
import { type Link, type LiveData, mostAlerts, mostEvents, mostLogged, mostSilences } from "./data.ts";

/** The state of the daemon at one time, from its lists. */
export interface Snapshot {
  readonly cameras: readonly Camera[];
  readonly events: readonly Event[];
  /** Open alerts. */
  readonly alerts: readonly Alert[];
  /** Active silences. */
  readonly silences: readonly Silence[];
  /** The mode of the home; undefined if the daemon has no modes. */
  readonly mode: Mode | undefined;
  /** Recent detections, newest first, for the activity of the cameras and the open visits. */
  readonly seen: readonly VisitDetection[];
}

export type Change =
  | { readonly kind: "link"; readonly link: Link; readonly newest?: number }
  | { readonly kind: "snapshot"; readonly snapshot: Snapshot }
  | { readonly kind: "messages"; readonly messages: readonly (JournalMessage | GapMessage)[] }
  | { readonly kind: "cameras"; readonly cameras: readonly Camera[] }
  /** Replies that arrived at this time. */
  | { readonly kind: "system"; readonly at: Date; readonly health?: Health; readonly pipeline?: Pipeline; readonly telemetry?: Telemetry };

/** Applies a change. Pure; the result has a bounded size. */
export function reduceData(data: LiveData, change: Change): LiveData {
  switch (change.kind) {
    case "link":
      return { ...data, link: change.link, newest: Math.max(change.newest ?? 0, data.newest) };
    case "snapshot":
      return withSnapshot(data, change.snapshot);
    case "messages":
      return change.messages.reduce(withMessage, data);
    case "cameras":
      return { ...data, cameras: mergedCameras(data.cameras, change.cameras) };
    case "system":
      return withSystem(data, change);
    default:
      return change satisfies never;
  }
}

function withSystem(data: LiveData, { kind: _, at, ...parts }: Extract<Change, { kind: "system" }>): LiveData {
  const times = Object.fromEntries(Object.keys(parts).map((name) => [name, at]));
  const visits = parts.pipeline ? openVisits(data.visits, parts.pipeline) : data.visits;
  return { ...data, ...parts, visits, receivedAt: { ...data.receivedAt, ...times } };
}

/** The visits without those whose batch is gone, such as after all of its detections were deleted. */
function openVisits(visits: LiveData["visits"], { batch_aggregator: { batches }, timestamp }: Pipeline): LiveData["visits"] {
  const open = new Set(batches.map(({ batch_id }) => batch_id));
  // Messages may be newer than the list of batches
  const isGone = ({ batchId, storedAt }: Visit): boolean => !open.has(batchId) && storedAt < timestamp;
  return [...visits.values()].some(isGone) ? new Map([...visits].filter(([, visit]) => !isGone(visit))) : visits;
}

function withSnapshot(data: LiveData, { cameras, events, alerts, silences, mode, seen }: Snapshot): LiveData {
  const activity = new Map<string, Activity>();
  for (const { camera_id, detected_at } of seen) activity.set(camera_id, withDetection(activity.get(camera_id), detected_at));
  const visits = [...seen].reverse().reduce(visitsWith, new Map<string, Visit>());
  return {
    ...data,
    cameras: mergedCameras(data.cameras, cameras),
    events: [...events].sort(byStart).slice(0, mostEvents),
    alerts: alerts.filter(isOpen).sort(byCreation).slice(0, mostAlerts),
    silences: [...silences].sort(byCreation).slice(0, mostSilences),
    mode,
    activity,
    isLoaded: true,
    visits: data.pipeline ? openVisits(visits, data.pipeline) : visits,
  };
}

/** Messages arrive in order; ignores those already processed. */
function withMessage(data: LiveData, message: JournalMessage | GapMessage): LiveData {
  if (message.type === "gap") return withGap(data, message);
  if (data.sequence !== undefined && message.sequence <= data.sequence) return data;
  const log = data.log.length < mostLogged ? [...data.log, message] : [...data.log.slice(data.log.length - mostLogged + 1), message];
  return { ...withMessageData(data, message), log, sequence: message.sequence, newest: Math.max(data.newest, message.sequence) };
}

function withGap(data: LiveData, { data: { from, to } }: GapMessage): LiveData {
  const isOlder = data.sequence !== undefined && from <= data.sequence;
  // The journal is shorter than before: the database was restored, and sequences restart there
  if (isOlder) return { ...data, sequence: from - 1, newest: from - 1, lost: data.lost + to - from + 1 };
  return { ...data, sequence: to, lost: data.lost + to - from + 1 };
}

function withMessageData(data: LiveData, { type, data: what }: JournalMessage): LiveData {
  switch (type) {
    case "detection.new": {
      const activity = withDetection(data.activity.get(what.camera_id), what.detected_at);
      return {
        ...data,
        activity: new Map(data.activity).set(what.camera_id, activity),
        cameras: seenAt(data.cameras, what.camera_id, what.detected_at),
        visits: visitsWith(data.visits, what),
      };
    }
    case "detection.batch":
      return { ...data, visits: withoutVisit(data.visits, what.batch_id) };
    case "event":
    case "event.updated": {
      const events = what.deleted_at === null ? put(data.events, what, byStart, mostEvents) : without(data.events, what.id);
      return { ...data, events, visits: withoutVisit(data.visits, what.batch_id) };
    }
    case "event.deleted":
      return { ...data, events: without(data.events, what.id) };
    case "alert_created":
    case "alert_delivered":
    case "alert_acknowledged":
    case "alert_dismissed":
      return { ...data, alerts: isOpen(what) ? put(data.alerts, what, byCreation, mostAlerts) : without(data.alerts, what.id) };
    case "silence.started":
      return { ...data, silences: put(data.silences, what, byCreation, mostSilences) };
    case "silence.ended":
      return { ...data, silences: without(data.silences, what.id) };
    case "mode.changed":
      return { ...data, mode: what };
    case "camera_status": {
      const { previous_status: _, reason: __, ...camera } = what;
      return { ...data, cameras: withCamera(data.cameras, camera) };
    }
    case "worker_status":
      return { ...data, health: data.health && withWorker(data.health, what.name, what.running) };
    case "circuit_breaker":
      return { ...data, health: data.health && withBreaker(data.health, what.name, what.state) };
    default:
      return data;
  }
}

const isOpen = ({ status }: Alert): boolean => status === "pending" || status === "delivered";
const byStart = (a: Event, b: Event): number => b.started_at.getTime() - a.started_at.getTime() || b.id - a.id;
const byCreation = (a: Alert | Silence, b: Alert | Silence): number =>
  b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1);

/** The sorted list with this record; replaces the record with the same id. */
function put<T extends { readonly id: unknown }>(list: readonly T[], record: T, order: (a: T, b: T) => number, most: number): readonly T[] {
  const old = list.findIndex(({ id }) => id === record.id);
  // Most updates keep the position
  if (old >= 0 && order(list[old] as T, record) === 0) return list.with(old, record);
  const rest = old < 0 ? list : list.toSpliced(old, 1);
  let at = 0;
  // Most new records are the newest
  while (at < rest.length && order(rest[at] as T, record) < 0) at += 1;
  if (at >= most) return rest;
  return (rest.length < most ? rest : rest.slice(0, most - 1)).toSpliced(at, 0, record);
}

function without<T extends { readonly id: unknown }>(list: readonly T[], id: unknown): readonly T[] {
  const at = list.findIndex((each) => each.id === id);
  return at < 0 ? list : list.toSpliced(at, 1);
}

function withoutVisit(visits: LiveData["visits"], batchId: string | null): LiveData["visits"] {
  return batchId !== null && visits.has(batchId) ? new Map([...visits].filter(([id]) => id !== batchId)) : visits;
}

function withCamera(cameras: LiveData["cameras"], camera: Camera): LiveData["cameras"] {
  const changed = new Map(cameras);
  if (camera.deleted_at === null) changed.set(camera.camera_id, camera);
  else changed.delete(camera.camera_id);
  return changed;
}

function seenAt(cameras: LiveData["cameras"], id: string, time: Date): LiveData["cameras"] {
  const camera = cameras.get(id);
  if (camera === undefined || (camera.last_seen_at !== null && camera.last_seen_at >= time)) return cameras;
  return new Map(cameras).set(id, { ...camera, last_seen_at: time });
}

/** Keeps the newer record of each camera, since messages may have overtaken the list. */
function mergedCameras(known: LiveData["cameras"], listed: readonly Camera[]): LiveData["cameras"] {
  return new Map(
    listed.map((camera) => {
      const old = known.get(camera.camera_id);
      if (old === undefined) return [camera.camera_id, camera];
      const record = old.updated_at > camera.updated_at ? old : camera;
      return [camera.camera_id, { ...record, last_seen_at: later(old.last_seen_at, camera.last_seen_at) }];
    }),
  );
}

function later(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

function withWorker(health: Health, name: string, running: boolean): Health {
  return { ...health, workers: health.workers.map((worker) => (worker.name === name ? { ...worker, running } : worker)) };
}

function withBreaker(health: Health, name: string, state: Health["ai_services"][number]["circuit_state"]): Health {
  const { circuit_breakers } = health;
  return {
    ...health,
    ai_services: health.ai_services.map((service) => (service.name === name ? { ...service, circuit_state: state } : service)),
    circuit_breakers: { ...circuit_breakers, breakers: { ...circuit_breakers.breakers, [name]: state } },
  };
}
