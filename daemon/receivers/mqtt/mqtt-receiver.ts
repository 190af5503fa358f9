import { join } from "node:path";
import { cameraOfPictures, pictureClientId, topicsBelow } from "../../../src/admin/mqtt/topics.ts";
import { within } from "../../../src/base/lifecycle/lifecycle.ts";
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
import { HeldPictures, type StorePicture } from "./held-pictures.ts";

/** How often the configuration is read, and folders that could not be used are tried again. */
const lookEveryMs = 2_000;
/** A folder that takes longer for a picture does not hold up the other cameras. */
const storeTimeoutMs = 10_000;
/** Pictures that were stored last, which count as the same ones when they arrive again. */
const mostRemembered = 1_000;

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
 * which the broker keeps pictures while homesec is away, and acknowledges a picture only when it is stored: in the folder of its camera, or
 * below DATA_DIR while that cannot be used.
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
  let kept: string | null = null;
  const round = async (signal: AbortSignal): Promise<number> => {
    await taker.release();
    if (taker.message !== kept) parts.recentEvents.setCondition("mqtt_receiver", "pictures_kept", taker.message ?? undefined);
    kept = taker.message;
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
  const loop = createLoop({ name: "mqtt_receiver", critical: false, log, round, message: () => link.fault ?? taker.message });
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

/** Stores pictures in the folders of their cameras, or keeps them until these can be used. */
class PictureTaker {
  readonly #parts: MqttReceiverParts;
  readonly #log: Log;
  readonly #held: HeldPictures;
  /** Pictures that this run stored, by folder and content. */
  readonly #stored = new Map<string, Promise<unknown>>();

  constructor(parts: MqttReceiverParts, log: Log) {
    const { dataDir, receiverMaxFileMb } = parts.context.config;
    this.#parts = parts;
    this.#log = log;
    this.#held = new HeldPictures({
      folder: join(dataDir, "mqtt-pictures"),
      mostBytes: receiverMaxFileMb * 1_000_000,
      ...{ store: this.#store, log },
    });
  }

  /** Says which cameras wait for their folders; null: none. */
  get message(): string | null {
    return this.#held.message;
  }

  /** Moves what was kept into the folders that can be used again. */
  async release(): Promise<void> {
    await this.#held.release(this.#parts.logins.cameras(), this.#parts.inbox);
  }

  /**
   * Stores the picture of a message. Resolves to the reason if it is refused. Throws `LeftWithBroker` if it cannot be stored anywhere now, as
   * with a full disk.
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
      await this.#storeOrKeep(camera, payload);
      return undefined;
    } catch (error) {
      if (!(error instanceof DeliveryRefused)) throw error;
      if (error.kind === "temporary") throw new LeftWithBroker(error.message, { cause: error });
      return error.message;
    }
  }

  async #storeOrKeep(camera: DeliveryCamera, payload: Buffer): Promise<void> {
    const name = `mqtt-${this.#parts.context.clock.now().toISOString().replaceAll(/[-:]/g, "")}`;
    if (await this.#held.has(camera.cameraId)) return await this.#held.keep(camera, payload, { name, why: "" });
    try {
      await this.#store(this.#parts.inbox, camera, payload, name);
    } catch (error) {
      if (!(error instanceof DeliveryRefused && error.kind === "temporary")) throw error;
      await this.#held.keep(camera, payload, { name, why: error.message });
    }
  }

  /** Tells whether a picture was stored by this run. Waits for one that is being stored. */
  async #isStored(key: string): Promise<boolean> {
    const storing = this.#stored.get(key);
    if (!storing) return false;
    return await storing.then(
      () => true,
      () => false,
    );
  }

  /** The ledger knows a picture a moment later, and not while the database is away; the broker may send it again before. */
  #remember(key: string, finished: Promise<unknown>): void {
    this.#stored.set(key, finished);
    finished.catch(() => this.#stored.delete(key));
    if (this.#stored.size > mostRemembered) this.#stored.delete(this.#stored.keys().next().value as string);
  }

  /** Stores a picture that is new. The broker sends one again whose acknowledgement it did not get. */
  #store: StorePicture = async (inbox, camera, payload, name) => {
    const { arrivals, logins } = this.#parts;
    const late = new DeliveryRefused("temporary", `The folder of ${camera.cameraName} cannot be used: it does not answer`);
    let isLate = false;
    const store = async (): Promise<void> => {
      const upload = await PictureUpload.begin(inbox, camera);
      try {
        await upload.write(payload);
        const sha256 = upload.end();
        const key = `${camera.folderPath} ${sha256.toString("base64")}`;
        if (await this.#isStored(key)) return;
        if ((await arrivals.sameContent(logins.sharersOf(camera), sha256)) !== undefined || isLate) return;
        const finished = upload.finish(name);
        this.#remember(key, finished);
        await finished;
      } finally {
        await upload.discard();
      }
    };
    try {
      await within(storeTimeoutMs, store, late);
    } finally {
      isLate = true;
    }
  };
}
