import { riskLevels } from "../../../src/contract/constants.ts";
import type { Alert, Camera, Event } from "../records.ts";

/** What lists are narrowed by. Every word must fit. */
interface Word {
  readonly kind: "text" | "camera" | "level";
  readonly value: string;
  readonly not: boolean;
}

/** What of a record a filter looks at. */
export interface Filterable {
  readonly camera: string;
  readonly level: string;
  readonly text: string;
}

/**
 * The test that a filter is: words that all occur somewhere, `camera:yard`, `level:high`, `level:high+` for high and above, `-word` for
 * what must not be. Case does not count. An empty filter lets everything pass.
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
  return least >= 0 && riskLevels.findIndex((each) => each === level.toLowerCase()) >= least;
}

/** What a filter looks at of a camera. */
export function filterableCamera({ camera_id, name, status, folder_path }: Camera): Filterable {
  return { camera: `${camera_id} ${name}`, level: status, text: folder_path };
}

/** `cameraName` is the name of its camera, which a person may type as well as the id. */
export function filterableEvent(event: Event, cameraName: string): Filterable {
  const { id, camera_id, risk_level, analysis_status, summary, object_types, kind, reviewed } = event;
  const level = risk_level ?? (kind === "camera_health" ? "camera" : analysis_status);
  const text = [id, summary, ...object_types, reviewed ? "reviewed" : "unreviewed"].join(" ");
  return { camera: `${camera_id} ${cameraName}`, level, text };
}

/** `cameraName` as for events. */
export function filterableAlert({ camera_id, severity, status, event_id, alert_metadata }: Alert, cameraName: string): Filterable {
  return { camera: `${camera_id} ${cameraName}`, level: severity, text: `${status} ${event_id} ${alert_metadata.rule_name}` };
}
