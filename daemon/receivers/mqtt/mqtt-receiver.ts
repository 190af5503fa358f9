import { cameraOfPictures, pictureClientId, topicsBelow } from "../../../src/admin/mqtt/topics.ts";
import type { Log } from "../../../src/base/log/log.ts";
import { MqttResult } from "../../../src/contract/mqtt.ts";
import type { DeliveryCamera } from "../../../src/monitoring/receivers/taker.ts";
import { type BrokerAddress, type BrokerConnection, type BrokerMessage, connectBroker } from "../../../src/platform/mqtt/broker.ts";
import { type BrokerFault, LeftWithBroker } from "../../../src/platform/mqtt/broker-fault.ts";
import type { OperationContext } from "../../../src/work/operations/operation.ts";
import type { RecentEvents } from "../../health/recent-events.ts";
import { BrokerLink } from "../../mqtt/link.ts";
import { createLoop, type Worker } from "../../workers/loop.ts";
import type { ReceiverParts } from "../all-receivers.ts";
import type { Arrivals } from "../arrivals.ts";
import { DeliveryRefused } from "../inbox.ts";
import { PictureUpload } from "../picture-upload.ts";

/** How often the configuration is read. */
const lookEveryMs = 2_000;

/** Dependencies of the worker. */
export interface MqttReceiverParts extends ReceiverParts {
  readonly arrivals: Arrivals;
  readonly context: Pick<OperationContext, "config" | "clock" | "log">;
  readonly recentEvents: Pick<RecentEvents, "setCondition">;
}

/** The broker and the first part of the topics. */
type Settings = BrokerAddress & { readonly prefix: string };

/**
 * Creates the worker that receives pictures over MQTT, at a topic for each camera, once MQTT_URL is set. It has a connection of its own, for
 * which the broker keeps pictures while homesec is away, and acknowledges a picture only when it is stored.
 */
export function createMqttReceiver(parts: MqttReceiverParts): Worker {
  const log = parts.context.log.child({ worker: "mqtt_receiver" });
  const taker = new PictureTaker(parts, log);
  const { clock, config } = parts.context;
  const link = new BrokerLink<Receiving>({
    ...{ log, clock, recentEvents: parts.recentEvents },
    part: { service: "mqtt_receiver", what: "Receiving pictures over MQTT" },
    onEnd: () => loop.wake(),
  });
  let current: Settings | undefined;
  const round = async (signal: AbortSignal): Promise<number> => {
    const wanted = settingsOf(config);
    if (JSON.stringify(wanted) !== JSON.stringify(current)) {
      await link.session?.forget();
      await link.close();
      current = wanted;
    }
    if (!wanted || link.session || link.msUntilRetry() > 0) return lookEveryMs;
    const clientId = pictureClientId(wanted.prefix);
    await link.connect({ url: wanted.url, clientId }, () => Receiving.open({ ...wanted, clientId, signal, taker }));
    return Math.min(lookEveryMs, link.session ? lookEveryMs : link.msUntilRetry());
  };
  const loop = createLoop({ name: "mqtt_receiver", critical: false, log, round, message: () => link.fault });
  return {
    ...loop,
    stop: async () => {
      await loop.stop();
      await link.close();
      current = undefined;
    },
  };
}

function settingsOf(config: OperationContext["config"]): Settings | undefined {
  const { mqttUrl: url, mqttUsername: username, mqttPassword: password, mqttTopicPrefix: prefix } = config;
  return url === undefined ? undefined : { url, username, password, prefix };
}

/** A connection that receives pictures. */
class Receiving {
  readonly #connection: BrokerConnection;
  readonly #filter: string;

  private constructor(connection: BrokerConnection, filter: string) {
    this.#connection = connection;
    this.#filter = filter;
  }

  /** Connects and subscribes. Throws `BrokerFault`. */
  static async open(options: Settings & { readonly clientId: string; readonly signal: AbortSignal; readonly taker: PictureTaker }) {
    const { taker, prefix } = options;
    const topics = topicsBelow(prefix);
    const connection: BrokerConnection = await connectBroker({
      ...options,
      keepSession: true,
      onMessage: async (message) => {
        const refusal = await taker.take(message, prefix);
        if (refusal === undefined) return;
        const payload = JSON.stringify(MqttResult.encode({ topic: message.topic, ok: false, message: refusal }));
        // Not awaited: the acknowledgement comes only after this message is handled
        queueMicrotask(() => connection.publish(topics.result, payload, { retain: false }).catch(() => undefined));
      },
    });
    const filter = topics.camera("+").pictureSet;
    try {
      await connection.subscribe([filter]);
    } catch (error) {
      await connection.close();
      throw error;
    }
    return new Receiving(connection, filter);
  }

  get ended(): Promise<BrokerFault | undefined> {
    return this.#connection.ended;
  }

  /** Tells the broker to keep no more pictures, because no one will fetch them. */
  async forget(): Promise<void> {
    await this.#connection.unsubscribe([this.#filter]).catch(() => undefined);
  }

  async leave(): Promise<void> {
    await this.#connection.close();
  }
}

/** Stores pictures in the folders of their cameras. */
class PictureTaker {
  readonly #parts: MqttReceiverParts;
  readonly #log: Log;

  constructor(parts: MqttReceiverParts, log: Log) {
    this.#parts = parts;
    this.#log = log;
  }

  /**
   * Stores the picture of a message. Resolves to the reason if it is refused. Throws `LeftWithBroker` if it cannot be stored now, as with a
   * full disk.
   */
  async take(message: BrokerMessage, prefix: string): Promise<string | undefined> {
    const cameraId = cameraOfPictures(message.topic, prefix);
    // An empty message is how a retained one is removed
    if (cameraId === undefined || message.payload.length === 0) return undefined;
    const refusal = await this.#refusalOf(message, cameraId);
    if (refusal !== undefined) this.#log.info({ topic: message.topic, why: refusal }, "a picture from MQTT was refused");
    return refusal;
  }

  async #refusalOf({ payload, retained }: BrokerMessage, cameraId: string): Promise<string | undefined> {
    const { logins, guard } = this.#parts;
    if (retained) return "The picture is retained, so it may be old; publish it without retain, and clear the retained one";
    const camera = logins.cameras().find((one) => one.cameraId === cameraId);
    if (!camera) return `No camera has the id ${JSON.stringify(cameraId)}; homesec cameras list shows the ids`;
    if (!guard.mayDeliver({ cameraId, protocol: "mqtt" }))
      return "The camera sends too many files per minute; see RECEIVER_FILES_PER_MINUTE";
    try {
      await this.#store(camera, payload);
      return undefined;
    } catch (error) {
      if (!(error instanceof DeliveryRefused)) throw error;
      if (error.kind === "temporary") throw new LeftWithBroker(error.message, { cause: error });
      return error.message;
    }
  }

  /** Stores a picture that is new. The broker sends one again whose acknowledgement it did not get. */
  async #store(camera: DeliveryCamera, payload: Buffer): Promise<void> {
    const { inbox, arrivals, logins, context } = this.#parts;
    const upload = await PictureUpload.begin(inbox, camera);
    try {
      await upload.write(payload);
      const same = await arrivals.sameContent(logins.sharersOf(camera), upload.end());
      if (same !== undefined) return;
      await upload.finish(`mqtt-${context.clock.now().toISOString().replaceAll(/[-:]/g, "")}`);
    } finally {
      await upload.discard();
    }
  }
}
