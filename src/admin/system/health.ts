import type { z } from "zod";
import type { DelayedNotifications } from "../../alerting/notifications/delayed-repository.ts";
import { scopeText } from "../../alerting/silences/silence.ts";
import { pluralize } from "../../base/text/format.ts";
import type { WithStatus } from "../../contract/answer.ts";
import type { HealthReply, ServiceHealth } from "../../contract/routes/system-health.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import type { UpstreamState } from "../../work/operations/upstream-state.ts";
import type { Check } from "./checks.ts";
import { currentFindings } from "./findings.ts";

type Health = z.output<typeof HealthReply>;
type Service = z.output<typeof ServiceHealth>;

/** Returns the health of the three kinds of services with the latest changes; status 503 unless everything is healthy. */
export async function currentHealth(context: OperationContext, runtime: Runtime): Promise<Health | WithStatus<Health>> {
  const { overall, database, store, upstreams, workers, lowDisks, silences, delayedNotifications, failingSources, timestamp } =
    await currentFindings(context, runtime);
  const reply: Health = {
    status: overall,
    services: { database: databaseHealth(context, database), store: storeHealth(context, store), ai: aiHealth(upstreams) },
    timestamp,
    // Whatever lowers the overall value besides the three services is listed here, so that it is always explained; so are silences and
    // refused messages, since alerts do not arrive.
    recent_events: [
      ...workers
        .filter(({ running }) => !running)
        .map(({ name, message }) => ({ timestamp, service: name, event_type: "stopped", message: message ?? "does not run" })),
      ...lowDisks.map((message) => ({ timestamp, service: "disk", event_type: "low_space", message })),
      ...silences.map((silence) => {
        const message = `alerts of ${scopeText(silence)} are silenced until ${silence.ends_at.toISOString()}: ${silence.reason}`;
        return { timestamp: silence.created_at, service: "alerts", event_type: "silenced", message };
      }),
      ...delayedNotifications.map((delayed) => ({
        timestamp: delayed.since,
        service: "notifications",
        event_type: "delayed",
        message: delayText(delayed),
      })),
      ...failingSources.map(({ source, fault, since }) => ({
        timestamp: since,
        service: "phones",
        event_type: "answers_unread",
        message: `buttons on phones have no effect (${source}): ${fault}`,
      })),
      ...runtime.recentEvents(),
    ],
  };
  return overall === "healthy" ? reply : { status: 503, reply };
}

function delayText({ channel, count, nextAttemptAt, answer }: DelayedNotifications): string {
  const waits = `${pluralize(count, "notification")} by ${channel} ${count === 1 ? "waits" : "wait"} to be sent`;
  const next = nextAttemptAt === null ? "" : `; next attempt at ${nextAttemptAt.toISOString()}`;
  return `${waits}${answer === null ? "" : `: ${answer}`}${next}`;
}

/** Describes the database, with the counters of its pool. */
export function databaseHealth(context: OperationContext, database: Check<unknown>): Service {
  const { size, overflow, checkedin, checkedout, total_connections } = context.db.pool;
  const details = { pool: { size, overflow, checkedin, checkedout, total_connections }, latency_ms: database.latencyMs };
  return database.ok
    ? { status: "healthy", message: "PostgreSQL answers", details }
    : { status: "unhealthy", message: `PostgreSQL does not answer: ${database.error}`, details };
}

/** Describes the store, with its version. */
export function storeHealth(context: OperationContext, store: Check<string>): Service {
  const { kind } = context.store;
  return store.ok
    ? {
        status: "healthy",
        message: kind === "redis" ? "Redis answers" : "The store is in this process",
        details: { kind, version: store.value },
      }
    : { status: "unhealthy", message: `The store does not answer: ${store.error}`, details: { kind, version: "unknown" } };
}

/** Describes all enabled AI services as one. */
export function aiHealth(upstreams: Check<readonly UpstreamState[]>): Service {
  if (!upstreams.ok) return { status: "unknown", message: `The AI services could not be asked: ${upstreams.error}`, details: {} };
  const details = Object.fromEntries(
    upstreams.value.map(({ name, healthy, starting }) => [name, healthy ? "healthy" : starting ? "starting" : "unhealthy"]),
  );
  const notHealthy = upstreams.value.filter(({ healthy }) => !healthy);
  const notes = upstreams.value.flatMap(({ name, note }) => (note === undefined ? [] : [`; ${name}: ${note}`]));
  if (notHealthy.length === 0) return { status: "healthy", message: `All AI services answer${notes.join("")}`, details };
  const bothDown = ["detector", "language_model"].every((name) => notHealthy.some((service) => service.name === name && !service.starting));
  const message = notHealthy.map(({ name, error }) => `${name}: ${error ?? "not healthy"}`).join("; ");
  return { status: bothDown ? "unhealthy" : "degraded", message, details };
}
