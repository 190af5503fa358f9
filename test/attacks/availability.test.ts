import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Attack, attacks } from "./support/attacks.ts";
import { type Home, type Measured, openHome } from "./support/home.ts";

/*
 * Attacks on the availability of the real program with its default limits, over loopback. The short form runs four of them,
 * one at a time. ATTACKS=all runs each alone and all at once, for longer, and prints the measurements. ATTACKS_SECONDS sets the length of each run.
 */
const isLong = process.env["ATTACKS"] === "all";
const seconds = Number(process.env["ATTACKS_SECONDS"] ?? (isLong ? 30 : 3));
const print = (text: string): void => void (isLong && process.stdout.write(`${text}\n`));

let home: Home;
beforeAll(async () => {
  home = await openHome();
  // the process that measures has started
  await eventually(async () => (await home.measured()).daemon.asked > 0, { what: "the first measurement" });
}, 120_000);
afterAll(() => home?.close());

/**
 * Milliseconds until `/health` answered in 99 of 100 cases. The short form asks sixty times beside other tests: it takes 95 of 100 cases,
 * and leaves out the time that the daemon waited for a processor and what a bare program needs.
 */
const latencyOf = ({ daemon, bare }: Measured): number => (isLong ? daemon.p99 : daemon.ownP95 - bare.p99);

/** Runs attacks together while pictures arrive, and checks what was measured meanwhile. */
async function resist(together: readonly Attack[]): Promise<void> {
  const stopUploads = home.upload();
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const running = together.map(({ run }) => run(home, end.signal));
  await home.measured();
  await sleep(seconds * 1_000);
  const measured = await home.measured();
  const uploaded = await stopUploads();
  const during = await home.processed();
  end.abort();
  await Promise.all(running);
  const paths = [...uploaded.keys()];
  const done = await eventually(
    async () => {
      const processed = await home.processed();
      return paths.every((path) => processed.has(path)) ? processed : undefined;
    },
    { timeoutMs: 60_000, what: "the end of all pictures" },
  );
  const slowest = Math.max(...paths.map((path) => (done.get(path) ?? 0) - (uploaded.get(path) ?? 0))) / 1_000;
  const { daemon, bare, mostMb } = measured;
  print(
    `${together.length === 1 ? together[0]?.name : `${together.length} attacks at once`}: ${Math.round(mostMb)} MB, /health ` +
      `${Math.round(daemon.p50)} ms (p50), ${Math.round(daemon.p99)} ms (p99), ${Math.round(daemon.ownP99)} ms of it (p99) not waiting for a processor, beside ` +
      `${Math.round(bare.p99)} ms (p99) of a bare program; ${paths.filter((path) => during.has(path)).length} of ${paths.length} ` +
      `pictures processed meanwhile, the slowest in ${slowest.toFixed(1)} s`,
  );
  expect(daemon.asked).toBeGreaterThan(seconds * 10);
  expect.soft(mostMb, "memory in MB").toBeLessThan(400);
  expect.soft(latencyOf(measured), "time until /health answered, p99 in ms").toBeLessThan(500);
  expect.soft(slowest, "seconds until a picture was processed").toBeLessThan(10);
  expect(home.daemon.output()).not.toMatch(/uncaught|unhandled/i);
}

const each = attacks.filter(({ isShort }) => isLong || isShort).map((attack) => [attack.name, attack] as const);
test.each(each)("attack: pictures are processed and /health answers under %s", async (_name, attack) => {
  await resist([attack]);
});

test.runIf(isLong)(
  "attack: all at once leave the daemon under 400 MB, /health under 500 ms, and every picture processed",
  async () => {
    await resist(attacks);
  },
  120_000,
);

test("attack: afterwards the daemon has disconnected the attackers and serves everyone", async () => {
  const get = async (path: string) => (await fetch(`${home.url}${path}`)).json() as Promise<Record<string, Record<string, unknown>>>;
  await eventually(async () => (await get("/api/system/telemetry"))["websocket"]?.["connected_clients"] === 0);
  // Unread replies make way after five seconds.
  await eventually(async () => (await fetch(`${home.url}/api/events?limit=100`)).status === 200);
  const rows = await home.database.db.query((sql) => sql<{ alerts: number }[]>`select count(*)::int as alerts from received_alerts`);
  expect(rows[0]?.alerts).toBeLessThanOrEqual(10_000);
});
