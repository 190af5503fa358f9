import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { benchDaemon } from "./daemon.ts";
import { residentMb } from "./process-cost.ts";
import { report } from "./report.ts";
import { instantUpstreams } from "./upstreams.ts";

const daemons = 5;
const idleMs = 20_000;

/** Memory of a new, idle daemon in megabytes. */
async function idleMemory(upstreamUrl: string): Promise<number> {
  const database = await testDatabase();
  const daemon = await benchDaemon({ databaseUrl: database.url, upstreamUrl });
  try {
    await sleep(idleMs);
    return await residentMb(daemon.pid);
  } finally {
    await daemon.stop();
    await database.close();
  }
}

test("daemon: needs little memory when idle", async ({ task }) => {
  const upstreams = await instantUpstreams();
  try {
    const homesec = await Promise.all(Array.from({ length: daemons }, () => idleMemory(upstreams.url)));
    report(task, {
      what: "memory of an idle daemon, without PostgreSQL and built-in upstreams",
      unit: "MB",
      homesec,
      compare: "absolute",
      limit: { atMost: 130 },
    });
  } finally {
    await upstreams.stop();
  }
});
