import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { QueueCounts, QueueName } from "../src/jobs/jobs-repository.ts";
import type { BreakerState, WorkerState } from "../src/system/runtime.ts";

/** What is asked for at each scrape. */
export interface MetricSources {
  readonly version: string;
  /** Undefined while the database does not answer. */
  queues(): Promise<Readonly<Record<QueueName, QueueCounts>> | undefined>;
  workers(): readonly WorkerState[];
  breakers(): readonly BreakerState[];
  pool(): { readonly size: number; readonly checkedout: number };
  websocket(): { readonly connectedClients: number; readonly messagesSent: number; readonly cutSlow: number };
  requests(): { readonly byStatus: Readonly<Record<string, number>> };
  stuckFiles(): number;
}

/** What the pipeline reports as it works. */
export interface Metrics {
  pictureRegistered(count: number): void;
  stageDone(stage: QueueName, seconds: number): void;
  /** Prometheus text. */
  text(): Promise<string>;
}

/** Makes the metrics of one daemon, in a registry of their own. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  new Gauge({ name: "homesec_info", help: "Version of homesec, always 1", labelNames: ["version"], registers }).set(
    { version: sources.version },
    1,
  );
  const pictures = new Counter({ name: "homesec_pictures_total", help: "Files that got an entry in the ledger", registers });
  const stages = new Histogram({
    name: "homesec_stage_duration_seconds",
    help: "Time from claiming a job to its end",
    labelNames: ["stage"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 120],
    registers,
  });
  const answered = new Map<string, number>();
  new Counter({
    name: "homesec_http_requests_total",
    help: "Answered HTTP requests by status; 0 for those that the asker did not wait for",
    labelNames: ["status"],
    registers,
    collect() {
      for (const [status, count] of Object.entries(sources.requests().byStatus)) {
        this.inc({ status }, count - (answered.get(status) ?? 0));
        answered.set(status, count);
      }
    },
  });

  // two gauges are made of one answer
  let asking: ReturnType<MetricSources["queues"]> | undefined;
  const askQueues = (): ReturnType<MetricSources["queues"]> => {
    asking ??= sources.queues().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  new Gauge({
    name: "homesec_queue_jobs",
    help: "Jobs by queue and state",
    labelNames: ["queue", "state"],
    registers,
    async collect() {
      const queues = await askQueues();
      // what is not known is absent, rather than what it was
      this.reset();
      for (const [queue, counts] of Object.entries(queues ?? {})) {
        this.set({ queue, state: "waiting" }, counts.waiting);
        this.set({ queue, state: "deferred" }, counts.deferred);
        this.set({ queue, state: "in_progress" }, counts.inProgress);
        this.set({ queue, state: "dead" }, counts.dead);
      }
    },
  });
  new Gauge({
    name: "homesec_queue_oldest_job_seconds",
    help: "Age of the oldest job that has not ended",
    labelNames: ["queue"],
    registers,
    async collect() {
      const queues = await askQueues();
      this.reset();
      for (const [queue, counts] of Object.entries(queues ?? {})) this.set({ queue }, counts.oldestWaitingSeconds ?? 0);
    },
  });
  new Gauge({
    name: "homesec_database_up",
    help: "1 while the database answers",
    registers,
    async collect() {
      this.set((await askQueues()) ? 1 : 0);
    },
  });
  new Gauge({
    name: "homesec_worker_up",
    help: "1 while the worker runs",
    labelNames: ["worker"],
    registers,
    collect() {
      for (const worker of sources.workers()) this.set({ worker: worker.name }, worker.running ? 1 : 0);
    },
  });
  new Gauge({
    name: "homesec_circuit_breaker_state",
    help: "0 closed, 1 half open, 2 open",
    labelNames: ["service"],
    registers,
    collect() {
      for (const breaker of sources.breakers()) this.set({ service: breaker.name }, { closed: 0, half_open: 1, open: 2 }[breaker.state]);
    },
  });
  new Gauge({
    name: "homesec_database_connections",
    help: "Connections to the database by state",
    labelNames: ["state"],
    registers,
    collect() {
      const pool = sources.pool();
      this.set({ state: "in_use" }, pool.checkedout);
      this.set({ state: "limit" }, pool.size);
    },
  });
  new Gauge({
    name: "homesec_websocket_clients",
    help: "Connected WebSocket clients",
    registers,
    collect() {
      this.set(sources.websocket().connectedClients);
    },
  });
  let sent = 0;
  new Counter({
    name: "homesec_websocket_messages_sent_total",
    help: "Messages sent to WebSocket clients",
    registers,
    collect() {
      const now = sources.websocket().messagesSent;
      this.inc(Math.max(0, now - sent));
      sent = now;
    },
  });
  new Gauge({
    name: "homesec_stuck_files",
    help: "Files that stay incomplete",
    registers,
    collect() {
      this.set(sources.stuckFiles());
    },
  });

  return {
    pictureRegistered: (count) => pictures.inc(count),
    stageDone: (stage, seconds) => stages.observe({ stage }, seconds),
    text: () => registry.metrics(),
  };
}
