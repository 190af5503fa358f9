import { z } from "zod";
import { settleAlert } from "../../alerting/alerts/settle.ts";
import { expiryOf } from "../../alerting/channels/availability.ts";
import { reviveNotifications } from "../../alerting/notifications/sending-repository.ts";
import { retryDeliveries } from "../../alerting/webhooks/deliveries-repository.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { DeadLetter, dlqRoutes } from "../../contract/routes/dlq.ts";
import { awaitAnalyses } from "../../monitoring/events/analysis-repository.ts";
import { resetImages } from "../../monitoring/images/images-repository.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Sql } from "../../platform/database/database.ts";
import { readPage } from "../../platform/database/keyset.ts";
import {
  countDeadJobs,
  countDeadJobsOf,
  type DeadJob,
  listDeadJobs,
  purgeDeadJobs,
  reviveDeadJobs,
} from "../../work/jobs/dead-letters-repository.ts";
import { closedLanes, keepWebhooks } from "../../work/jobs/deliver-repository.ts";
import { type QueueName, queueNames } from "../../work/jobs/jobs-repository.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { deadDeliveries, deadEvents, deadImages, deadNotifications } from "./subjects-repository.ts";

type Letter = z.output<typeof DeadLetter>;

/** Jobs retried per transaction. */
const revivedAtOnce = 500;

/** Queue names of the telemetry, accepted as synonyms. */
const otherNames: Readonly<Record<string, QueueName>> = {
  detection_queue: "detect",
  analysis_queue: "analyze",
  delivery_queue: "deliver",
};

/** The use cases of the dead letters. */
export const dlqOperations: Pick<Operations, keyof typeof dlqRoutes> = {
  getDlqStats: async (_request, { db }) => {
    const counts = await db.query(countDeadJobs);
    const queues = Object.fromEntries(queueNames.map((queue) => [queue, counts.find((row) => row.queue === queue)?.count ?? 0]));
    return { queues, total_count: Object.values(queues).reduce((sum, count) => sum + count, 0) };
  },

  listDeadLetters: async ({ params, query }, { db }) => {
    const queue = queueNamed(params.queue);
    const { job_id: jobId } = query;
    const page = await readPage(db, query, {
      name: `dlq ${queue}`,
      key: z.tuple([z.int()]).readonly(),
      rows: async (sql, slice) => {
        const letters = await lettersOf(sql, queue, await listDeadJobs(sql, queue, { jobId, ...slice }));
        return letters.map((record) => ({ record, key: [record.job_id] as const }));
      },
      count: (sql) => countDeadJobsOf(sql, queue, jobId),
    });
    if (jobId !== undefined && page.pagination.total === 0) throw noSuchLetter(queue, jobId);
    return page;
  },

  requeueDeadLetters: async ({ params, query }, context) => {
    const queue = queueNamed(params.queue);
    const requeued = await requeue(context, queue, query.job_id);
    if (query.job_id !== undefined && requeued === 0) {
      const isThere = (await context.db.query((sql) => countDeadJobsOf(sql, queue, query.job_id))) > 0;
      if (!isThere) throw noSuchLetter(queue, query.job_id);
      throw new Problem("conflict", `The webhook that job ${query.job_id} is for is disabled; enable it first`);
    }
    return { queue, requeued };
  },

  purgeDeadLetters: async ({ params, query }, { db }) => {
    const queue = queueNamed(params.queue);
    const purged = await db.query((sql) => purgeDeadJobs(sql, queue, query.job_id));
    if (query.job_id !== undefined && purged === 0) throw noSuchLetter(queue, query.job_id);
    return { queue, purged };
  },
};

/** Retries the dead letters that exist now; jobs that fail meanwhile stay dead. */
async function requeue({ db, clock, config }: OperationContext, queue: QueueName, jobId: number | undefined): Promise<number> {
  let left = await db.query((sql) => countDeadJobsOf(sql, queue, jobId));
  let requeued = 0;
  while (left > 0) {
    const limit = Math.min(left, revivedAtOnce);
    const revived = await db.transaction(async (sql) => {
      const now = clock.now();
      if (queue === "deliver") await keepWebhooks(sql);
      // A delivery for a disabled webhook would fail again at once.
      const closed = queue === "deliver" ? await closedLanes(sql) : [];
      const subjects = await reviveDeadJobs(sql, queue, { jobId, closed, limit, now });
      const ids = subjects.map(rowOf);
      if (queue === "detect") await resetImages(sql, ids);
      if (queue === "analyze") await awaitAnalyses(sql, ids, now);
      if (queue === "deliver") {
        await retryDeliveries(sql, idsOf("delivery", subjects), now);
        await resendNotifications(sql, idsOf("notification", subjects), config, now);
      }
      return subjects.length;
    });
    if (revived === 0) break;
    requeued += revived;
    left -= revived;
  }
  return requeued;
}

/** Gives notifications the same time as a new alert, and updates their alerts. */
async function resendNotifications(sql: Sql, ids: readonly string[], { alertExpiryHours }: Config, now: Date): Promise<void> {
  const expiresAt = expiryOf({ expiryHours: alertExpiryHours }, now);
  for (const alertId of await reviveNotifications(sql, ids, expiresAt, now)) await settleAlert(sql, alertId, now);
}

async function lettersOf(sql: Sql, queue: QueueName, jobs: readonly DeadJob[]): Promise<readonly Letter[]> {
  const ids = jobs.map(({ subject }) => rowOf(subject));
  const images = new Map((queue === "detect" ? await deadImages(sql, ids) : []).map((image) => [image.image_id, image]));
  const events = new Map(
    (queue === "analyze" || queue === "alert" ? await deadEvents(sql, ids) : []).map((event) => [event.event_id, event]),
  );
  const subjects = jobs.map(({ subject }) => subject);
  const deliveries = await bySubject("delivery", subjects, (ids) => deadDeliveries(sql, ids));
  const notifications = await bySubject("notification", subjects, (ids) => deadNotifications(sql, ids));
  return jobs.map(({ jobId, subject, error, attempts, createdAt }) => {
    const image = images.get(rowOf(subject)) ?? null;
    const event = events.get(rowOf(subject)) ?? null;
    const delivery = deliveries.get(subject) ?? null;
    const notification = notifications.get(subject) ?? null;
    const failed_at = (image ?? event ?? delivery ?? notification)?.failedAt ?? null;
    return { job_id: jobId, queue, subject, error, attempts, created_at: createdAt, failed_at, image, event, delivery, notification };
  });
}

/** Loads the rows behind subjects `KIND:ID` of the queue `deliver`, by subject. */
async function bySubject<T extends { readonly [K in `${Kind}_id`]: string }, Kind extends "delivery" | "notification">(
  kind: Kind,
  subjects: readonly string[],
  find: (ids: readonly string[]) => Promise<readonly T[]>,
): Promise<ReadonlyMap<string, T>> {
  const ids = idsOf(kind, subjects);
  const found = ids.length > 0 ? await find(ids) : [];
  return new Map(found.map((row) => [`${kind}:${row[`${kind}_id`]}`, row]));
}

/** Returns the ids behind `KIND:` among the subjects of the queue `deliver`. */
function idsOf(kind: string, subjects: readonly string[]): readonly string[] {
  return subjects.filter((subject) => subject.startsWith(`${kind}:`)).map((subject) => subject.slice(kind.length + 1));
}

/** Returns the image or event id at the start of a subject. */
function rowOf(subject: string): number {
  return Number.parseInt(subject, 10);
}

function queueNamed(name: string): QueueName {
  const queue = queueNames.find((known) => known === name) ?? (Object.hasOwn(otherNames, name) ? otherNames[name] : undefined);
  if (!queue) throw notFound("Queue", name, `there are ${queueNames.join(", ")}`);
  return queue;
}

function noSuchLetter(queue: QueueName, jobId: number) {
  return notFound("Job", jobId, `it is no dead letter of the queue ${queue}`);
}
