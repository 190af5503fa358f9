import { z } from "zod";
import { allRecipients, channels, severities } from "../constants.ts";
import { routesOf } from "../route.ts";
import { DisplayName, EnumText, Instant, IntBetween, readOnly } from "../values.ts";
import { Schedule, ScheduleInput } from "./rules.ts";

const route = routesOf("recipients");

const RecipientId = z.uuid().meta({ description: "Id of the recipient", example: "6a1f0b52-0c1e-4a55-9a0e-2f6f1b7f0c47" });

const texts = {
  name: "Name; rules name the recipient by it, and `all` means every recipient",
  channels: "Names of channels to phones, and mail addresses",
  hours:
    "Schedules, one of which must hold for messages to be sent at once; null for always. Other messages wait until the next one begins",
  severity: "Lowest severity of the alerts to send (default `low`)",
  rule_ids: "Ids of the rules to hear from; null for every rule that names the recipient",
  critical_anytime: "Whether critical alerts are also sent outside of the hours (default true)",
  repeat_minutes: "Minutes between the repeats of a critical alert that no one has acknowledged (default 5)",
  repeat_times: "Maximum number of repeats; 0 for none (default 6)",
  escalate_to: "Name of the recipient to notify when no one has acknowledged an alert in time; null for none",
  escalate_minutes: "Minutes until then (default 10)",
  enabled: "Whether messages are sent (default true)",
  held_alerts: "Number of open alerts that are held back until the hours begin",
  held_until: "When the hours begin and one message lists them; null without such alerts",
} as const;

/** A recipient as clients receive it. */
export const Recipient = z
  .object({
    id: RecipientId,
    name: z.string().meta({ description: texts.name, example: "Anna" }),
    channels: z.array(z.string()).meta({ description: texts.channels }),
    hours: z.array(Schedule).nullable().meta({ description: texts.hours }),
    severity: z.enum(severities).meta({ description: texts.severity, example: "low" }),
    rule_ids: z.array(z.uuid()).nullable().meta({ description: texts.rule_ids }),
    critical_anytime: z.boolean().meta({ description: texts.critical_anytime, example: true }),
    repeat_minutes: z.int().meta({ description: texts.repeat_minutes, example: 5 }),
    repeat_times: z.int().meta({ description: texts.repeat_times, example: 6 }),
    escalate_to: z.string().nullable().meta({ description: texts.escalate_to, example: "Ben" }),
    escalate_minutes: z.int().meta({ description: texts.escalate_minutes, example: 10 }),
    enabled: z.boolean().meta({ description: texts.enabled, example: true }),
    held_alerts: z.int().meta({ description: texts.held_alerts, example: 2 }),
    held_until: Instant.nullable().meta({ description: texts.held_until }),
    created_at: Instant.meta({ description: "Time of creation" }),
    updated_at: Instant.meta({ description: "Time of the last change" }),
  })
  .meta({
    id: "Recipient",
    description: "A person whom rules can name, with hours and channels",
    example: {
      channels: ["Anna's phone", "anna@example.org"],
      hours: [{ days: [], start_time: "07:00", end_time: "23:00", timezone: "Europe/Berlin" }],
      rule_ids: null,
    },
  });

const reserved: readonly string[] = [...channels, allRecipients];

const writable = {
  name: DisplayName(100)
    .refine(
      (name) => !reserved.includes(name.toLowerCase()) && !name.includes(",") && !name.includes("@"),
      `Must contain no comma or @ and not be ${reserved.slice(0, -1).join(", ")} or ${allRecipients}`,
    )
    .meta({ description: `${texts.name}; different from those of other recipients and of channels` }),
  channels: z.array(z.string().min(1).max(320)).min(1).max(20).meta({ description: texts.channels }),
  hours: z.array(ScheduleInput).max(20).nullable().meta({ description: texts.hours }),
  severity: EnumText(severities).meta({ description: texts.severity }),
  rule_ids: z.array(z.uuid()).max(1000).nullable().meta({ description: texts.rule_ids }),
  critical_anytime: z.boolean().meta({ description: texts.critical_anytime }),
  repeat_minutes: IntBetween(1, 1440).meta({ description: texts.repeat_minutes }),
  repeat_times: IntBetween(0, 100).meta({ description: texts.repeat_times }),
  escalate_to: z.string().max(100).nullable().meta({ description: texts.escalate_to }),
  escalate_minutes: IntBetween(1, 1440).meta({ description: texts.escalate_minutes }),
  enabled: z.boolean().meta({ description: texts.enabled }),
};
const { name, channels: channelWords, ...others } = writable;

const params = z.object({ id: z.string().meta({ description: "Id of a recipient, a UUID" }) });
const noSuchRecipient = "No recipient has this id";
const nameTaken = "A recipient or a channel has this name already";

export const recipientRoutes = {
  listRecipients: route.get("/api/recipients", "List the recipients by name", {
    reply: z.object({ recipients: z.array(Recipient).meta({ description: "All recipients" }) }),
  }),
  createRecipient: route.post("/api/recipients", "Create a recipient; omitted fields get their defaults", {
    body: z.strictObject({ name, channels: channelWords, ...z.object(others).partial().shape }),
    status: 201,
    reply: Recipient,
    refusals: { 409: nameTaken },
    example: {
      body: {
        name: "Anna",
        channels: ["anna@example.org"],
        hours: [{ start_time: "07:00", end_time: "23:00", timezone: "Europe/Berlin" }],
      },
    },
  }),
  getRecipient: route.get("/api/recipients/{id}", "Get a recipient", { params, reply: Recipient, refusals: { 404: noSuchRecipient } }),
  updateRecipient: route.patch("/api/recipients/{id}", "Update a recipient; omitted fields keep their values", {
    params,
    body: z.strictObject({
      ...z.object(writable).partial().shape,
      ...readOnly(Recipient, Object.keys(writable) as (keyof typeof writable)[]),
    }),
    reply: Recipient,
    refusals: { 404: noSuchRecipient, 409: `${nameTaken}, or a rule names the recipient` },
    example: { body: { severity: "high" }, reply: { severity: "high" } },
  }),
  deleteRecipient: route.delete("/api/recipients/{id}", "Delete a recipient; what was held back is not sent", {
    params,
    status: 204,
    refusals: { 404: noSuchRecipient, 409: "A rule names the recipient" },
  }),
};
