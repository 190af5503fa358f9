import { Problem } from "../../contract/problem.ts";
import type { OperationId } from "../../contract/routes/index.ts";
import { topicsBelow } from "./topics.ts";

/** A command that was read. */
export type Command =
  | ({ readonly kind: "request" } & CommandRequest)
  /** Acknowledges or dismisses all open alerts. */
  | { readonly kind: "end_all"; readonly operation: "acknowledgeAlert" | "dismissAlert" }
  /** Mutes all alerts of a camera, or ends the silences that do. */
  | { readonly kind: "switch_alerts"; readonly cameraId: string; readonly allow: boolean };

/** A request to an operation. */
export interface CommandRequest {
  readonly operation: OperationId;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Longest text of a command in bytes. */
export const mostCommandBytes = 4_096;

/** Reads a command. Throws `Problem("invalid")` with what is wrong and what to send; undefined for a topic that is none. */
export function commandOf(topic: string, payload: Buffer, prefix: string): Command | undefined {
  const topics = topicsBelow(prefix);
  if (payload.byteLength > mostCommandBytes) throw invalid(`The command has more than ${mostCommandBytes} bytes`);
  const text = payload.toString("utf8").trim();
  switch (topic) {
    case topics.modeSet:
      return request({ operation: "setMode", body: { mode: required(text, "the name of a mode") } });
    case topics.acknowledge:
      return endOf("acknowledgeAlert", text);
    case topics.dismiss:
      return endOf("dismissAlert", text);
    case topics.silence:
      return request({ operation: "createSilence", body: { reason: "Silenced over MQTT", ...jsonObject(text) } });
    case topics.silenceEnd:
      return request({ operation: "endSilence", params: { id: required(text, "the id of a silence") } });
    default:
      return switchOf(topic, text, prefix);
  }
}

function endOf(operation: "acknowledgeAlert" | "dismissAlert", text: string): Command {
  const id = required(text, "the id of an alert, or all");
  return id === "all" ? { kind: "end_all", operation } : request({ operation, params: { id } });
}

/** The switch of a camera's alerts. */
function switchOf(topic: string, text: string, prefix: string): Command | undefined {
  const base = `${prefix}/camera/`;
  const cameraId = topic.startsWith(base) ? /^([a-z0-9_-]{1,64})\/alerts\/set$/.exec(topic.slice(base.length))?.[1] : undefined;
  if (cameraId === undefined) return undefined;
  const word = text.toUpperCase();
  if (word !== "ON" && word !== "OFF") throw invalid(`${shown(text)} is neither ON nor OFF`);
  return { kind: "switch_alerts", cameraId, allow: word === "ON" };
}

function request(one: CommandRequest): Command {
  return { kind: "request", ...one };
}

function required(text: string, what: string): string {
  if (text === "") throw invalid(`The command is empty; send ${what}`);
  return text;
}

function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Says the same as for other JSON.
  }
  throw invalid(`${shown(text)} is no JSON object; send one such as {"camera_id": "front-door", "duration_seconds": 3600}`);
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 60));

function invalid(message: string): Problem {
  return new Problem("invalid", message);
}
