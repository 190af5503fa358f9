import { join } from "node:path";
import type { Log } from "../../../src/base/log/log.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type Entity, HomeAssistant } from "../../support/home-assistant.ts";
import type { TestBroker } from "../../support/mqtt-broker.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../../support/upstream.ts";

/** A daemon, a broker and Home Assistant. */
export async function mqttHome(broker: TestBroker, options: { readonly env?: Readonly<Record<string, string>>; readonly log?: Log } = {}) {
  const folder = temporaryFolder("mqtt");
  const [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
  const env = {
    ...{
      DATA_DIR: folder.path,
      DATABASE_URL: database.url,
      DETECTOR_URL: detector.url,
      LANGUAGE_MODEL_URL: model.url,
      MQTT_URL: broker.url,
    },
    ...{ BATCH_WINDOW_SECONDS: "4", BATCH_IDLE_TIMEOUT_SECONDS: "2", PUBLIC_URL: "http://192.168.1.10:8000", ...options.env },
  };
  const start = (): Promise<TestDaemon> => testDaemon({ env, ...(options.log && { log: options.log }) });
  const home = {
    daemon: await start(),
    homeAssistant: new HomeAssistant(broker.url),
    /** Keeps new pictures out of the ledger while `work` runs. */
    withoutLedger: (work: () => Promise<void>): Promise<void> =>
      database.db.transaction(async (sql) => {
        await sql`lock table images in exclusive mode`;
        await work();
      }),
    /** Stops the daemon and starts it again, with the same database. */
    restart: async (): Promise<void> => {
      await home.daemon.stop();
      home.daemon = await start();
    },
    startDaemon: async (): Promise<void> => {
      home.daemon = await start();
    },
    picture: async (camera: string, name: string): Promise<void> => {
      await renameIn(join(home.daemon.cameraRoot, camera, name), await uniqueJpeg());
    },
    call: async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const response = await fetch(`${home.daemon.url}/api${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (response.status === 204 ? undefined : await response.json()) as T;
    },
    /** Waits until an entity has a state. */
    shows: async (id: string, state: string): Promise<Entity> =>
      await eventually(
        () => {
          const entity = home.homeAssistant.entity(id);
          if (entity?.state === state && entity.available) return entity;
          throw new Error(`${id} is ${entity?.state}, available: ${entity?.available}`);
        },
        { what: `${id} ${state}` },
      ),
    stop: async (): Promise<void> => {
      await home.homeAssistant.stop();
      await home.daemon.stop();
      await Promise.all([detector.close(), model.close(), database.close()]);
      await broker.stop();
      await folder.remove();
    },
  };
  return home;
}

export type MqttHome = Awaited<ReturnType<typeof mqttHome>>;
