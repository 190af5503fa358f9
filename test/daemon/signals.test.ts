import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type HomesecProcess, serveHomesec, startHomesec } from "../support/homesec-process.ts";
import { copyIn } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";

let folder = temporaryFolder("signals");
afterEach(async () => {
  await folder.remove();
  folder = temporaryFolder("signals");
});

/** Processes whose environment or command line names the data folder, and their descendants. Zombies do not count. */
function processesOf(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state !== "Z") parents.set(Number(name), Number(parent));
    } catch {
      // it ended during the check
    }
  }
  const family = new Set([pid]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [child, parent] of parents) {
      if (family.has(parent) && !family.has(child)) {
        family.add(child);
        grown = true;
      }
    }
  }
  return [...family].filter((member) => parents.has(member));
}

const isGone = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return true;
  }
};

/** Ends a daemon by a signal: within 5 s, with exit code 0, without a process left. */
async function endsWell(daemon: HomesecProcess, signal: NodeJS.Signals): Promise<void> {
  const family = processesOf(daemon.pid);
  // the daemon, two built-in services, and the database with its own
  expect(family.length).toBeGreaterThan(5);
  const startedAt = performance.now();
  daemon.kill(signal);
  expect(await daemon.exit).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await eventually(() => family.every(isGone), { what: "the end of all its processes" });
}

test.runIf(process.platform === "linux")(
  "SIGINT ends the daemon with all built-in parts within 5 s, with exit code 0 and no process left",
  async () => {
    await endsWell(await serveHomesec({ DATA_DIR: folder.path }), "SIGINT");
  },
);

test.runIf(process.platform === "linux")("a second signal ends it at once and leaves no process either", async () => {
  const daemon = await serveHomesec({ DATA_DIR: folder.path });
  const family = processesOf(daemon.pid);
  daemon.kill("SIGINT");
  daemon.kill("SIGINT");
  await daemon.exit;
  await eventually(() => family.every(isGone), { what: "the end of all its processes" });
});

test("the demonstration with --once ends with exit code 0 after a scored event with people that were really detected", async () => {
  const demo = startHomesec(["demo", "--once"], { DATA_DIR: folder.path, PORT: "0", BATCH_IDLE_TIMEOUT_SECONDS: "2" });
  expect(await demo.exit).toEqual({ code: 0, signal: null });
  expect(demo.output()).toMatch(/API +http:\/\/127\.0\.0\.1:\d+/);
  expect(demo.output()).toMatch(/picture seen +demo-walkway: /);
  expect(demo.output()).toMatch(/found +\S+\.jpg: [1-9] x person/);
  expect(demo.output()).toMatch(/event scored +event 1: risk [1-9]\d? of 100 \((medium|high|critical)\)/);
  expect(demo.output()).toContain("To get the first one: stop the demo, then homesec serve and homesec setup\n");
}, 90_000);

test("the demonstration connects to a daemon that requires a key and a token over TLS, as its configuration says", async () => {
  const [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
  const access = { API_KEY_ENABLED: "true", API_KEYS: "one-of-the-keys,another-key", WEBSOCKET_TOKEN: "a-token", TLS_MODE: "self_signed" };
  const services = { DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url };
  const env = { DATA_DIR: folder.path, PORT: "0", BATCH_IDLE_TIMEOUT_SECONDS: "1", ...services, ...access };
  const demo = startHomesec(["demo", "--once"], env);
  expect(await demo.exit, demo.output()).toEqual({ code: 0, signal: null });
  expect(demo.output()).toMatch(/API +https:\/\/127\.0\.0\.1:\d+/);
  expect(demo.output()).toMatch(/event scored +event 1: /);
  for (const secret of ["one-of-the-keys", "a-token"]) expect(demo.output()).not.toContain(secret);
  await Promise.all([detector.close(), model.close()]);
}, 90_000);

test("a second daemon on the same data folder is refused with the name of the first, which SIGTERM ends in the same way", async () => {
  const first = await serveHomesec({ DATA_DIR: folder.path });
  const second = startHomesec(["serve"], { DATA_DIR: folder.path, PORT: "0" });
  expect((await second.exit).code).toBe(5);
  expect(second.output()).toContain(String(first.pid));
  // the first daemon keeps running
  await copyIn(`${folder.path}/cameras/yard/a.jpg`);
  await eventually(
    async () => {
      const list = (await (await fetch(`${first.url}/api/detections`)).json()) as { pagination: { total: number } };
      return list.pagination.total > 0;
    },
    { timeoutMs: 20_000 },
  );
  if (process.platform === "linux") return await endsWell(first, "SIGTERM");
  first.kill("SIGTERM");
  expect((await first.exit).code).toBe(0);
});
