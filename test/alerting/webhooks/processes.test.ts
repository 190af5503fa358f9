import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noServices } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { type HomesecProcess, serveHomesec } from "../../support/homesec-process.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("two-processes");
let database: TestDatabase;
let target: Receiver;
let dead: Receiver;
let daemons: (HomesecProcess & { readonly url: string })[];

beforeAll(async () => {
  [database, target, dead] = await Promise.all([testDatabase(), receiver(), receiver(() => "hang")]);
  const env = {
    ...noServices,
    DATABASE_URL: database.url,
    SECRET_KEY_PATH: join(folder.path, "key"),
    WEBHOOK_TIMEOUT_SECONDS: "30",
    LOG_LEVEL: "debug",
  };
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

test("webhooks: two processes send to one webhook in order, each message once, while another target hangs", async () => {
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
  // One message at a time, and it hangs throughout
  expect(dead.received.length).toBe(1);
});

test("fault log: it names webhook and host, and no part of a path, header or secret", async () => {
  const failing = await receiver(({ path }) =>
    path.includes("gone") ? { status: 410 } : path.includes("cut") ? "reset" : { status: 500 },
  );
  const auths = [
    { type: "bearer", token: "s3cret-token" },
    { type: "basic", username: "s3cret-user", credential: "s3cret-credential" },
    { type: "header", header_name: "X-Key", header_value: "s3cret-key" },
  ];
  const secrets: string[] = [];
  const nobody = `http://127.0.0.1:${await freePort()}/hook`;
  for (const [n, url] of [failing.url, `${failing.url}/gone`, `${failing.url}/cut`, nobody].entries()) {
    const created = (await post(0, "outbound-webhooks", {
      name: "chat",
      url: `${url}/s3cret-path?t=s3cret-query`,
      event_types: ["alert_fired"],
      auth: auths[n % 3],
      custom_headers: { "X-My": "s3cret-header" },
      max_retries: 0,
    })) as { signing_secret: string };
    secrets.push(created.signing_secret.slice("whsec_".length));
  }
  await post(0, "alerts/rules", { name: "Each", cooldown_seconds: 0 });
  await post(0, "events/bulk", { events: [{ camera_id: "yard", started_at: "2026-01-02T00:00:00Z" }] });
  const output = () => daemons.map((daemon) => daemon.output()).join("");
  await eventually(() => output().split("webhook delivery failed").length > 4, {
    timeoutMs: 20_000,
    what: "four failures in the log",
  });
  expect(output()).toContain(`"host":"${new URL(nobody).host}"`);
  for (const secret of ["s3cret", ...secrets]) expect(output()).not.toContain(secret);
  await failing.close();
});
