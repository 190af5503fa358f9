import type { z } from "zod";
import { pluralize } from "../../base/text/format.ts";
import type { Silence as SilenceRecord } from "../../contract/routes/silences.ts";

/** A silence as clients see it. */
export type Silence = z.output<typeof SilenceRecord>;

/** The scope of a silence: null means every camera, or every rule. */
export type Scope = Pick<Silence, "camera_id" | "rule_id">;

/** A match that would raise an alert. */
export interface Subject {
  readonly cameraId: string;
  readonly ruleId: string;
}

/** Tells whether a silence covers alerts of this rule for this camera, regardless of time. */
export function covers({ camera_id, rule_id }: Scope, { cameraId, ruleId }: Subject): boolean {
  return (camera_id === null || camera_id === cameraId) && (rule_id === null || rule_id === ruleId);
}

/**
 * Chooses the silence that mutes an alert from active silences: the one that ends last, since the alert could come only after it. Ties go
 * to the oldest, then to the smaller id. Undefined if none covers the alert.
 */
export function silenceFor<S extends Scope & Pick<Silence, "id" | "created_at" | "ends_at">>(
  silences: readonly S[],
  subject: Subject,
): S | undefined {
  const fitting = silences.filter((silence) => covers(silence, subject));
  const [chosen] = fitting.toSorted(
    (a, b) => b.ends_at.getTime() - a.ends_at.getTime() || a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1),
  );
  return chosen;
}

type Named = Scope & Pick<Silence, "camera_name" | "rule_name">;

const units = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** Formats a duration by its two largest units: `2 h`, `1 h 30 min`, `45 s`. */
export function spanText(from: Date, to: Date): string {
  let left = Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));
  const parts: string[] = [];
  for (const [seconds, unit] of units) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(" ") || "0 s";
}

/** Names the scope of a silence: `Front door`, `rule "Person at night"`, `Front door, rule "Person at night"`, `everything`. */
export function scopeText({ camera_id, camera_name, rule_id, rule_name }: Named): string {
  const parts = [
    ...(camera_id === null ? [] : [camera_name ?? camera_id]),
    ...(rule_id === null ? [] : [`rule ${JSON.stringify(rule_name ?? rule_id)}`]),
  ];
  return parts.join(", ") || "everything";
}

/** Formats a number of alerts: `1 alert`, `3 alerts`. */
export function alertsText(count: number): string {
  return pluralize(count, "alert");
}
