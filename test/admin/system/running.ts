import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../../support/upstream.ts";

/** A daemon's reply: its status and its untyped JSON body. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely in tests
  readonly body: any;
}

/** A database with stand-ins for the services, and the daemons on it. */
export interface Running {
  readonly database: TestDatabase;
  readonly detector: StandIn;
  readonly model: StandIn;
  /** Starts a daemon on the database. */
  start(env?: Readonly<Record<string, string>>): Promise<TestDaemon>;
  close(): Promise<void>;
}

export async function running(): Promise<Running> {
  const [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
  const daemons: TestDaemon[] = [];
  return {
    database,
    detector,
    model,
    start: async (env = {}) => {
      const services = { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url };
      const daemon = await testDaemon({ env: { ...services, RATE_LIMIT_ENABLED: "false", HEALTH_CACHE_TTL_SECONDS: "0", ...env } });
      daemons.push(daemon);
      return daemon;
    },
    close: async () => {
      for (const daemon of daemons) await daemon.stop();
      await Promise.all([detector.close(), model.close()]);
      await database.close();
    },
  };
}

/** Requests `GET /path`, or another method with an optional JSON body. */
export async function ask(
  daemon: TestDaemon,
  call: string,
  options: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const [method = "GET", path = "/"] = call.split(" ");
  const { body, headers } = options;
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}
