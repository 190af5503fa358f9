import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import sharp from "sharp";
import { expect, it } from "vitest";
import { connectBroker } from "../../../src/platform/mqtt/broker.ts";
import { lookAt } from "../../chaos/support/rows.ts";
import { insideReports, residentMb, robustSlopeOf, slopeOf } from "../../soak/measures.ts";
import { serveHomesec } from "../../support/homesec-process.ts";
import { aedesBroker, mosquittoBroker, mosquittoInstalled } from "../../support/mqtt-broker.ts";
import { picturePath, renameIn } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../../support/upstream.ts";

/** Minutes with a picture each second; `npm run mqtt` takes an hour, and the suite has the shorter tests of this folder instead. */
const minutes = Number(process.env["MQTT_MINUTES"] ?? 0);
/** Memory is measured this often within a minute, and the lowest value counts: on a busy machine, pictures in work take some MB. */
const looks = 5;
/** Until then the program compiles what it uses. */
const warmUpMinutes = Math.floor(minutes / 4);
const pictureBytes = 30_000;
/** homesec remembers the last versions of 5,000 files and 20,000 names that were added to a folder; this many files fill both tables. */
const [fillingNames, fillingVersions] = [15_000, 5_000];
const filling = fillingNames + fillingVersions;
const fillingAtOnce = 500;

/** Makes pictures of this size, each with other bytes in a comment, which decoders skip. */
async function pictures(width: number, size: number): Promise<() => Buffer> {
  const bytes = await sharp(picturePath()).resize(width).jpeg({ quality: 60 }).toBuffer();
  return () => {
    const random = randomBytes(size - bytes.length - 4);
    const head = Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 0]);
    head.writeUInt16BE(random.length + 2, 4);
    return Buffer.concat([head, random, bytes.subarray(2)]);
  };
}

/** Fills the tables of known files, which would grow for hours otherwise: many small pictures, then as many of 30 kB as have their versions kept. */
async function fillTables(folder: string, processed: () => Promise<number>): Promise<void> {
  const [small, large] = await Promise.all([pictures(64, 2_000), pictures(480, pictureBytes)]);
  for (let at = 0; at < filling; at += fillingAtOnce) {
    const next = Array.from({ length: fillingAtOnce }, (_, index) => `filling-${String(at + index).padStart(5, "0")}.jpg`);
    for (const name of next) await renameIn(join(folder, name), at < fillingNames ? small() : large());
    await expect.poll(processed, { timeout: 300_000, interval: 500 }).toBe(at + fillingAtOnce);
    process.stderr.write(`MQTT hour: ${at + fillingAtOnce} of ${filling} pictures fill the tables\n`);
  }
}

it.skipIf(minutes === 0)(
  `MQTT: ${minutes} minutes with a picture of 30 kB each second: every picture is stored once, and memory stays flat`,
  async () => {
    const folder = temporaryFolder("mqtt-hour");
    const insideFile = join(folder.path, "inside.ndjson");
    const inside = pathToFileURL(join(import.meta.dirname, "../../soak/inside.mjs")).href;
    const [broker, detector, model, picture] = await Promise.all([
      mosquittoInstalled ? mosquittoBroker() : aedesBroker(),
      detectorStandIn({ delayMs: 5 }),
      languageModelStandIn({ delayMs: 50 }),
      pictures(480, pictureBytes),
    ]);
    const daemon = await serveHomesec({
      ...{ DATA_DIR: folder.path, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, MQTT_URL: broker.url },
      ...{ BATCH_WINDOW_SECONDS: "10", BATCH_IDLE_TIMEOUT_SECONDS: "3", RECEIVER_FILES_PER_MINUTE: "600", LOG_LEVEL: "warn" },
      ...{ NODE_OPTIONS: `--import ${inside}`, SOAK_INSIDE_FILE: insideFile },
    });
    await fetch(`${daemon.url}/api/cameras`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "yard" }),
    });
    const stored = (): Promise<number> =>
      lookAt({ dataDir: folder.path }, async (sql) => {
        const [row] = await sql<[{ count: number }]>`
          select count(*)::integer as count
          from images i
          where i.status = 'processed'
        `;
        return row.count;
      });
    await fillTables(join(folder.path, "cameras", "yard"), stored);
    let shown = 0;
    const onMessage = async (): Promise<void> => {
      shown += 1;
    };
    const client = await connectBroker({ url: broker.url, clientId: "camera", onMessage });
    await client.subscribe(["homesec/camera/yard/picture"]);
    await sleep(3_000);
    const rows: { readonly memoryMb: number; readonly residentMb: number }[] = [];
    const begun = performance.now();
    let sent = 0;
    for (let minute = 0; minute < minutes; minute += 1) {
      const before = insideReports(insideFile).length;
      for (let second = 0; second < 60; second += 1) {
        await client.publish("homesec/camera/yard/picture/set", picture(), { retain: false });
        sent += 1;
        await sleep(Math.max(0, begun + sent * 1000 - performance.now()));
        if (second >= 60 - looks) daemon.kill("SIGUSR2");
      }
      await expect.poll(() => insideReports(insideFile).length, { timeout: 30_000 }).toBeGreaterThan(before);
      const reports = insideReports(insideFile).slice(before);
      const memoryMb = Math.min(...reports.map(({ heapUsed, external }) => heapUsed + external)) / 1024 / 1024;
      rows.push({ memoryMb, residentMb: residentMb(daemon.pid) });
      const { residentMb: rss } = rows.at(-1) as (typeof rows)[number];
      process.stderr.write(`MQTT hour: minute ${minute + 1}: ${sent} pictures, ${memoryMb.toFixed(1)} MB, ${rss.toFixed(0)} MB resident\n`);
    }
    await expect.poll(stored, { timeout: 60_000 }).toBe(filling + sent);
    const counted = rows.slice(warmUpMinutes);
    const perHour = (of: (row: (typeof rows)[number]) => number) => {
      const points = counted.map((row, at) => [at, of(row)] as const);
      // One busy minute must not decide
      return { rise: robustSlopeOf(points) * 60, error: slopeOf(points).error * 60 };
    };
    const [memory, resident] = [perHour(({ memoryMb }) => memoryMb), perHour((row) => row.residentMb)];
    process.stderr.write(
      `MQTT hour: ${sent} pictures in, ${shown} out; ${memory.rise.toFixed(2)} MB an hour (+- ${memory.error.toFixed(2)}) after collection; resident ${resident.rise.toFixed(1)} MB an hour (+- ${resident.error.toFixed(1)})\n`,
    );
    expect(shown).toBeGreaterThan(minutes * 5);
    expect(memory.rise).toBeLessThan(2);
    await client.close();
    daemon.kill("SIGTERM");
    await daemon.exit;
    await Promise.all([broker.stop(), detector.close(), model.close()]);
    await folder.remove();
  },
  (minutes + 60) * 60_000,
);
