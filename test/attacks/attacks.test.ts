import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Attack, attacks } from "./attacks.ts";
import { type Home, type Measured, openHome } from "./home.ts";

/*
 * Attacks on the availability of the real program with its default limits, over loopback. ATTACKS=all also runs each alone, for longer, and
 * prints the measurements. ATTACKS_SECONDS sets the length of each run.
 */
const isLong = process.env["ATTACKS"] === "all";
const seconds = Number(process.env["ATTACKS_SECONDS"] ?? (isLong ? 60 : 15));
const print = (text: string): void => void (isLong && process.stdout.write(`${text}\n`));

let home: Home;
beforeAll(async () => {
  home = await openHome();
}, 120_000);
afterAll(() => home?.close());

/** Runs attacks together while pictures arrive, and returns what the prober measured meanwhile. */
async function under(together: readonly Attack[]): Promise<Measured> {
  const stopUploads = home.upload();
  await home.measured();
  const end = new AbortController();
  const running = together.map(({ run }) => run(home, end.signal));
  await sleep(seconds * 1_000);
  const measured = await home.measured();
  const [uploaded, before] = [await stopUploads(), await home.processed()];
  end.abort();
  await Promise.all(running);
  await eventually(async () => (await home.processed()).pictures === uploaded, { timeoutMs: 60_000, what: "the end of all pictures" });
  const { longestSeconds } = await home.processed();
  print(
    `${together.length === 1 ? together[0]?.name : `${together.length} attacks`}: ${Math.round(measured.mostMb)} MB, ` +
      `/health ${Math.round(measured.p50)} ms (median), ${Math.round(measured.p99)} ms (p99), ` +
      `${before.pictures} of ${uploaded} pictures processed during it, the slowest in ${longestSeconds.toFixed(1)} s`,
  );
  expect(measured.asked).toBeGreaterThan(seconds * 10);
  expect.soft(measured.mostMb, "memory in MB").toBeLessThan(400);
  expect.soft(measured.p99, "time until /health answered, p99 in ms").toBeLessThan(500);
  expect.soft(longestSeconds, "seconds until a picture was processed").toBeLessThan(10);
  expect(home.daemon.output()).not.toMatch(/uncaught|unhandled/i);
  return measured;
}

test.runIf(isLong).each(attacks)("attacks: pictures are processed and /health answers under $name", async (attack) => {
  await under([attack]);
});

test("attacks: all at once leave the daemon under 400 MB, /health under 500 ms, and every picture processed", async () => {
  await under(attacks);
});

test("attacks: afterwards the daemon serves everyone, and has forgotten the attackers", async () => {
  const get = async (path: string) => (await fetch(`${home.url}${path}`)).json() as Promise<Record<string, Record<string, unknown>>>;
  await eventually(async () => (await get("/api/system/telemetry"))["websocket"]?.["connected_clients"] === 0, { timeoutMs: 20_000 });
  expect((await fetch(`${home.url}/api/events?limit=100`)).status).toBe(200);
  const rows = await home.database.db.query((sql) => sql<{ alerts: number }[]>`select count(*)::int as alerts from received_alerts`);
  expect(rows[0]?.alerts).toBeLessThanOrEqual(10_000);
});
