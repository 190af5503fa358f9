import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cli } from "../support/cli.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { copyIn } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, onePerson, type StandIn } from "../support/upstream.ts";

const folder = temporaryFolder("visit");
let database: TestDatabase;
let upstreams: StandIn[];
let daemon: HomesecProcess & { readonly url: string };

/** A detector's reply with two people and a dog. */
const company = (): object => {
  const { detections, ...reply } = onePerson() as { readonly detections: readonly object[] };
  return { ...reply, detections: ["person", "person", "dog"].map((type) => ({ ...detections[0], class: type })) };
};

beforeAll(async () => {
  [database, ...upstreams] = await Promise.all([testDatabase(), detectorStandIn({ answer: company }), languageModelStandIn()]);
  daemon = await serveHomesec({
    ...{ DATABASE_URL: database.url, DATA_DIR: join(folder.path, "data"), CAMERA_ROOT: join(folder.path, "cameras"), PORT: "0" },
    ...{ DETECTOR_URL: upstreams[0]?.url ?? "", LANGUAGE_MODEL_URL: upstreams[1]?.url ?? "" },
    ...{ BATCH_WINDOW_SECONDS: "900", BATCH_IDLE_TIMEOUT_SECONDS: "300" },
  });
  await copyIn(join(folder.path, "cameras", "yard", "a.jpg"));
});
afterAll(async () => {
  daemon?.kill("SIGTERM");
  await daemon?.exit;
  await Promise.all(upstreams.map((upstream) => upstream.close()));
  await database.close();
  await folder.remove();
});

const list = (...args: readonly string[]) => cli(["events", "list", "--url", daemon.url, ...args], { cwd: folder.path });

it("events list: reports a visit that is going on and when it becomes an event, instead of only that there are no events", async () => {
  const { code, out, err } = await eventually(
    async () => {
      const reply = await list();
      return reply.err.includes("now at") ? reply : undefined;
    },
    { timeoutMs: 20_000 },
  );
  expect([code, out]).toEqual([0, ""]);
  expect(err).toMatch(
    /^no events\nnow at yard: 2 people, 1 dog, for \d+ s; becomes an event 300 s after its last detection, or 900 s after its first\n$/,
  );
  expect((await list("--camera-id", "yard", "--object-type", "dog")).err).toContain("now at yard");
  for (const others of ["--reviewed", "--object-type=car", "--end-date=-1h", "--deleted", "--min-risk-score=9", "--kind=camera_health"])
    expect((await list(others)).err, others).toBe("no events\n");
  // Programs get the list only
  expect((await list("-o", "csv")).err).toBe("");
});
