import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { report } from "./report.ts";

const rounds = 5;

/** Milliseconds from the start of the process until it processes pictures; then it is stopped. */
async function untilReady(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const homesec = await serveHomesec({ DATA_DIR: dataDir });
  try {
    for (;;) {
      const { ok } = await fetch(`${homesec.url}/api/system/health/ready`);
      if (ok) return performance.now() - startedAt;
      await sleep(10);
    }
  } finally {
    homesec.kill("SIGTERM");
    await homesec.exit;
  }
}

test("daemon: is ready soon without any configuration", async ({ task }) => {
  const first: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const folder = temporaryFolder("bench");
    first.push(await untilReady(folder.path));
    warm.push(await untilReady(folder.path));
    await folder.remove();
  }
  const row = (what: string, homesec: readonly number[], atMost: number): void =>
    report(task, { what, unit: "ms", homesec, compare: "absolute", limit: { atMost } });
  row("`homesec serve` to ready, warm", warm, 1_500);
  row("`homesec serve` to ready, first run", first, 6_000);
});
