import { riskLevels } from "../../../src/contract/constants.ts";
import type { Visit } from "../../events/visit.ts";
import type { Alert, Camera, Event } from "../records.ts";

/** One word of a filter. A record must match every word. */
interface Word {
  readonly kind: "text" | "camera" | "level";
  readonly value: string;
  readonly not: boolean;
}

/** The parts of a record that a filter matches. */
export interface Filterable {
  readonly camera: string;
  readonly level: string;
  readonly text: string;
}

/**
 * Parses a filter: words that must all occur, `camera:yard`, `level:high`, `level:high+` for high and above, `-word` to exclude.
 * Ignores case. An empty filter matches everything.
 */
export function filterOf(typed: string): (record: Filterable) => boolean {
  const words = typed.toLowerCase().split(/\s+/).flatMap(readWord);
  return (record) => words.every((word) => fits(word, record) !== word.not);
}

function readWord(typed: string): Word[] {
  const not = typed.startsWith("-") && typed.length > 1;
  const text = not ? typed.slice(1) : typed;
  const [, kind, value] = /^(camera|level):(.*)$/.exec(text) ?? [];
  if (kind !== undefined && value !== undefined) return value === "" ? [] : [{ kind: kind as "camera" | "level", value, not }];
  return text === "" ? [] : [{ kind: "text", value: text, not }];
}

function fits({ kind, value }: Word, { camera, level, text }: Filterable): boolean {
  if (kind === "camera") return camera.toLowerCase().includes(value);
  if (kind === "text") return `${camera} ${level} ${text}`.toLowerCase().includes(value);
  if (!value.endsWith("+")) return value.split(",").some((each) => each !== "" && level.toLowerCase().startsWith(each));
  const least = riskLevels.findIndex((each) => each.startsWith(value.slice(0, -1)));
  return least >= 0 && (riskLevels as readonly string[]).indexOf(level.toLowerCase()) >= least;
}

/** The filterable parts of a camera. */
export function filterableCamera({ camera_id, name, status, folder_path }: Camera): Filterable {
  return { camera: `${camera_id} ${name}`, level: status, text: folder_path };
}

/** The filterable parts of an event. Filters match the name of its camera as well as the id. */
export function filterableEvent(event: Event, cameraName: string): Filterable {
  const { id, camera_id, risk_level, analysis_status, summary, object_types, kind, reviewed } = event;
  const level = risk_level ?? (kind === "camera_health" ? "camera" : analysis_status);
  const text = [id, summary, ...object_types, reviewed ? "reviewed" : "unreviewed"].join(" ");
  return { camera: `${camera_id} ${cameraName}`, level, text };
}

/** The filterable parts of an alert. */
export function filterableAlert({ camera_id, severity, status, event_id, alert_metadata }: Alert, cameraName: string): Filterable {
  return { camera: `${camera_id} ${cameraName}`, level: severity, text: `${status} ${event_id} ${alert_metadata.rule_name}` };
}

/** The filterable parts of a visit that is going on. It has no level yet. */
export function filterableVisit({ cameraId, counts }: Visit, cameraName: string): Filterable {
  return { camera: `${cameraId} ${cameraName}`, level: "now", text: Object.keys(counts).join(" ") };
}
