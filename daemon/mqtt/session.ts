import { hash } from "node:crypto";
import { type DiscoveryConfig, discoveryTopic, type PublishedConfig, readOwnConfig, withRemovals } from "../../src/admin/mqtt/discovery.ts";
import type { EventMessage } from "../../src/admin/mqtt/events.ts";
import { nodeId, type Topics, topicsBelow } from "../../src/admin/mqtt/topics.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import { availability } from "../../src/contract/mqtt.ts";
import { type BrokerConnection, type BrokerMessage, type BrokerOptions, connectBroker } from "../../src/platform/mqtt/broker.ts";
import type { BrokerFault } from "../../src/platform/mqtt/broker-fault.ts";

/** Messages on their way to the broker at the same time; the others are made when their turn comes, so that none pile up. */
const mostInFlight = 8;
/** Time to tell that homesec goes offline at a stop. */
const leaveTimeoutMs = 1_000;
/** Home Assistant sends its birth message to everyone at once; answers are spread over this time. */
const birthDelayMs = { least: 200, most: 3_000 };

/** A retained message to publish. */
export interface Retained {
  readonly topic: string;
  /** Differs if the content does. */
  readonly version: string;
  /** Returns the content; undefined to leave what is there. */
  readonly content: () => Promise<string | Buffer | undefined>;
}

/** The messages that the broker should have. */
export interface Desired {
  /** Discovery messages by topic, the one of the house first. Empty without discovery. */
  readonly discovery: ReadonlyMap<string, DiscoveryConfig>;
  /** Topics of the discovery messages of deleted cameras. Home Assistant may know one that the broker has forgotten. */
  readonly deleted: readonly string[];
  readonly states: readonly Retained[];
  /** Ids of the cameras that exist. */
  readonly cameraIds: ReadonlySet<string>;
}

/** How to connect, and who receives messages. */
export interface SessionOptions extends Pick<BrokerOptions, "url" | "username" | "password" | "clientId" | "signal"> {
  readonly prefix: string;
  /** Undefined without discovery. */
  readonly discoveryPrefix: string | undefined;
  readonly onCommand: (message: BrokerMessage) => void;
  /** Something changed that the next `sync` repairs. */
  readonly onChange: () => void;
}

/**
 * One connection to the broker, from its start to its end. It brings the retained messages of the broker in line with what is true, also
 * those that an earlier run left: cameras that no longer exist, and entities that a new version no longer has.
 */
export class MqttSession {
  readonly #options: SessionOptions;
  readonly #topics: Topics;
  readonly #connection: BrokerConnection;
  /** Versions of what the broker has from this connection, by topic. */
  readonly #published = new Map<string, string>();
  /** Entities of devices as the broker has them, by topic of the discovery message. */
  readonly #devices = new Map<string, PublishedConfig>();
  /** Topics of the devices that this connection has removed. */
  readonly #removed = new Set<string>();
  /** Cameras with retained messages at the broker. */
  readonly #cameras = new Set<string>();
  #birthTimer: NodeJS.Timeout | undefined;
  #isLeaving = false;

  private constructor(options: SessionOptions, connection: BrokerConnection) {
    this.#options = options;
    this.#topics = topicsBelow(options.prefix);
    this.#connection = connection;
  }

  /** Connects and subscribes. Throws `BrokerFault`. */
  static async open(options: SessionOptions): Promise<MqttSession> {
    const topics = topicsBelow(options.prefix);
    let session: MqttSession | undefined;
    const connection = await connectBroker({
      ...options,
      will: { topic: topics.status, payload: availability.offline },
      onMessage: async (message) => {
        if (session) session.#take(message);
      },
    });
    session = new MqttSession(options, connection);
    try {
      await connection.subscribe(session.#filters());
    } catch (error) {
      await connection.close();
      throw error;
    }
    return session;
  }

  /** Resolves when the connection has ended: to the fault, or to undefined after `leave`. */
  get ended(): Promise<BrokerFault | undefined> {
    return this.#connection.ended;
  }

  /** Publishes what differs from what the broker has, and removes what should not be there. Throws `BrokerFault`. */
  async sync({ discovery, deleted, states, cameraIds }: Desired): Promise<void> {
    for (const topic of deleted) if (!this.#removed.has(topic)) await this.#forgetDevice(topic);
    for (const topic of this.#devices.keys()) if (!discovery.has(topic)) await this.#forgetDevice(topic);
    const configs = [...discovery].map(([topic, config]): Retained => {
      const payload = JSON.stringify(withRemovals(config, this.#devices.get(topic)));
      return { topic, version: payload, content: async () => payload };
    });
    const [house, ...others] = configs;
    // The others refer to the house.
    if (house) await this.#publishAll([house]);
    await this.#publishAll(others);
    for (const [topic, config] of discovery) this.#remember(topic, config);
    for (const cameraId of cameraIds) this.#cameras.add(cameraId);
    await this.#publishAll(states);
    for (const cameraId of this.#cameras) if (!cameraIds.has(cameraId)) await this.#forgetCamera(cameraId);
    // Last, so that nothing is shown as available before its state is there.
    await this.#publishAll([{ topic: this.#topics.status, version: availability.online, content: async () => availability.online }]);
  }

  /** Publishes a message once. Throws `BrokerFault` if the broker may not have got it. */
  async tell({ topic, payload }: EventMessage): Promise<void> {
    if (!this.#isLeaving) await this.#connection.publish(topic, payload, { retain: false });
  }

  /** Says that homesec is offline, and ends the connection. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    clearTimeout(this.#birthTimer);
    const goodbye = () => this.#connection.publish(this.#topics.status, availability.offline, { retain: true });
    await within(leaveTimeoutMs, goodbye).catch(() => undefined);
    await this.#connection.close();
  }

  #filters(): readonly string[] {
    const { commands, status, camera } = this.#topics;
    const { discoveryPrefix } = this.#options;
    const own = [...commands, status, camera("+").availability];
    return discoveryPrefix === undefined ? own : [...own, discoveryTopic(discoveryPrefix, "+"), `${discoveryPrefix}/status`];
  }

  #take(message: BrokerMessage): void {
    if (this.#isLeaving) return;
    const { topic, payload, retained } = message;
    const { discoveryPrefix, prefix } = this.#options;
    const base = `${prefix}/camera/`;
    if (topic === this.#topics.status) {
      this.#seeStatus(payload.toString());
    } else if (topic === `${discoveryPrefix}/status`) {
      this.#seeBirth(message);
    } else if (topic.startsWith(base) && topic.endsWith("/availability")) {
      if (retained && payload.length > 0) this.#seeCamera(topic.slice(base.length, -"/availability".length));
    } else if (discoveryPrefix !== undefined && topic.startsWith(`${discoveryPrefix}/device/`)) {
      if (retained) this.#seeDevice(topic, payload.toString());
    } else {
      this.#options.onCommand(message);
    }
  }

  /** The will of an earlier connection, or of another daemon, may come after this one said that it is online. */
  #seeStatus(status: string): void {
    if (status === availability.online) return;
    this.#published.delete(this.#topics.status);
    this.#options.onChange();
  }

  /** Home Assistant has started: it gets all messages again, also if its broker keeps none. */
  #seeBirth({ payload, retained }: BrokerMessage): void {
    if (retained || payload.toString() !== availability.online) return;
    const { least, most } = birthDelayMs;
    const delay = least + Math.random() * (most - least);
    clearTimeout(this.#birthTimer);
    this.#birthTimer = setTimeout(() => {
      this.#published.clear();
      this.#options.onChange();
    }, delay);
  }

  #seeCamera(cameraId: string): void {
    this.#cameras.add(cameraId);
    this.#options.onChange();
  }

  #seeDevice(topic: string, payload: string): void {
    const { prefix, discoveryPrefix = "" } = this.#options;
    if (!topic.startsWith(discoveryTopic(discoveryPrefix, nodeId(prefix)).slice(0, -"/config".length))) return;
    const config = payload === "" ? undefined : readOwnConfig(payload, prefix);
    if (!config) return;
    this.#remember(topic, config);
    this.#options.onChange();
  }

  #remember(topic: string, config: Pick<PublishedConfig, "components">): void {
    const before = this.#devices.get(topic)?.components;
    this.#removed.delete(topic);
    this.#devices.set(topic, { components: { ...before, ...config.components } });
  }

  async #forgetDevice(topic: string): Promise<void> {
    await this.#clear(topic);
    this.#devices.delete(topic);
    this.#removed.add(topic);
  }

  async #forgetCamera(cameraId: string): Promise<void> {
    const { state, picture, availability: own } = this.#topics.camera(cameraId);
    // Last, the topic that a later run looks for when this one ends here.
    for (const topic of [state, picture, own]) await this.#clear(topic);
    this.#cameras.delete(cameraId);
  }

  async #clear(topic: string): Promise<void> {
    if (this.#isLeaving) return;
    await this.#connection.publish(topic, "", { retain: true });
    this.#published.delete(topic);
  }

  async #publishAll(messages: readonly Retained[]): Promise<void> {
    const due = messages.filter(({ topic, version }) => this.#published.get(topic) !== digest(version));
    for (let at = 0; at < due.length; at += mostInFlight) {
      await Promise.all(due.slice(at, at + mostInFlight).map((message) => this.#publish(message)));
    }
  }

  async #publish({ topic, version, content }: Retained): Promise<void> {
    const payload = await content();
    if (this.#isLeaving) return;
    // Before it is sent: what happens meanwhile, such as a birth message, may ask for it again.
    this.#published.set(topic, digest(version));
    if (payload !== undefined) await this.#connection.publish(topic, payload, { retain: true });
  }
}

/** Shortens versions: only their equality matters. */
function digest(version: string): string {
  return version.length <= 40 ? version : hash("sha1", version);
}
