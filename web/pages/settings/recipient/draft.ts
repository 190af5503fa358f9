import type { z } from "zod";
import type { ClientRequest } from "../../../../src/contract/client.ts";
import type { severities } from "../../../../src/contract/constants.ts";
import type { Recipient, recipientRoutes } from "../../../../src/contract/routes/recipients.ts";
import type { ScheduleValue } from "../../rules/draft.ts";

/** A recipient as the API returns it. */
export type RecipientRecord = z.output<typeof Recipient>;

/** What the form of a recipient holds: texts as they are typed. */
export interface RecipientDraft {
  readonly name: string;
  /** Names of channels to phones. */
  readonly phones: readonly string[];
  /** Mail addresses, separated by commas or spaces. */
  readonly mails: string;
  /** Empty: at any hour. */
  readonly hours: readonly ScheduleValue[];
  readonly criticalAnytime: boolean;
  readonly severity: (typeof severities)[number];
  /** Ids of the only rules; empty: of all that name the recipient. */
  readonly rules: readonly string[];
  readonly repeatMinutes: string;
  readonly repeatTimes: string;
  /** Empty: no one follows. */
  readonly escalateTo: string;
  readonly escalateMinutes: string;
}

/** The form of a new recipient, with the defaults of homesec. */
export const emptyDraft: RecipientDraft = {
  ...{ name: "", phones: [], mails: "", hours: [], criticalAnytime: true, severity: "low", rules: [] },
  ...{ repeatMinutes: "5", repeatTimes: "6", escalateTo: "", escalateMinutes: "10" },
};

/** Returns the form of a stored recipient. */
export function draftOf(recipient: RecipientRecord): RecipientDraft {
  return {
    name: recipient.name,
    phones: recipient.channels.filter((word) => !word.includes("@")),
    mails: recipient.channels.filter((word) => word.includes("@")).join(", "),
    hours: recipient.hours ?? [],
    criticalAnytime: recipient.critical_anytime,
    severity: recipient.severity,
    rules: recipient.rule_ids ?? [],
    repeatMinutes: String(recipient.repeat_minutes),
    repeatTimes: String(recipient.repeat_times),
    escalateTo: recipient.escalate_to ?? "",
    escalateMinutes: String(recipient.escalate_minutes),
  };
}

/** The times of the first hours that a recipient gets. */
export const usualHours = { days: [], start_time: "07:00", end_time: "22:00" } as const;

/** Returns the body that creates or changes a recipient. */
export function bodyOf(draft: RecipientDraft): ClientRequest<typeof recipientRoutes.createRecipient>["body"] {
  return {
    name: draft.name.trim(),
    channels: [...draft.phones, ...draft.mails.split(/[\s,;]+/).filter(Boolean)],
    hours: draft.hours.length === 0 ? null : [...draft.hours],
    critical_anytime: draft.criticalAnytime,
    severity: draft.severity,
    rule_ids: draft.rules.length === 0 ? null : [...draft.rules],
    repeat_minutes: Number(draft.repeatMinutes),
    repeat_times: Number(draft.repeatTimes),
    escalate_to: draft.escalateTo === "" ? null : draft.escalateTo,
    escalate_minutes: Number(draft.escalateMinutes),
  };
}
