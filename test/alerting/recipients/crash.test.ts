import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { endWhatRuns, type HomesecProcess, startHomesec } from "../../support/homesec-process.ts";
import { ntfyServer } from "../../support/phones/ntfy.ts";
import { temporaryFolder } from "../../support/temporary.ts";

let database: TestDatabase;
let ntfy: Awaited<ReturnType<typeof ntfyServer>>;
let folder: ReturnType<typeof temporaryFolder>;
let url = "";

beforeAll(async () => {
  [database, ntfy] = await Promise.all([testDatabase({ max: 1 }), ntfyServer({ token: "tk_of_the_house" })]);
  folder = temporaryFolder("recipients");
  await mkdir(join(folder.path, "cameras"), { recursive: true });
});
afterAll(async () => {
  await endWhatRuns();
  await Promise.all([database.close(), ntfy.close(), folder.remove()]);
});

async function start(): Promise<HomesecProcess> {
  const env = { DATA_DIR: folder.path, DATABASE_URL: database.url, PORT: "0", LOG_FORMAT: "json", AUTO_CREATE_CAMERAS: "false" };
  const daemon = startHomesec(["serve"], env, folder.path);
  const [found] = await daemon.printed(/http:\/\/127\.0\.0\.1:\d+/);
  url = found;
  return daemon;
}

async function crash(daemon: HomesecProcess): Promise<void> {
  daemon.kill("SIGKILL");
  await daemon.exit;
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const method = body ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {};
  const response = await fetch(`${url}${path}`, method);
  expect(response.ok).toBe(true);
  return (await response.json()) as T;
}

const titles = (): readonly string[] =>
  ntfy.messages.map(({ topic, title }) => `${topic} ${title?.startsWith("Unanswered") ? "again" : "first"}`);
const sent = async (): Promise<number> => {
  const [row] = await database.db.query(
    (sql) => sql<[{ count: number }]>`select count(*)::integer as count from notifications n where n.status = 'sent'`,
  );
  return row.count;
};

it("recipients: a repeat and an escalation that are due while homesec is killed come once, and end when one person acknowledges", async () => {
  const first = await start();
  const settings = { server: ntfy.url, token: "tk_of_the_house" };
  for (const topic of ["anna", "ben"])
    await ask("/api/channels", { name: `${topic} phone`, kind: "ntfy", settings: { ...settings, topic } });
  await ask("/api/recipients", { name: "Ben", channels: ["ben phone"] });
  await ask("/api/recipients", { name: "Anna", channels: ["anna phone"], escalate_to: "Ben" });
  await ask("/api/alerts/rules", { name: "Night", severity: "critical", channels: ["Anna"] });
  await ask("/api/cameras", { name: "Yard", folder_path: join(folder.path, "cameras", "yard") });
  await ask("/api/events/bulk", { events: [{ camera_id: "yard", started_at: new Date().toISOString(), risk_score: 90 }] });
  await expect.poll(sent, { timeout: 20_000 }).toBe(1);
  await crash(first);

  await database.db.query((sql) => sql`update alert_recipients set due_at = now(), escalate_at = now()`);
  const second = await start();
  await expect.poll(sent, { timeout: 20_000 }).toBe(3);
  expect([...titles()].toSorted()).toEqual(["anna again", "anna first", "ben again"]);
  await crash(second);

  await start();
  const { items } = await ask<{ items: { id: string }[] }>("/api/alerts");
  await ask(`/api/alerts/${items[0]?.id}/acknowledge`, {});
  await database.db.query((sql) => sql`update alert_recipients set due_at = now() where due_at is not null`);
  const due = async () => (await database.db.query((sql) => sql`select from alert_recipients where due_at is not null`)).length;
  await expect.poll(due, { timeout: 20_000 }).toBe(0);
  // No message came since, and each says now that it is acknowledged
  await expect.poll(() => ntfy.messages.map(({ message }) => message.startsWith("Acknowledged"))).toEqual([true, true, true]);
});
