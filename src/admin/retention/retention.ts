import { dayMs } from "../../base/clock/clock.ts";
import type { RiskLevel } from "../../monitoring/events/event.ts";
import type { Sql } from "../../platform/database/database.ts";

/** Periods in days, each for one kind of data. */
export interface Periods {
  readonly events: number;
  readonly originals: number;
  readonly thumbnails: number;
}

/** A rule of a person: how long data of a camera, of a risk level, or of both is kept. Null: RETENTION_DAYS. */
export interface RetentionRule {
  readonly camera_id: string | null;
  readonly risk_level: RiskLevel | null;
  readonly event_days: number | null;
  readonly original_days: number | null;
  readonly thumbnail_days: number | null;
}

/** What one rule, or RETENTION_DAYS, decides: data that started before these times is expired. */
export interface Scope {
  /** Null: of every camera. */
  readonly cameraId: string | null;
  /** Null: of every level, and of events without a score. */
  readonly riskLevel: RiskLevel | null;
  readonly days: Periods;
  readonly before: { readonly [K in keyof Periods]: Date };
}

/** The scopes of a cleanup, the most specific first. The last one applies to everything without a rule. */
export interface Retention {
  readonly scopes: readonly Scope[];
  readonly otherwise: Scope;
}

/** One end for everything, as when the disk is full. */
export function uniformRetention(before: Date): Retention {
  const days = { events: 0, originals: 0, thumbnails: 0 };
  const otherwise = { cameraId: null, riskLevel: null, days, before: { events: before, originals: before, thumbnails: before } };
  return { scopes: [otherwise], otherwise };
}

/** Returns what rules and RETENTION_DAYS decide at a time. A camera with a level comes before a camera, and that before a level. */
export function retentionAt(rules: readonly RetentionRule[], retentionDays: number, now: Date): Retention {
  const rank = ({ camera_id, risk_level }: RetentionRule): number => (camera_id === null ? 0 : 2) + (risk_level === null ? 0 : 1);
  const scope = (rule: Pick<RetentionRule, "camera_id" | "risk_level">, days: Periods): Scope => {
    const ago = (count: number): Date => new Date(now.getTime() - count * dayMs);
    const before = { events: ago(days.events), originals: ago(days.originals), thumbnails: ago(days.thumbnails) };
    return { cameraId: rule.camera_id, riskLevel: rule.risk_level, days, before };
  };
  const otherwise = scope(
    { camera_id: null, risk_level: null },
    { events: retentionDays, originals: retentionDays, thumbnails: retentionDays },
  );
  const scopes = rules.toSorted((one, other) => rank(other) - rank(one)).map((rule) => scope(rule, periodsOf(rule, retentionDays)));
  return { scopes: [...scopes, otherwise], otherwise };
}

/** The periods of a rule. A picture is not kept longer than its event, since its level goes with the event. */
export function periodsOf(rule: RetentionRule, retentionDays: number): Periods {
  const events = rule.event_days ?? retentionDays;
  return {
    events,
    originals: Math.min(rule.original_days ?? retentionDays, events),
    thumbnails: Math.min(rule.thumbnail_days ?? retentionDays, events),
  };
}

/** Which times of the scopes count. `earlyOriginals`: only where rules may delete the picture of an event that stays. */
export type Which = keyof Periods | "earlyOriginals";

const beginning = new Date(0);

function endOf(scope: Scope, which: Which, otherwise: Scope): Date {
  if (which !== "earlyOriginals") return scope.before[which];
  return scope === otherwise ? beginning : scope.before.originals;
}

type Fragment = ReturnType<typeof fragment>;
const fragment = (sql: Sql) => sql``;

/** A case over the scopes for a camera and a level, each an expression of SQL; `level` undefined means without one. */
function caseOf(
  sql: Sql,
  { scopes, otherwise }: Retention,
  { camera, level }: { readonly camera: Fragment; readonly level: Fragment | undefined },
  value: (scope: Scope, index: number) => Fragment,
): Fragment {
  const fitting = scopes.filter((scope) => scope !== otherwise && (level !== undefined || scope.riskLevel === null));
  const last = value(otherwise, scopes.length - 1);
  if (fitting.length === 0) return last;
  const branches = fitting.map((scope) => {
    const isCamera = scope.cameraId === null ? sql`true` : sql`${camera} = ${scope.cameraId}::text`;
    const isLevel = scope.riskLevel === null || level === undefined ? sql`true` : sql`${level} = ${scope.riskLevel}::text`;
    return sql`when ${isCamera} and ${isLevel} then ${value(scope, scopes.indexOf(scope))}`;
  });
  return sql`case ${branches} else ${last} end`;
}

interface Subject {
  readonly camera: Fragment;
  readonly level: Fragment | undefined;
}

/** The end that applies to a camera and a level. */
export function endFor(sql: Sql, retention: Retention, which: Which, subject: Subject): Fragment {
  return caseOf(sql, retention, subject, (scope) => sql`${endOf(scope, which, retention.otherwise)}::timestamptz`);
}

/** The index of the scope that applies to a camera and a level. */
export function scopeFor(sql: Sql, retention: Retention, subject: Subject): Fragment {
  return caseOf(sql, retention, subject, (_, index) => sql`${index}::integer`);
}

/** The latest end of all: what an index finds before the ends of the scopes are compared. */
export function latestEnd({ scopes, otherwise }: Retention, which: Which): Date {
  return new Date(Math.max(...scopes.map((scope) => endOf(scope, which, otherwise).getTime())));
}
