import type { z } from "zod";
import { pluralize } from "../../base/text/pluralize.ts";
import type { Silence as SilenceRecord } from "../../contract/routes/silences.ts";

/** A silence as clients see it. */
export type Silence = z.output<typeof SilenceRecord>;

/** What a silence is about: null is every camera, or every rule. */
export type Scope = Pick<Silence, "camera_id" | "rule_id">;

/** A match that would raise an alert. */
export interface Subject {
  readonly cameraId: string;
  readonly ruleId: string;
}

/** Whether a silence is about alerts of this rule for this camera. When it holds is another question. */
export function covers({ camera_id, rule_id }: Scope, { cameraId, ruleId }: Subject): boolean {
  return (camera_id === null || camera_id === cameraId) && (rule_id === null || rule_id === ruleId);
}

/**
 * Of silences that all hold now, the one that hides an alert: the one that ends last, since only then the alert could have come. Of those with the
 * same end the oldest, then the one with the smaller id. Undefined when none is about it.
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

/** How long something lasts, by its two largest units: `2 h`, `1 h 30 min`, `45 s`. */
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

/** What a silence is about, in words: `Front door`, `rule "Person at night"`, `Front door, rule "Person at night"`, `everything`. */
export function scopeText({ camera_id, camera_name, rule_id, rule_name }: Named): string {
  const parts = [
    ...(camera_id === null ? [] : [camera_name ?? camera_id]),
    ...(rule_id === null ? [] : [`rule ${JSON.stringify(rule_name ?? rule_id)}`]),
  ];
  return parts.join(", ") || "everything";
}

/** How many alerts, in words. */
export function alertsText(count: number): string {
  return pluralize(count, "alert");
}
