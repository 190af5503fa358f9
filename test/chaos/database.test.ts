import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log/log.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/platform/database/embedded-postgres.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { wrongSequences } from "./invariants/followed.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { keepPosting } from "./support/events.ts";
import { follow } from "./support/follower.ts";
import { report } from "./support/report.ts";
import { lookAt, type Rows } from "./support/rows.ts";
import { isLong, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { keepUploading } from "./support/uploads.ts";

const kills = scale("CHAOS_BACKEND_KILLS", { short: 12, long: 200 });
const restarts = scale("CHAOS_RESTARTS", { short: 1, long: 30 });
/** Smart and fast shutdowns let transactions end; an immediate one and a kill are crashes. */
const endings = ["SIGINT", "SIGQUIT", "SIGKILL"] as const;
const folder = temporaryFolder("database");
const external = temporaryFolder("external");
afterAll(() => Promise.all([folder.remove(), external.remove()]));

/** A daemon under load, with checks of whether it works. */
async function house(dataDir: string, env: Readonly<Record<string, string>>, chanceName: string) {
  const [detector, model] = await Promise.all([detectorStandIn({ delayMs: 5 }), languageModelStandIn()]);
  const daemon = await serveHomesec({
    ...{ DATA_DIR: dataDir, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
    ...{ BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1", ...env },
  });
  const cameraRoot = join(dataDir, "cameras");
  const chance = chanceOf(chanceName);
  const client = follow(daemon.url);
  const posts = await keepPosting(() => daemon.url);
  const uploads = keepUploading(cameraRoot, chance, 20);
  return {
    ...{ daemon, chance },
    answers: async (): Promise<boolean> => (await fetch(`${daemon.url}/api/events?limit=1`)).status === 200,
    /** Ends the load, waits for all work and checks the invariants. */
    end: async (rows: Rows, part: string, what: Readonly<Record<string, number>>): Promise<void> => {
      const [uploaded, acknowledged] = [await uploads.stop(), await posts.stop()];
      await allDone(rows, { cameraRoot });
      const { violations, figures } = await judge(rows, { cameraRoot, acknowledged });
      expect([...violations, ...(await wrongSequences(rows, client))]).toEqual([]);
      await client.stop();
      expect(daemon.output()).not.toMatch(/uncaught|unhandled/i);
      report(part, { ...what, uploads: uploaded, acknowledged: acknowledged.size, ...figures, followed: client.sequences.length });
      daemon.kill("SIGTERM");
      expect((await daemon.exit).code).toBe(0);
      await Promise.all([detector.close(), model.close()]);
    },
  };
}

/** Kills this many connections in order of age, starting anywhere. */
const killSome = (rows: Rows, limit: number, beginAt: number): Promise<unknown> =>
  lookAt(
    rows,
    (sql) => sql`
      select pg_terminate_backend(a.pid)
      from (
        select a.pid, row_number() over (order by a.backend_start, a.pid) as place, count(*) over () as all
        from pg_stat_activity a
        where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
      ) a
      where (a.place + ${beginAt}) % a.all < ${limit}`,
  );

test(`chaos: ${kills} killed connections and ${restarts} stopped servers: the daemon stays, loses nothing and works once the database is back`, {
  timeout: 3_600_000,
}, async () => {
  const rows = { dataDir: folder.path };
  const { daemon, chance, answers, end } = await house(folder.path, {}, "database");
  for (let round = 0; round < kills; round += 1) {
    await killSome(rows, 1 + (round % 3), chance.below(1_000));
    await sleep(chance.between(30, 130));
  }
  await eventually(answers, { timeoutMs: isLong ? 60_000 : 2_000, what: "an answer after the kills" });
  for (let round = 0; round < restarts; round += 1) {
    const pid = await lookAt(rows, async (sql) => {
      const [row] = await sql<[{ pid: number }]>`select (regexp_match(pg_read_file('postmaster.pid'), '^[0-9]+'))[1]::int as pid`;
      return row.pid;
    });
    process.kill(pid, endings[round % endings.length]);
    await sleep(200);
    await eventually(() => lookAt(rows, (sql) => sql`select 1`), { timeoutMs: 60_000, what: "the database" });
    await eventually(answers, { timeoutMs: isLong ? 60_000 : 2_000, what: "an answer within 2 s after the database was back" });
    await sleep(chance.between(0, 500));
  }
  expect(daemon.output()).toContain("PostgreSQL ended unexpectedly");
  await end(rows, "embedded PostgreSQL", { "killed connections": kills, restarts });
});

test(`chaos: ${restarts} restarts of the server behind DATABASE_URL, each with a pause: the daemon stays and loses nothing`, {
  timeout: 3_600_000,
}, async () => {
  const port = await freePort();
  const start = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({ dataDir: external.path, log: silentLog, port, settings: { listen_addresses: "127.0.0.1" } });
  let server = await start();
  const { user, database } = server;
  await lookAt({ dataDir: external.path }, (sql) => sql.unsafe(`alter role ${user} password 'known'`));
  const rows = { url: `postgres://${user}:known@127.0.0.1:${port}/${database}` };
  const { chance, answers, end } = await house(join(external.path, "house"), { DATABASE_URL: rows.url }, "external");
  for (let round = 0; round < restarts; round += 1) {
    await sleep(chance.between(200, 1_200));
    process.kill(server.pid, endings[(round + 1) % endings.length]);
    await server.ended;
    await sleep(chance.between(0, isLong ? 6_000 : 1_500));
    server = await start();
    await eventually(answers, { timeoutMs: isLong ? 60_000 : 10_000, what: "an answer after the database was back" });
  }
  await end(rows, "PostgreSQL behind DATABASE_URL", { restarts });
  await server.stop();
});
