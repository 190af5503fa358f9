import { pluralize } from "../../src/base/text/format.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { ago, exactly } from "../output/terminal-format.ts";
import { fieldsOf, type RowView, type View } from "../output/view.ts";

type DeadLetter = ReplyOf<"listDeadLetters">["items"][number];

/** A readable name for the subject of the job. */
function subjectText({ image, event, delivery, notification, subject }: DeadLetter): string {
  if (image) return `${image.camera_id}: ${image.path}`;
  if (notification) {
    const { channel, kind, silence_id, rule_name, camera_id, recipient, alert_count: count } = notification;
    if (count !== null) {
      const about = count > 0 ? `: ${rule_name ?? "several rules"}, ${camera_id ?? "several cameras"}` : "";
      return `${channel}: ${pluralize(count, "alert")} held back for ${recipient}${about}`;
    }
    if (kind === "summary") return `${channel}: daily summary`;
    return `${channel}: ${kind} of ${silence_id ?? `${rule_name}, ${camera_id}`}`;
  }
  if (delivery) return `${delivery.webhook_name}: ${delivery.event_type} ${delivery.event_id}`;
  return event ? `${event.camera_id}: event ${event.event_id}` : subject;
}

export const deadLetterView: View<DeadLetter> = {
  plural: "dead letters",
  fields: fieldsOf("listDeadLetters", "items"),
  id: (letter) => letter.job_id,
  columns: [
    { title: "JOB", align: "right", keep: true, cell: (letter) => ({ text: String(letter.job_id) }) },
    { title: "FAILED", keep: true, cell: (letter, terminal) => ({ text: ago(terminal, letter.failed_at ?? letter.created_at) }) },
    { title: "SUBJECT", cell: (letter) => ({ text: subjectText(letter) }) },
    { title: "ERROR", cell: (letter) => ({ text: letter.error ?? "" }) },
  ],
  details: (letter, terminal) => [
    ["job", { text: `${letter.job_id}`, paint: "bold" }],
    ["queue", { text: letter.queue }],
    ["subject", { text: subjectText(letter) }],
    ["error", { text: letter.error ?? "unknown", paint: "red" }],
    ["attempts", { text: String(letter.attempts) }],
    ["created", { text: exactly(terminal, letter.created_at) }],
    ["failed", { text: exactly(terminal, letter.failed_at) }],
  ],
};

type Stats = { readonly queue: string; readonly count: number };

export const queueView: RowView<Stats> = {
  plural: "queues",
  fields: () => ["queue", "count"],
  id: ({ queue }) => queue,
  columns: [
    { title: "QUEUE", keep: true, cell: ({ queue }) => ({ text: queue }) },
    { title: "DEAD LETTERS", align: "right", cell: ({ count }) => ({ text: String(count), paint: count > 0 ? "red" : "green" }) },
  ],
};

/** The note says it in a table. */
export const requeuedView: View<ReplyOf<"requeueDeadLetters">> = {
  plural: "queues",
  fields: fieldsOf("requeueDeadLetters"),
  id: ({ queue }) => queue,
  columns: [],
  details: () => [],
};

export const purgedView: View<ReplyOf<"purgeDeadLetters">> = {
  plural: "queues",
  fields: fieldsOf("purgeDeadLetters"),
  id: ({ queue }) => queue,
  columns: [],
  details: () => [],
};
