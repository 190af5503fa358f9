import { hostname } from "node:os";
import { deletedTopics, discoveryOf } from "../../src/admin/mqtt/discovery.ts";
import { msUntilChange, type StateSettings, statesOf } from "../../src/admin/mqtt/states.ts";
import { clientIdOf, topicsBelow } from "../../src/admin/mqtt/topics.ts";
import { eventLink } from "../../src/alerting/delivery/links.ts";
import { supportUrl } from "../../src/base/version.ts";
import { MqttResult } from "../../src/contract/mqtt.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import type { RecentEvents } from "../health/recent-events.ts";
import { createLoop, type Worker } from "../workers/loop.ts";
import { CommandRunner } from "./command-runner.ts";
import { EventFeed } from "./event-feed.ts";
import { HomeReader } from "./home-reader.ts";
import { BrokerLink } from "./link.ts";
import { CameraPictures } from "./pictures.ts";
import { MqttSession, type SessionOptions } from "./session.ts";

/** Pause between two looks at the home, so that changes of a moment are published together. */
const restMs = 250;
/** The home is read at least this often: not every change is in the journal. */
const lookEveryMs = 5_000;
/** How often the configuration is read while MQTT is off. */
const offMs = 2_000;

/** Dependencies of the worker. */
export interface MqttParts {
  readonly context: OperationContext;
  readonly recentEvents: Pick<RecentEvents, "setCondition">;
  readonly version: string;
}

/**
 * Creates the worker that publishes the home over MQTT and carries out commands, once MQTT_URL is set. It compares what the broker has with
 * the database, so that whatever is missed or lost meanwhile is right after the next look. Nothing waits for it.
 */
export function createMqttWorker(parts: MqttParts): Worker {
  const mqtt = new MqttPublisher(parts, () => loop.wake());
  const loop = createLoop({
    name: "mqtt",
    critical: false,
    log: parts.context.log.child({ worker: "mqtt" }),
    restMs,
    round: (signal) => mqtt.round(signal),
    message: () => mqtt.fault,
  });
  return {
    ...loop,
    stop: async () => {
      const stopped = loop.stop();
      await mqtt.close();
      await stopped;
      // A connection that was made meanwhile
      await mqtt.close();
    },
  };
}

/** Settings of a connection, without what differs between connections. */
type Settings = Pick<SessionOptions, "url" | "username" | "password" | "prefix" | "discoveryPrefix" | "clientId">;

class MqttPublisher {
  readonly #context: OperationContext;
  readonly #version: string;
  readonly #supportUrl = supportUrl();
  readonly #wake: () => void;
  readonly #link: BrokerLink<MqttSession>;
  readonly #runner: CommandRunner;
  readonly #pictures: CameraPictures;
  readonly #feed: EventFeed;
  readonly #home: HomeReader;
  #settings: Settings | undefined;

  constructor({ context, recentEvents, version }: MqttParts, wake: () => void) {
    const log = context.log.child({ worker: "mqtt" });
    this.#context = context;
    this.#version = version;
    this.#wake = wake;
    this.#link = new BrokerLink({ log, clock: context.clock, recentEvents, part: { service: "mqtt", what: "MQTT" }, onEnd: wake });
    this.#runner = new CommandRunner(context, log);
    this.#pictures = new CameraPictures(context);
    this.#feed = new EventFeed({ db: context.db, log, onEvents: wake });
    this.#home = new HomeReader(context);
  }

  /** Why there is no connection; null while there is one, or none is wanted. */
  get fault(): string | null {
    return this.#link.fault;
  }

  /** Connects if needed, publishes what changed, and returns the milliseconds until something else is due. */
  async round(signal: AbortSignal): Promise<number> {
    const wanted = this.#wantedSettings();
    if (!isSame(wanted, this.#settings)) {
      await this.close();
      this.#settings = wanted;
    }
    if (!wanted) return offMs;
    await this.#feed.start();
    const session = this.#link.session ?? (await this.#connect(wanted, signal));
    if (!session) return Math.min(this.#link.msUntilRetry(), offMs);
    try {
      return await this.#publish(session, wanted);
    } catch (error) {
      // The end of the connection has its own words. Anything else, such as a database that does not answer, is the loop's.
      if (this.#link.session !== session) return this.#link.msUntilRetry();
      throw error;
    }
  }

  /** Says goodbye to the broker and ends the connection. */
  async close(): Promise<void> {
    await this.#link.close();
    await this.#feed.stop();
    this.#settings = undefined;
  }

  /** The settings as they are now: the configuration files may have changed them. */
  #wantedSettings(): Settings | undefined {
    const { config } = this.#context;
    const { mqttUrl: url, mqttUsername: username, mqttPassword: password, mqttTopicPrefix: prefix, mqttDiscoveryPrefix } = config;
    if (url === undefined) return undefined;
    return {
      ...{ url, username, password, prefix },
      discoveryPrefix: mqttDiscoveryPrefix === "none" ? undefined : mqttDiscoveryPrefix,
      clientId: clientIdOf({ host: hostname(), dataDir: config.dataDir, port: config.port }),
    };
  }

  async #connect(settings: Settings, signal: AbortSignal): Promise<MqttSession | undefined> {
    this.#feed.drop();
    if (this.#link.msUntilRetry() > 0) return undefined;
    const { prefix } = settings;
    const session = await this.#link.connect(settings, () =>
      MqttSession.open({
        ...settings,
        signal,
        onCommand: (message) => this.#runner.take(message, prefix, (topic, fault) => this.#answer(prefix, topic, fault)),
        onChange: this.#wake,
      }),
    );
    if (session) this.#feed.connected();
    return session;
  }

  #answer(prefix: string, topic: string, fault: string | undefined): void {
    const payload = JSON.stringify(MqttResult.encode({ topic, ok: fault === undefined, message: fault ?? null }));
    // Without a connection, the state shows the result
    this.#link.session?.tell({ topic: topicsBelow(prefix).result, payload }).catch(() => undefined);
    this.#wake();
  }

  async #publish(session: MqttSession, { prefix, discoveryPrefix }: Settings): Promise<number> {
    const { clock, config, settings } = this.#context;
    const version = this.#version;
    const occupiedMs = settings.current().batchIdleTimeoutSeconds * 1_000;
    const state: StateSettings = { prefix, version, occupiedMs, linkOf: (eventId) => eventLink(config, eventId) ?? null };
    const now = clock.now();
    const home = await this.#home.read(occupiedMs, now);
    const shown =
      discoveryPrefix === undefined
        ? undefined
        : { prefix, discoveryPrefix, version, supportUrl: this.#supportUrl, pageUrl: config.publicUrl };
    const texts = [...statesOf(home, state, now)].map(([topic, text]) => ({ topic, version: text, content: async () => text }));
    await session.sync({
      discovery: shown === undefined ? new Map() : discoveryOf(home, shown),
      deleted: shown === undefined ? [] : deletedTopics(home, shown),
      states: [...texts, ...this.#pictures.of(home.cameras, prefix)],
      cameraIds: new Set(home.cameras.map(({ id }) => id)),
    });
    await this.#feed.tell((message) => session.tell(message), state);
    return Math.min(
      lookEveryMs,
      msUntilChange(home, state, clock.now()) ?? lookEveryMs,
      this.#pictures.msUntilDue(home.cameras) ?? lookEveryMs,
    );
  }
}

function isSame(one: Settings | undefined, other: Settings | undefined): boolean {
  const keys = ["url", "username", "password", "prefix", "discoveryPrefix", "clientId"] as const;
  if (!one || !other) return one === other;
  return keys.every((key) => one[key] === other[key]);
}
