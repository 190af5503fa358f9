import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { type Delivery, type Door, doors, type Fate } from "./support/doors.ts";
import { littlePictures } from "./support/little-pictures.ts";
import { report } from "./support/report.ts";
import { isLong, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { create } from "./support/send.ts";

/** Uploads by each door. */
const uploads = scale("CHAOS_DELIVERIES", { short: 60, long: 20_000 });
const kills = scale("CHAOS_DELIVERY_KILLS", { short: 1, long: 50 });
/** Milliseconds between two kills. */
const killEvery: readonly [number, number] = isLong ? [500, 3_000] : [50, 300];
/** Uploads by each door at a time. */
const atOnce = 4;
/** Two cameras that send files with the same names. A second camera with the name of another one is refused. */
const cameras = ["front", "front-2"];
/** A daemon that is not killed ends a sender of a byte a second: by FTP and HTTP after a minute, by mail after five. */
const slowMs = 400_000;

const chance = chanceOf("receivers");
const folder = temporaryFolder("receivers");
afterAll(() => folder.remove());

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** A daemon that is killed and started again, with a login of each camera for each door. */
async function killedHome() {
  const [detector, model, http, ftp, mail] = await Promise.all([
    ...[detectorStandIn(), languageModelStandIn()],
    ...[freePort(), freePort(), freePort()],
  ] as const);
  const env = {
    ...{ DATA_DIR: folder.path, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, RECEIVER_HOST: "127.0.0.1" },
    ...{ FTP_PASSIVE_PORTS: "0", RECEIVER_FILES_PER_MINUTE: "1000000" },
    ...{ PORT: String(http), FTP_PORT: String(ftp), MAIL_PORT: String(mail) },
  };
  await mkdir(join(folder.path, "cameras"), { recursive: true });
  let daemon: HomesecProcess & { readonly url: string } = await serveHomesec(env);
  const passwords = new Map<string, string>();
  for (const name of cameras) {
    await create(`${daemon.url}/api/cameras`, { camera_id: name, name });
    await expect(create(`${daemon.url}/api/cameras`, { camera_id: "same-name", name })).rejects.toThrow("409");
    for (const { protocol } of doors) {
      const response = await fetch(`${daemon.url}/api/cameras/${name}/logins/${protocol}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      const { settings } = (await response.json()) as { settings: { password: string } };
      passwords.set(`${protocol} ${name}`, settings.password);
    }
  }
  return {
    ports: { http, ftp, mail },
    passwordOf: (door: Door, name: string) => passwords.get(`${door.protocol} ${name}`) as string,
    killAndStart: async () => {
      daemon.kill("SIGKILL");
      await daemon.exit;
      daemon = await serveHomesec(env);
    },
    close: async () => {
      daemon.kill("SIGTERM");
      await daemon.exit;
      await Promise.all([detector.close(), model.close()]);
    },
  };
}

/** The uploads by one door, and their fates. */
class DoorLoad {
  readonly door: Door;
  readonly fates = new Map<number, Fate>();
  repeats = 0;
  /** Seconds until the receiver ended slow senders. */
  readonly slow: number[] = [];
  #next = 0;
  readonly #home: Awaited<ReturnType<typeof killedHome>>;
  readonly #pictureOf: (number: number) => Buffer;

  constructor(door: Door, home: Awaited<ReturnType<typeof killedHome>>, pictureOf: (number: number) => Buffer) {
    [this.door, this.#home, this.#pictureOf] = [door, home, pictureOf];
  }

  get isDone(): boolean {
    return this.#next >= uploads;
  }

  cameraOf(number: number): string {
    return cameras[number % cameras.length] as string;
  }

  /** The pictures of an upload, which no other one has. A mail may have two. */
  picturesOf(number: number): readonly Buffer[] {
    const first = doors.indexOf(this.door) * 3 * uploads + number;
    return this.door.protocol === "mail" && number % 4 < 2
      ? [this.#pictureOf(first), this.#pictureOf(first + uploads)]
      : [this.#pictureOf(first)];
  }

  async run(): Promise<void> {
    const hand = async (): Promise<void> => {
      while (!this.isDone) {
        const number = this.#next++;
        this.fates.set(number, await this.#untilDecided(number));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, hand));
  }

  /** Sends a byte a second, again and again. */
  async dawdle(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const seconds = await this.door.dawdle({ ...this.#delivery(2 * uploads), name: "slow", until });
      if (seconds !== undefined) this.slow.push(seconds);
      await sleep(100);
    }
  }

  #delivery(number: number): Delivery {
    const name = this.cameraOf(number);
    return {
      ...{ port: this.#home.ports[this.door.protocol], login: { name, password: this.#home.passwordOf(this.door, name) } },
      ...{ name: String(Math.floor(number / cameras.length)), pictures: this.picturesOf(number) },
      chance: chance.of(`${this.door.protocol} ${number}`),
    };
  }

  /** Delivers until the upload has a fate that stays. A camera that repeats sends again what was not answered. */
  async #untilDecided(number: number): Promise<Fate> {
    const delivery = this.#delivery(number);
    let isRepeated = false;
    for (;;) {
      const fate = await this.door.deliver(delivery);
      const isAgain = fate === "doubtful" && this.door.repeats && delivery.chance.below(8) > 0;
      // the receiver is away while the daemon starts
      if (fate !== "away" && !isAgain) return isRepeated && fate === "cut" ? "doubtful" : fate;
      if (isAgain) this.repeats += 1;
      isRepeated ||= isAgain;
      await sleep(100);
    }
  }
}

/** How often each picture is in the folder of a camera, and what should not be there. */
async function found(known: ReadonlySet<string>) {
  const counts = new Map<string, number>();
  const left: string[] = [];
  for (const name of cameras) {
    for (const entry of await readdir(join(folder.path, "cameras", name), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory()) continue;
      if (path.includes(".homesec-uploads")) left.push(path);
      const hash = hashOf(await readFile(path));
      if (!known.has(hash)) left.push(`${path} is no whole picture`);
      counts.set(`${name} ${hash}`, (counts.get(`${name} ${hash}`) ?? 0) + 1);
    }
  }
  return { counts, left };
}

/** Uploads that are not in the folders as often as their answers said. */
function wrongOf(load: DoorLoad, counts: ReadonlyMap<string, number>): readonly string[] {
  return [...load.fates].flatMap(([number, fate]) =>
    load.picturesOf(number).flatMap((picture) => {
      const count = counts.get(`${load.cameraOf(number)} ${hashOf(picture)}`) ?? 0;
      const isRight = fate === "acknowledged" ? count === 1 : fate === "doubtful" ? count <= 1 : fate === "cut" && count === 0;
      return isRight ? [] : [`${load.door.protocol} ${number}: ${fate}, ${count} times`];
    }),
  );
}

function reportOf(load: DoorLoad, killed: number): void {
  const number = (fate: Fate): number => [...load.fates.values()].filter((each) => each === fate).length;
  report(`uploads by ${load.door.protocol}`, {
    ...{ uploads, kills: killed, acknowledged: number("acknowledged"), cut: number("cut"), "without an answer": number("doubtful") },
    ...{ repeated: load.repeats, "senders of a byte a second ended": load.slow.length, "s at most": Math.max(0, ...load.slow) },
  });
}

test(`chaos: ${uploads} uploads by each door with cuts and ${kills} kill -9: acknowledged pictures are there once, others not`, {
  timeout: isLong ? 7_200_000 : 120_000,
}, async () => {
  const home = await killedHome();
  const pictureOf = await littlePictures();
  const loads = doors.map((door) => new DoorLoad(door, home, pictureOf));
  const end = new AbortController();
  const slow = loads.map((load) => load.dawdle(end.signal));
  const all = Promise.all(loads.map((load) => load.run()));
  const isDone = (): boolean => loads.every((load) => load.isDone);
  let killed = 0;
  while (!isDone()) {
    await sleep(chance.between(...killEvery));
    if (killed >= kills || isDone()) continue;
    await home.killAndStart();
    killed += 1;
  }
  await all;
  if (isLong) await expect.poll(() => loads.every((load) => load.slow.some((seconds) => seconds > 50)), { timeout: slowMs }).toBe(true);
  end.abort();
  await Promise.all(slow);
  if (isLong) await home.killAndStart();

  const known = new Set(loads.flatMap((load) => [...load.fates.keys()].flatMap((number) => load.picturesOf(number).map(hashOf))));
  await expect.poll(async () => (await found(known)).left, { timeout: 20_000 }).toEqual([]);
  const { counts } = await found(known);
  for (const load of loads) reportOf(load, killed);
  expect(loads.flatMap((load) => wrongOf(load, counts))).toEqual([]);
  for (const { fates } of loads) {
    const acknowledged = [...fates.values()].filter((fate) => fate === "acknowledged");
    expect(acknowledged.length).toBeGreaterThan(uploads / 2);
  }
  await home.close();
});
