import { spawnSync } from "node:child_process";
import { EventEmitter } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Io } from "../../commands/io.ts";
import { progressLine, progressText } from "../../commands/output/progress.ts";
import { displayWidth } from "../../commands/output/terminal-format.ts";
import { testDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/temporary.ts";

it("progress: shows amount, speed and remaining time", () => {
  const done = { doing: "writing detections", count: 2500, total: 10_000, unit: "rows" };
  expect(progressText(done, 500, 100)).toBe("writing detections  █████░░░░░░░░░░░░░░░  25 %  2,500 of 10,000 rows  500 rows/s  15 s left");
  expect(progressText(done, 5, 100)).toContain("25 min left");
  expect(progressText(done, 0.5, 100)).toContain("4 h 10 min left");
  expect(progressText(done, undefined, 100)).toBe("writing detections  █████░░░░░░░░░░░░░░░  25 %  2,500 of 10,000 rows");
  expect(progressText(done, 500, 60)).toBe("writing detections  25 %  15 s left");
  expect(progressText(done, 500, 6)).toBe("25 %");
});

it("progress: estimates nothing without a total", () => {
  const bytes = { doing: "exporting", count: 3_145_728, unit: "bytes" };
  expect(progressText(bytes, 1_048_576, 80)).toBe("exporting  3.0 MiB  1.0 MiB/s");
  // the estimate was too small
  expect(progressText({ doing: "writing", count: 11, total: 10, unit: "rows" }, 1, 80)).toBe("writing  11 rows  1 rows/s");
});

it("progress: never wraps", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.nat(),
      fc.option(fc.double({ min: 0, max: 1e9 })),
      fc.integer({ min: 1, max: 200 }),
      (count, total, rate, width) => {
        const text = progressText({ doing: "restoring detections", count, total, unit: "rows" }, rate ?? undefined, width);
        expect(displayWidth(text)).toBeLessThanOrEqual(width);
      },
    ),
  );
});

it("progress: stops when the terminal vanishes and has no columns any more, instead of writing without end", async () => {
  let written = 0;
  const stderr = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns: 80,
    rows: 24,
    write: () => {
      written += 1;
      return true;
    },
    cursorTo: () => true,
    moveCursor: () => true,
    clearLine: () => true,
  });
  const clock = { now: () => new Date(), monotonic: () => performance.now() };
  const line = await progressLine({ host: { stderr, clock, env: {} }, global: { quiet: false, color: false } } as unknown as Io);
  line.show({ doing: "writing events", count: 1, total: 10, unit: "rows" });
  await sleep(200);
  expect(written).toBeGreaterThan(1);
  stderr.columns = 0;
  stderr.emit("resize");
  const before = written;
  line.show({ doing: "writing events", count: 2, total: 10, unit: "rows" });
  await sleep(200);
  line.clear();
  // showing the cursor again is one write
  expect(written).toBeLessThan(before + 5);
});

const hasScript = spawnSync("script", ["--version"]).status === 0;
if (!hasScript) process.stderr.write("`script` is not installed: progress is not tested on a terminal\n");

it.skipIf(!hasScript)("progress: is drawn on a terminal only, and erased at the end", async () => {
  const folder = temporaryFolder("progress");
  // the total comes from the planner's statistics of all tables, which in a used database count deleted rows
  const database = await testDatabase({ fresh: true });
  await database.db.query(
    (sql) => sql`
      insert into gpu_stats (recorded_at, gpu_name, utilization, temperature)
      select '2020-01-01'::timestamptz + n * interval '5 seconds', md5(n::text), random(), random() from generate_series(1, 50000::int) g (n)
    `,
  );
  await database.db.query((sql) => sql`analyze gpu_stats`);
  const program = new URL("../../dist/bin/homesec.js", import.meta.url).pathname;
  const env = {
    PATH: process.env["PATH"],
    HOME: folder.path,
    TERM: "xterm",
    DATABASE_URL: database.url,
    DATA_DIR: join(folder.path, "data"),
  };
  const backup = (...more: string[]) => `'${process.execPath}' '${program}' db backup a.backup --yes ${more.join(" ")}`;
  const onTerminal = spawnSync("script", ["-qec", `stty cols 100; ${backup(">/dev/null")}`, "/dev/null"], {
    cwd: folder.path,
    env,
    input: "",
  });
  expect(onTerminal.status).toBe(0);
  expect(String(onTerminal.stdout)).toMatch(/writing gpu_stats {2}█+░* {2}\d+ % {2}[\d,]+ of 5\d,\d{3} rows/);
  // the cursor is visible again and the line is removed
  const last = String(onTerminal.stdout).split("writing").at(-1);
  expect(last).toContain("\u001b[0K");
  expect(last).toContain("\u001b[?25h");
  const quiet = spawnSync("script", ["-qec", `stty cols 100; ${backup("--quiet", ">/dev/null")}`, "/dev/null"], {
    cwd: folder.path,
    env,
    input: "",
  });
  expect(String(quiet.stdout)).toBe("");
  const piped = spawnSync("sh", ["-c", backup()], { cwd: folder.path, env });
  expect(String(piped.stderr)).not.toMatch(/writing|\p{Cc}(?<!\n)/u);
  await database.close();
  await folder.remove();
});
