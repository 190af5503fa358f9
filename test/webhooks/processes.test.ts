import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder("two-processes");
let database: TestDatabase;
let target: Receiver;
let dead: Receiver;
let daemons: (HomesecProcess & { readonly url: string })[];

beforeAll(async () => {
  [database, target, dead] = await Promise.all([testDatabase(), receiver(), receiver(() => "hang")]);
  const env = { DATABASE_URL: database.url, SECRET_KEY_PATH: join(folder.path, "key"), WEBHOOK_TIMEOUT_SECONDS: "30" };
  const first = await serveHomesec({ ...env, DATA_DIR: join(folder.path, "one") });
  daemons = [first, await serveHomesec({ ...env, DATA_DIR: join(folder.path, "two") })];
});
afterAll(async () => {
  for (const daemon of daemons ?? []) daemon.kill("SIGKILL");
  await Promise.all([...(daemons ?? []).map(({ exit }) => exit), target.close(), dead.close()]);
  await database.close();
  folder.remove();
});

const post = async (n: number, path: string, body: unknown): Promise<unknown> => {
  const response = await fetch(`${daemons[n % 2]?.url}/api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return await response.json();
};

test("two processes send to one webhook in the order in which things happened, each message once, while another target hangs", async () => {
  await post(0, "cameras", { name: "yard" });
  for (const { url } of [target, dead]) {
    await post(0, "outbound-webhooks", { name: "hook", url, event_types: ["event_created"], max_retries: 0 });
  }
  const ids: number[] = [];
  for (let n = 0; n < 40; n += 1) {
    const events = [{ camera_id: "yard", started_at: new Date(1_767_225_600_000 + n * 1000).toISOString() }];
    const { results } = (await post(n, "events/bulk", { events })) as { results: { id: number }[] };
    ids.push(results[0]?.id ?? 0);
  }
  const told = () => target.received.map(({ body }) => (JSON.parse(body) as { data: { id: number } }).data.id);
  await eventually(() => told().length >= ids.length, { timeoutMs: 30_000, what: "every event at the target" });
  expect(told()).toEqual(ids);
  // one message at a time, which hangs all the while
  expect(dead.received.length).toBe(1);
});
