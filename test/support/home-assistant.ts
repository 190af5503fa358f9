import nunjucks from "nunjucks";
import { type BrokerConnection, type BrokerMessage, connectBroker } from "../../src/platform/mqtt/broker.ts";
import { type Component, discoveryFaults } from "./home-assistant-schemas.ts";

/** A home assistant's Jinja, as far as the templates of homesec use it. */
const jinja = new nunjucks.Environment(null, { autoescape: false });
jinja.addFilter("tojson", (value: unknown) => JSON.stringify(value));

/** An entity as a person sees it. */
export interface Entity {
  readonly id: string;
  readonly deviceId: string;
  readonly config: Component;
  readonly available: boolean;
  /** The last message through the state template; undefined before the first. */
  readonly state: string | undefined;
}

/**
 * Stands in for the MQTT integration of Home Assistant: devices by discovery, availability, states, events, images and birth message, as its
 * published code handles them. The real one cannot be installed for the tests.
 */
export class HomeAssistant {
  readonly #url: string;
  readonly #configs = new Map<
    string,
    { readonly entities: ReadonlyMap<string, Component>; readonly deviceId: string; readonly name: string }
  >();
  readonly #last = new Map<string, BrokerMessage>();
  readonly #subscribed = new Set<string>();
  #connection: BrokerConnection | undefined;
  #queue: Promise<void> = Promise.resolve();
  /** Faults of discovery messages. */
  readonly faults: string[] = [];
  /** Events that reached an event entity, in order. */
  readonly events: { readonly topic: string; readonly data: Record<string, unknown> }[] = [];
  /** Answers of homesec to commands. */
  readonly results: Record<string, unknown>[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  /** Connects, listens for discovery and says that it is there, as after a restart. Tries until the broker is there. */
  async start(): Promise<void> {
    for (;;) {
      try {
        const connection = await connectBroker({
          url: this.#url,
          clientId: `home-assistant-${Math.random()}`,
          will: { topic: "homeassistant/status", payload: "offline" },
          onMessage: async (message) => this.#take(message),
        });
        this.#connection = connection;
        connection.ended.then((fault) => {
          // A lost connection is made again; the entities stay.
          if (fault && this.#connection === connection) void this.#again();
        });
        await connection.subscribe(["homeassistant/+/+/config", "homesec/result", ...this.#subscribed]);
        await connection.publish("homeassistant/status", "online", { retain: false });
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async #again(): Promise<void> {
    await this.start();
  }

  /** Stops and forgets everything: it knows only what the broker has kept after the next start. */
  async stop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.publish("homeassistant/status", "offline", { retain: false }).catch(() => undefined);
    await connection?.close();
    this.#configs.clear();
    this.#last.clear();
    this.#subscribed.clear();
  }

  async publish(topic: string, payload: string | Buffer, retain = false): Promise<void> {
    await this.#connection?.publish(topic, payload, { retain });
  }

  /** Presses what a person would: the command topic of an entity with one of its payloads. */
  async command(id: string, payload: string): Promise<void> {
    const topic = this.entity(id)?.config["command_topic"];
    if (typeof topic !== "string") throw new Error(`${id} takes no commands`);
    await this.publish(topic, payload);
  }

  /** Names of the devices, in order. */
  devices(): readonly string[] {
    return [...this.#configs.values()].map(({ name }) => name).toSorted();
  }

  entities(): readonly Entity[] {
    return [...this.#configs.values()].flatMap(({ deviceId, entities }) =>
      [...entities.values()].map((config) => this.#entityOf(deviceId, config)),
    );
  }

  /** Finds an entity by its id, such as `binary_sensor.homesec_camera_yard_occupancy`. */
  entity(id: string): Entity | undefined {
    return this.entities().find((entity) => entity.id === id);
  }

  stateOf(id: string): string | undefined {
    return this.entity(id)?.state;
  }

  /** The picture of an image entity. */
  picture(id: string): Buffer | undefined {
    return this.#last.get(String(this.entity(id)?.config["image_topic"]))?.payload;
  }

  #entityOf(deviceId: string, config: Component): Entity {
    const topics = (config["availability"] as readonly { readonly topic: string }[]).map(({ topic }) => topic);
    const available = topics.every((topic) => this.#last.get(topic)?.payload.toString() === "online");
    const stateTopic = String(config["state_topic"]);
    const payload = ["event", "image", "button"].includes(config.platform) ? undefined : this.#last.get(stateTopic)?.payload.toString();
    const state = payload === undefined ? undefined : render(String(config["value_template"] ?? "{{ value }}"), payload);
    return { id: String(config["default_entity_id"]), deviceId, config, available, state };
  }

  #take(message: BrokerMessage): void {
    const { topic, payload } = message;
    if (topic === "homesec/result") {
      this.results.push(JSON.parse(payload.toString()) as Record<string, unknown>);
      return;
    }
    if (topic.startsWith("homeassistant/") && topic.endsWith("/config")) {
      this.#discover(topic, payload.toString());
      return;
    }
    this.#last.set(topic, message);
    // Event entities ignore retained messages
    if (message.retained || payload.length === 0) return;
    for (const { config } of this.entities()) {
      if (config.platform !== "event" || config["state_topic"] !== topic) continue;
      const data = JSON.parse(payload.toString()) as Record<string, unknown>;
      if (!(config["event_types"] as readonly unknown[]).includes(data["event_type"]))
        this.faults.push(`${topic}: unknown event ${String(data["event_type"])}`);
      else this.events.push({ topic, data });
    }
  }

  #discover(topic: string, payload: string): void {
    if (payload === "") {
      this.#configs.delete(topic);
      return;
    }
    const config = JSON.parse(payload) as Record<string, unknown>;
    this.faults.push(...discoveryFaults(topic, config).map((fault) => `${topic}: ${fault}`));
    const { components, device, availability, state_topic } = config as {
      components: Record<string, Component>;
      device: { identifiers: readonly string[]; name: string };
      availability: unknown;
      state_topic: string;
    };
    const entities = new Map(this.#configs.get(topic)?.entities);
    for (const [key, component] of Object.entries(components)) {
      // With its platform only, an entity is removed; entities that a message does not name stay
      if (Object.keys(component).length === 1) entities.delete(key);
      else entities.set(key, { availability, state_topic, ...component });
    }
    this.#configs.set(topic, { entities, deviceId: device.identifiers[0] as string, name: device.name });
    this.#listen([...entities.values()].flatMap(topicsOf));
  }

  #listen(topics: readonly string[]): void {
    const fresh = topics.filter((topic) => !this.#subscribed.has(topic));
    for (const topic of fresh) this.#subscribed.add(topic);
    if (fresh.length === 0) return;
    // Later: an acknowledgement cannot be waited for while a message is handled.
    this.#queue = this.#queue.then(() => this.#connection?.subscribe([...new Set(fresh)])).catch(() => undefined);
  }
}

function topicsOf(config: Component): readonly string[] {
  const availability = (config["availability"] as readonly { readonly topic: string }[]).map(({ topic }) => topic);
  return [config["state_topic"], config["image_topic"], config["json_attributes_topic"], ...availability].filter(
    (topic): topic is string => typeof topic === "string",
  );
}

function render(template: string, payload: string): string {
  const value = payload.startsWith("{") ? (JSON.parse(payload) as unknown) : undefined;
  const path = /^\{\{ value_json\.(\w+) \}\}$/.exec(template)?.[1];
  // Jinja writes None where nunjucks writes nothing
  if (path !== undefined && (value as Record<string, unknown>)[path] === null) return "None";
  return jinja.renderString(template, { value: payload, value_json: value });
}
