import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { connectBroker } from "../../../src/platform/mqtt/broker.ts";
import { collectGarbage } from "../../support/garbage.ts";
import { aedesBroker, mosquittoBroker, mosquittoInstalled } from "../../support/mqtt-broker.ts";

/** Pictures that are published; `npm run mqtt` publishes an hour's of one each second. */
const pictures = Number(process.env["MQTT_PICTURES_SOAK"] ?? 400);
const pictureBytes = 30_000;

async function usedBytes(): Promise<number> {
  for (let time = 0; time < 4; time += 1) {
    collectGarbage();
    // The memory of buffers is freed in the background
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

describe("MQTT memory", () => {
  it(
    "MQTT memory: pictures that were published leave nothing behind",
    async () => {
      const broker = await (mosquittoInstalled ? mosquittoBroker() : aedesBroker());
      const connection = await connectBroker({ url: broker.url, clientId: "soak", onMessage: async () => {} });
      const publish = async (count: number): Promise<void> => {
        for (let at = 0; at < count; at += 1) await connection.publish("soak/picture", randomBytes(pictureBytes), { retain: true });
      };
      await publish(100);
      const before = await usedBytes();
      await publish(pictures);
      const grown = (await usedBytes()) - before;
      process.stderr.write(`MQTT memory: ${(grown / 1e6).toFixed(2)} MB more after ${pictures} pictures of 30 kB\n`);
      await connection.close();
      await broker.stop();
      // A tenth of the pictures
      expect(grown).toBeLessThan(Math.min(4_000_000, (pictures * pictureBytes) / 3));
    },
    60_000 + pictures * 100,
  );
});
