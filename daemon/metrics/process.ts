import { Counter, Gauge, type Registry } from "prom-client";
import type { WatcherState, WorkerState } from "../../src/work/operations/runtime.ts";
import type { BreakerState } from "../../src/work/operations/upstream-state.ts";

/** State of the process, read at each scrape. */
export interface ProcessSources {
  readonly version: string;
  workers(): readonly WorkerState[];
  breakers(): readonly BreakerState[];
  pool(): { readonly size: number; readonly checkedout: number };
  websocket(): {
    readonly connectedClients: number;
    readonly messagesSent: number;
    readonly replayed: number;
    readonly cutSlow: number;
  };
  /** Wrong API keys, over HTTP and WebSocket. */
  wrongKeys(): number;
  /** Wrong passwords of cameras, by every way of delivery. */
  wrongPasswords(): number;
  requests(): { readonly byStatus: Readonly<Record<string, number>> };
  watcher(): Pick<WatcherState, "pending" | "stuck">;
}

/** Creates the metrics that are read from the process at each scrape. */
export function registerProcessMetrics(registry: Registry, sources: ProcessSources): void {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => void): void => {
    new Gauge({
      name: `homesec_${name}`,
      help,
      labelNames,
      registers,
      collect() {
        collect(this);
      },
    });
  };
  /** Creates a counter that follows counts kept elsewhere, by the value of its one label, or as a total. */
  const counter = (name: string, help: string, label: string | undefined, counts: () => Readonly<Record<string, number>>): void => {
    const before = new Map<string, number>();
    new Counter({
      name: `homesec_${name}`,
      help,
      labelNames: label === undefined ? [] : [label],
      registers,
      collect() {
        for (const [value, count] of Object.entries(counts())) {
          this.inc(label === undefined ? {} : { [label]: value }, Math.max(0, count - (before.get(value) ?? 0)));
          before.set(value, count);
        }
      },
    });
  };

  gauge("info", "Version of homesec, always 1", ["version"], (each) => each.set({ version: sources.version }, 1));
  gauge("worker_up", "1 while the worker runs", ["worker"], (each) => {
    each.reset();
    for (const { name, running } of sources.workers()) each.set({ worker: name }, running ? 1 : 0);
  });
  gauge("circuit_breaker_state", "0 closed, 1 half open, 2 open", ["service"], (each) => {
    for (const { name, state } of sources.breakers()) each.set({ service: name }, { closed: 0, half_open: 1, open: 2 }[state]);
  });
  gauge(
    "upstream_last_success_timestamp_seconds",
    "Time of the last successful answer of the service; absent before the first",
    ["service"],
    (each) => {
      for (const { name, last_success } of sources.breakers()) if (last_success) each.set({ service: name }, last_success.getTime() / 1000);
    },
  );
  gauge("database_connections", "Database connections by state: in_use, limit", ["state"], (each) => {
    const { size, checkedout } = sources.pool();
    each.set({ state: "in_use" }, checkedout);
    each.set({ state: "limit" }, size);
  });
  gauge("unregistered_files", "Files found that are not in the ledger yet", [], (each) => each.set(sources.watcher().pending));
  gauge("stuck_files", "Files that stay incomplete", [], (each) => each.set(sources.watcher().stuck.length));
  gauge("websocket_clients", "Connected WebSocket clients", [], (each) => each.set(sources.websocket().connectedClients));
  counter("websocket_messages_sent_total", "Messages sent to WebSocket clients", undefined, () => ({
    all: sources.websocket().messagesSent,
  }));
  counter("websocket_messages_replayed_total", "Messages replayed to WebSocket clients that had missed them", undefined, () => ({
    all: sources.websocket().replayed,
  }));
  counter("websocket_clients_cut_total", "Clients cut because they did not read", undefined, () => ({ all: sources.websocket().cutSlow }));
  counter("wrong_api_keys_total", "Wrong API keys, over HTTP and WebSocket", undefined, () => ({ all: sources.wrongKeys() }));
  counter("wrong_camera_passwords_total", "Wrong passwords of cameras, by FTP, mail and HTTP", undefined, () => ({
    all: sources.wrongPasswords(),
  }));
  counter("http_requests_total", "HTTP requests by status; 0 if the client disconnected before the answer", "status", () => ({
    ...sources.requests().byStatus,
  }));
}
