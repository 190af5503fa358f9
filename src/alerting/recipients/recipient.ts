import type { z } from "zod";
import type { Recipient as RecipientRecord } from "../../contract/routes/recipients.ts";

/** A recipient as clients see it. */
export type Recipient = z.output<typeof RecipientRecord>;

/** Everything that a user can set. */
export type RecipientDefinition = Omit<Recipient, "id" | "held_alerts" | "held_until" | "created_at" | "updated_at">;

/** The values of a new recipient, besides its name and channels. */
export const recipientDefaults: Omit<RecipientDefinition, "name" | "channels"> = {
  hours: null,
  severity: "low",
  rule_ids: null,
  critical_anytime: true,
  repeat_minutes: 5,
  repeat_times: 6,
  escalate_to: null,
  escalate_minutes: 10,
  enabled: true,
};

/** Fields as a client sends them; undefined keeps the value. */
export type RecipientChange = {
  readonly [K in Exclude<keyof RecipientDefinition, "hours">]?: RecipientDefinition[K] | undefined;
} & {
  readonly hours?: readonly (Omit<NonNullable<Recipient["hours"]>[number], "days"> & { readonly days: Days | null })[] | null | undefined;
};
type Days = NonNullable<Recipient["hours"]>[number]["days"];

/** Applies changes to a recipient. An empty list of hours or rules removes the limit. */
export function changedRecipient(before: RecipientDefinition, { hours, rule_ids: rules, ...given }: RecipientChange): RecipientDefinition {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {
    ...before,
    ...present,
    ...(hours !== undefined && { hours: hours?.length ? hours.map((schedule) => ({ ...schedule, days: schedule.days ?? [] })) : null }),
    ...(rules !== undefined && { rule_ids: rules?.length ? rules : null }),
  };
}
