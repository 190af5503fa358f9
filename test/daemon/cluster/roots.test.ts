import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { thisProcess } from "../../../daemon/cluster/own-process.ts";
import { createPeers, type Peers } from "../../../daemon/cluster/peers.ts";
import { createSingletons } from "../../../daemon/cluster/singletons.ts";
import { camerasToWatch } from "../../../daemon/pipeline/watching.ts";
import type { ProcessReport } from "../../../src/admin/system/process-report.ts";
import { minuteMs } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { removeProcesses } from "../../../src/work/jobs/processes-repository.ts";
import { create } from "../../chaos/support/send.ts";
import { virtualClock } from "../../monitoring/upstream/virtual-clock.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A daemon that finds pictures below its own root. */
const start = async ({ url }: TestDatabase): Promise<TestDaemon> => {
  const daemon = await testDaemon({ env: { DATABASE_URL: url, ROLES: "api,watch" } });
  closing.push(daemon.stop);
  return daemon;
};
let pictures = 0;
/** A new camera for the daemon with a picture. Once the picture is found, the daemon has checked all cameras. */
const addCamera = async (daemon: TestDaemon, name: string): Promise<void> => {
  await create(`${daemon.url}/api/cameras`, { name });
  pictures += 1;
  await renameIn(join(daemon.cameraRoot, name, "1.jpg"), await uniqueJpeg(pictures));
  await eventually(async () => (await statuses(daemon))[name] === "online", { what: `a picture of ${name}` });
};
const statuses = async ({ url }: TestDaemon): Promise<Readonly<Record<string, string>>> => {
  const { cameras } = (await (await fetch(`${url}/api/cameras`)).json()) as { cameras: readonly { camera_id: string; status: string }[] };
  return Object.fromEntries(cameras.map(({ camera_id, status }) => [camera_id, status]));
};

test("daemons ignore the cameras below the roots of others, in whatever order they start and stop", async () => {
  const database = await testDatabase();
  closing.push(() => database.close());
  const errors = async (): Promise<readonly string[]> =>
    (
      await database.db.query(
        (sql) => sql<{ id: string }[]>`
          select j.data ->> 'camera_id' as id from journal j where j.type = 'camera_status' and j.data ->> 'status' = 'error' order by j.journal_id`,
      )
    ).map(({ id }) => id);
  const garden = await start(database);
  await addCamera(garden, "pond");
  const house = await start(database);
  await addCamera(house, "door");
  await addCamera(garden, "gate");
  expect(await errors()).toEqual([]);

  await garden.stop();
  closing.splice(closing.indexOf(garden.stop), 1);
  await addCamera(house, "hall");
  await start(database);
  expect(await errors()).toEqual([]);
  expect(await statuses(house)).toEqual({ pond: "online", door: "online", gate: "online", hall: "online" });
});

test("a camera below no root is reported after the wait for other daemons, or once its daemon is gone for good", async () => {
  const database = await testDatabase();
  closing.push(() => database.close());
  const { db } = database;
  const clock = virtualClock();
  const openSession = (): Promise<never> => Promise.reject(new Error("not needed here"));
  const singletons = createSingletons({ openSession, log: silentLog });
  const said: ProcessReport = { stopped: [], breakers: [], builtIn: [], watcher: null, roots: [], key: null };
  const common = { roles: ["watch"], singletons, clock, log: silentLog } as const;
  const own = thisProcess(randomUUID(), "1");
  const peers = createPeers({ ...common, own, roots: ["/house"], report: () => ({ ...said, roots: ["/house"] }) });
  const other = thisProcess(randomUUID(), "1");
  const others = createPeers({ ...common, own: other, roots: ["/garden"], report: () => ({ ...said, roots: ["/garden"] }) });
  const beat = (daemon: Peers) => db.transaction((sql) => daemon.beat(sql));
  const watched = async (): Promise<readonly string[]> => {
    const cameras = ["/house/door", "/garden/pond", "/nowhere/lost"].map((folder_path) => ({ folder_path }));
    return (await camerasToWatch(cameras, ["/house"], peers)).map(({ folder_path }) => folder_path);
  };

  await beat(peers);
  expect(await watched()).toEqual(["/house/door"]);
  clock.advance(5 * minuteMs);
  await beat(others);
  await beat(peers);
  expect(await watched()).toEqual(["/house/door", "/nowhere/lost"]);
  expect(peers.watchedElsewhere("/garden/pond")).toBe(true);
  await db.query((sql) => removeProcesses(sql, [other.processId]));
  clock.advance(4 * minuteMs);
  await beat(peers);
  expect(await watched()).toEqual(["/house/door", "/nowhere/lost"]);
  clock.advance(minuteMs);
  expect(await watched()).toEqual(["/house/door", "/garden/pond", "/nowhere/lost"]);
});
