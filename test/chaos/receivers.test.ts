import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { FtpClient } from "../daemon/receivers/ftp-client.ts";
import type { Chance } from "../support/chance.ts";
import { freePort } from "../support/free-port.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { littlePictures } from "./support/little-pictures.ts";
import { report } from "./support/report.ts";
import { isLong, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { create } from "./support/send.ts";

const uploads = scale("CHAOS_DELIVERIES", { short: 0, long: 20_000 });
const kills = scale("CHAOS_DELIVERY_KILLS", { short: 0, long: 50 });
const cameras = ["front", "back"];
const chance = chanceOf("receivers");
const folder = temporaryFolder("receivers");
afterAll(() => folder.remove());

/** `acknowledged`: it must be there once. `cut`: it must not be there. `doubtful`: all of it was sent, but no answer came. */
type Fate = "away" | "acknowledged" | "cut" | "doubtful";

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Uploads one picture over a separate connection. */
async function deliver(
  port: number,
  login: { readonly name: string; readonly password: string },
  picture: Buffer,
  number: number,
  own: Chance,
): Promise<Fate> {
  const client = new FtpClient(port);
  let fate: Fate = "away";
  try {
    await client.login(login.name, login.password);
    fate = "cut";
    const isTemporary = own.below(3) === 0;
    const name = `${number}.jpg`;
    const data = await client.passive();
    if (!(await client.ask(`STOR ${name}${isTemporary ? ".tmp" : ""}`)).startsWith("150")) return "cut";
    if (own.below(4) === 0) {
      data.write(picture.subarray(0, own.below(picture.length)));
      await sleep(own.below(5));
      data.resetAndDestroy();
      await client.reply();
      return "cut";
    }
    fate = "doubtful";
    data.end(picture);
    if (!(await client.reply()).startsWith("226")) return "doubtful";
    fate = "acknowledged";
    // some cameras vanish before they rename
    if (isTemporary && own.below(2) === 0) {
      await client.ask(`RNFR ${name}.tmp`);
      await client.ask(`RNTO ${name}`);
    }
    return fate;
  } catch {
    return fate;
  } finally {
    client.socket.resetAndDestroy();
  }
}

test.skipIf(!isLong)(
  `chaos: ${uploads} FTP uploads with cuts and ${kills} kill -9: acknowledged pictures are there once, others not`,
  {
    timeout: 7_200_000,
  },
  async () => {
    const [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
    const port = await freePort();
    const env = {
      ...{ DATA_DIR: folder.path, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, PORT: String(await freePort()) },
      ...{ RECEIVER_HOST: "127.0.0.1", FTP_PORT: String(port), FTP_PASSIVE_PORTS: "0", RECEIVER_FILES_PER_MINUTE: "1000000" },
    };
    await mkdir(join(folder.path, "cameras"), { recursive: true });
    let daemon: HomesecProcess & { readonly url: string } = await serveHomesec(env);
    const logins: { readonly name: string; readonly password: string }[] = [];
    for (const name of cameras) {
      await create(`${daemon.url}/api/cameras`, { camera_id: name, name });
      const response = await fetch(`${daemon.url}/api/cameras/${name}/logins/ftp`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      const { settings } = (await response.json()) as { settings: { password: string } };
      logins.push({ name, password: settings.password });
    }
    const pictureOf = await littlePictures();
    const fates = new Map<number, Fate>();
    let next = 0;
    const hand = async (): Promise<void> => {
      while (next < uploads) {
        const number = next++;
        const login = logins[number % logins.length] as (typeof logins)[number];
        let fate = await deliver(port, login, pictureOf(number), number, chance.of(number));
        // the receiver is away while the daemon starts
        for (; fate === "away"; fate = await deliver(port, login, pictureOf(number), number, chance.of(number))) await sleep(100);
        fates.set(number, fate);
      }
    };
    const hands = Promise.all(Array.from({ length: 6 }, hand));
    let killed = 0;
    while (next < uploads) {
      await sleep(chance.between(500, 3_000));
      if (killed >= kills || next >= uploads) continue;
      daemon.kill("SIGKILL");
      await daemon.exit;
      daemon = await serveHomesec(env);
      killed += 1;
    }
    await hands;
    daemon.kill("SIGKILL");
    await daemon.exit;
    daemon = await serveHomesec(env);
    await sleep(2_000);

    const known = new Set(Array.from({ length: uploads }, (_, number) => hashOf(pictureOf(number))));
    const counts = new Map<string, number>();
    const left: string[] = [];
    for (const name of cameras) {
      for (const entry of await readdir(join(folder.path, "cameras", name), { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isDirectory()) continue;
        if (path.includes(".homesec-uploads")) left.push(path);
        const hash = createHash("sha256")
          .update(await readFile(path))
          .digest("hex");
        if (!known.has(hash)) left.push(`${path} is no whole picture`);
        counts.set(hash, (counts.get(hash) ?? 0) + 1);
      }
    }
    const wrong = [...fates].filter(([number, fate]) => {
      const count = counts.get(hashOf(pictureOf(number))) ?? 0;
      return fate === "acknowledged" ? count !== 1 : fate === "cut" ? count !== 0 : count > 1;
    });
    const number = (fate: Fate): number => [...fates.values()].filter((each) => each === fate).length;
    report("FTP uploads", {
      uploads,
      kills: killed,
      acknowledged: number("acknowledged"),
      cut: number("cut"),
      "without an answer": number("doubtful"),
      files: counts.size,
    });
    expect(wrong).toEqual([]);
    expect(left).toEqual([]);
    expect([...counts.values()].filter((count) => count > 1)).toEqual([]);
    daemon.kill("SIGTERM");
    await daemon.exit;
    await Promise.all([detector.close(), model.close()]);
  },
);
