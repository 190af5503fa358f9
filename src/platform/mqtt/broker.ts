import { isIP } from "node:net";
import { connect, type IClientOptions, type MqttClient } from "mqtt";
import { within } from "../../base/lifecycle/lifecycle.ts";
import { BrokerFault, brokerFault } from "./broker-fault.ts";

/** A broker that does not answer CONNECT for this long is not used. */
const connectTimeoutMs = 10_000;
/** Without an acknowledgement for this long, the connection ends: the broker hangs, or a packet was lost. */
const answerTimeoutMs = 30_000;
/** Interval of pings. A broker publishes the will after one and a half of it without a sign of life. */
const keepAliveSeconds = 30;
/** Time for a clean end of the connection. */
const closeTimeoutMs = 1_000;

/** Where the broker is, and as whom to connect. */
export interface BrokerAddress {
  /** `mqtt://host`, `mqtts://host:port`, possibly with user name and password. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** A message from the broker. */
export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** The broker kept it from before: it is not new. */
  readonly retained: boolean;
}

/** One connection to a broker. It does not reconnect: the caller opens another one and publishes the state of that time. */
export interface BrokerConnection {
  /**
   * Publishes with QoS 1. Resolves once the broker has acknowledged it. Throws `BrokerFault` if the connection ends before that, or if no
   * acknowledgement comes within 30 s, which ends the connection.
   */
  publish(topic: string, payload: string | Buffer, options: { readonly retain: boolean }): Promise<void>;
  /** Subscribes with QoS 1. Throws `BrokerFault` as `publish` does, and if the broker refuses a filter. */
  subscribe(filters: readonly string[]): Promise<void>;
  /** Removes subscriptions. Throws `BrokerFault` as `publish` does. */
  unsubscribe(filters: readonly string[]): Promise<void>;
  /** Resolves when the connection has ended: to the fault, or to undefined after `close`. Never rejects. */
  readonly ended: Promise<BrokerFault | undefined>;
  /** Ends the connection. The broker does not publish the will. */
  close(): Promise<void>;
  /** Ends the connection as a crash would: the broker publishes the will. */
  destroy(): void;
}

/** What to connect with. */
export interface BrokerOptions extends BrokerAddress {
  readonly clientId: string;
  /** Published by the broker, retained, when the connection breaks. */
  readonly will?: { readonly topic: string; readonly payload: string };
  /**
   * Receives each message. The broker gets the acknowledgement, and the connection reads on, once the promise resolves. A rejection ends
   * the connection without an acknowledgement.
   */
  readonly onMessage: (message: BrokerMessage) => Promise<void>;
  /** The broker keeps the subscriptions and what it could not deliver until the client is back. Without it, the client only gets what is new. */
  readonly keepSession?: boolean;
  /** Ends an attempt to connect. */
  readonly signal?: AbortSignal;
}

/** Returns host and port of a broker, without user name and password. */
export function placeOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "mqtts:" ? "8883" : "1883")}`;
}

/** Connects to a broker. Throws `BrokerFault` if that is not possible. */
export async function connectBroker(options: BrokerOptions): Promise<BrokerConnection> {
  const place = placeOf(options.url);
  const client = connect(clientOptions(options));
  const connection = new Connection(client, place, options.onMessage);
  const end = (): void => connection.destroy();
  options.signal?.addEventListener("abort", end, { once: true });
  if (options.signal?.aborted) end();
  try {
    await connection.established();
  } finally {
    options.signal?.removeEventListener("abort", end);
  }
  return connection;
}

function clientOptions({ url, username, password, clientId, will, keepSession = false }: BrokerOptions): IClientOptions {
  const { protocol, hostname, port, username: user, password: word } = new URL(url);
  const isTls = protocol === "mqtts:";
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const login = {
    username: user === "" ? username : decodeURIComponent(user),
    password: word === "" ? password : decodeURIComponent(word),
  };
  return {
    protocol: isTls ? "mqtts" : "mqtt",
    host,
    port: port === "" ? (isTls ? 8883 : 1883) : Number(port),
    ...(isTls && isIP(host) === 0 && { servername: host }),
    ...(login.username !== undefined && { username: login.username }),
    ...(login.username !== undefined && login.password !== undefined && { password: login.password }),
    clientId,
    protocolVersion: 4,
    // A kept session would deliver old commands after a restart.
    clean: !keepSession,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    connectTimeout: connectTimeoutMs,
    keepalive: keepAliveSeconds,
    timerVariant: "native",
    ...(will && { will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true } }),
  };
}

class Connection implements BrokerConnection {
  readonly ended: Promise<BrokerFault | undefined>;
  readonly #client: MqttClient;
  readonly #place: string;
  #fault: BrokerFault | undefined;
  #isClosing = false;
  #isOver = false;
  readonly #waiting = new Set<() => void>();
  #end: (fault: BrokerFault | undefined) => void = () => {};

  constructor(client: MqttClient, place: string, onMessage: BrokerOptions["onMessage"]) {
    this.#client = client;
    this.#place = place;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    // A second error, such as one of the socket after a refusal, says less than the first.
    client.on("error", (error) => {
      this.#fault ??= brokerFault(place, error);
    });
    client.on("close", () => {
      this.#isOver = true;
      if (!this.#isClosing) this.#fault ??= new BrokerFault(`MQTT broker ${place}: it closed the connection`);
      for (const onEnd of this.#waiting) onEnd();
      this.#end(this.#isClosing ? undefined : this.#fault);
    });
    client.handleMessage = ({ topic, payload, retain }, done) => {
      onMessage({ topic, payload: typeof payload === "string" ? Buffer.from(payload) : payload, retained: retain }).then(
        () => done(),
        (error: unknown) => {
          this.#fault ??= brokerFault(place, error);
          this.destroy();
        },
      );
    };
  }

  /** Waits until the broker has accepted the connection. */
  async established(): Promise<void> {
    const connected = new Promise<true>((resolve) => this.#client.once("connect", () => resolve(true)));
    const first = await Promise.race([connected, this.ended]);
    if (first === true) return;
    this.destroy();
    throw first ?? new BrokerFault(`MQTT broker ${this.#place}: it closed the connection`);
  }

  async publish(topic: string, payload: string | Buffer, { retain }: { readonly retain: boolean }): Promise<void> {
    await this.#answered(() => this.#client.publishAsync(topic, payload, { qos: 1, retain }));
  }

  async subscribe(filters: readonly string[]): Promise<void> {
    const granted = await this.#answered(() => this.#client.subscribeAsync([...filters], { qos: 1 }));
    const refused = granted.filter(({ qos }) => qos === 128).map(({ topic }) => topic);
    if (refused.length > 0)
      throw new BrokerFault(`MQTT broker ${this.#place}: it does not allow to read ${refused.join(", ")}; allow it there`);
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    await this.#answered(() => this.#client.unsubscribeAsync([...filters]));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#client.connected) await within(closeTimeoutMs, () => this.#client.endAsync()).catch(() => undefined);
    this.destroy();
    this.#end(undefined);
  }

  destroy(): void {
    if (!this.#isClosing) this.#fault ??= new BrokerFault(`MQTT broker ${this.#place}: it closed the connection`);
    this.#client.end(true);
    this.#client.stream.destroy();
  }

  /** Waits for the answer of the broker, the end of the connection, or the time limit, whichever is first. */
  async #answered<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw this.#lost();
    let onEnd: (() => void) | undefined;
    // Not a race with `ended`: each race would stay in memory for as long as the connection lasts.
    const lost = new Promise<never>((_, reject) => {
      onEnd = () => reject(this.#lost());
      this.#waiting.add(onEnd);
    });
    try {
      return await within(answerTimeoutMs, () => Promise.race([work(), lost]), new Error("Acknowledgement timeout"));
    } catch (error) {
      this.#fault ??= brokerFault(this.#place, error);
      this.destroy();
      throw this.#fault;
    } finally {
      if (onEnd) this.#waiting.delete(onEnd);
    }
  }

  #lost(): BrokerFault {
    return this.#fault ?? new BrokerFault(`MQTT broker ${this.#place}: the connection is closed`);
  }
}
