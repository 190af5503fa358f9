import { join } from "node:path";
import { expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { redisInstalled, redisServer } from "../support/redis.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";

test.runIf(redisInstalled)(
  "with DATABASE_URL and REDIS_URL set, two daemons share the work through real servers",
  async () => {
    const [database, redis, detector, model] = await Promise.all([
      testDatabase(),
      redisServer(),
      detectorStandIn(),
      languageModelStandIn(),
    ]);
    const folders = [temporaryFolder("shared-1"), temporaryFolder("shared-2")] as const;
    const env = (dataDir: string) => ({
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      DETECTOR_URL: detector.url,
      LANGUAGE_MODEL_URL: model.url,
      BATCH_IDLE_TIMEOUT_SECONDS: "1",
    });
    const first = await serveHomesec(env(folders[0].path));
    const second = await serveHomesec({ ...env(folders[1].path), CAMERA_ROOT: join(folders[1].path, "cameras") });
    expect(first.output()).toContain("BullMQ on Redis");

    const pictures = 40;
    for (let n = 0; n < pictures; n += 1) {
      const folder = folders[n % 2] as (typeof folders)[0];
      await renameIn(join(folder.path, "cameras", `cam-${n % 2}`, `${n}.jpg`), await uniqueJpeg(n));
    }
    const counts = async () => {
      const [row] = await database.db.query(
        (sql) => sql<{ processed: number; detections: number; unjudged: number; judged: number; jobs: number }[]>`
        select (select count(*) from images i where i.status = 'processed')::int as processed,
          (select count(*) from detections d)::int as detections,
          (select count(*) from events e where e.risk_score is null)::int as unjudged,
          (select count(*) from events e where e.risk_score = 42)::int as judged,
          (select count(*) from jobs j)::int as jobs`,
      );
      return row;
    };
    const done = await eventually(
      async () => {
        const row = await counts();
        return row?.processed === pictures && row.judged > 0 && row.unjudged === 0 && row.jobs === 0 && row;
      },
      { timeoutMs: 60_000 },
    );
    expect(done).toMatchObject({ processed: pictures, detections: pictures });

    const health = (await (await fetch(`${first.url}/api/system/health`)).json()) as {
      services: { store: { status: string; details: { version: string } } };
    };
    expect(health.services.store).toMatchObject({ status: "healthy", details: { version: expect.stringMatching(/^(redis|valkey) \d/) } });

    for (const daemon of [first, second]) {
      daemon.kill("SIGTERM");
      expect((await daemon.exit).code).toBe(0);
    }
    await Promise.all([redis.stop(), detector.close(), model.close(), database.close(), ...folders.map((folder) => folder.remove())]);
  },
  120_000,
);
