import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { noServices } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { type Mode, modes, phoneHome, repeatsOf, timeoutSeconds } from "./support/phone-home.ts";
import { pressButtons } from "./support/pressed-buttons.ts";
import { report } from "./support/report.ts";
import { lookAt } from "./support/rows.ts";
import { patienceMs, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { create } from "./support/send.ts";

const kills = scale("CHAOS_PHONE_KILLS", { short: 1, long: 50 });
const chance = chanceOf("phones");
const folder = temporaryFolder("phones");
afterAll(() => folder.remove());

interface Sent {
  readonly channel: string;
  readonly event: number;
  readonly alert: string;
  readonly status: string;
  readonly reason: string | null;
  readonly dead: boolean;
}

test(`chaos: ${kills} kill -9 while each service of phones fails in every way: every alert arrives there once, or says why not`, async () => {
  const rows = { dataDir: folder.path };
  const phones = await phoneHome(chance);
  const caPath = join(folder.path, "push-service.pem");
  await writeFile(caPath, phones.ca);
  const env = {
    ...{ ...noServices, DATA_DIR: folder.path, PUBLIC_URL: "http://home.example.org", WEBHOOK_TIMEOUT_SECONDS: String(timeoutSeconds) },
    ...{ OUTBOUND_ALLOW: "127.0.0.1", NODE_EXTRA_CA_CERTS: caPath },
  };
  let daemon = await serveHomesec(env);
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const init = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(`${daemon.url}${path}`, init);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  await create(`${daemon.url}/api/cameras`, { name: "yard" });
  await phones.connect(daemon.url);
  await create(`${daemon.url}/api/alerts/rules`, { name: "Each", severity: "high", channels: ["push"], cooldown_seconds: 0 });

  const stored = new Set<number>();
  let n = 0;
  const load = async (count: number): Promise<void> => {
    const events = Array.from({ length: count }, () => ({
      camera_id: "yard",
      started_at: new Date(1_767_225_600_000 + 1000 * n++).toISOString(),
      risk_score: 70,
    }));
    const answer = await ask<{ results: { id: number | null }[] }>("/api/events/bulk", { events }).catch(() => undefined);
    for (const { id } of answer?.results ?? []) {
      if (id !== null) stored.add(id);
    }
  };
  // Telegram asks to wait, then says that another program reads
  const readAt: number[] = [];
  const readerFault = ({ path }: { readonly path: string }) => {
    if (!path.endsWith("/getUpdates")) return undefined;
    readAt.push(performance.now());
    const refusals = [
      phones.telegram.refusal(429, "Too Many Requests: retry after 6", { retry_after: 6 }),
      phones.telegram.refusal(409, "Conflict: terminated by other getUpdates request"),
    ];
    return refusals[readAt.length - 1];
  };
  const killedAt: number[] = [];
  /** Lets the waits of all retries pass, as after hours. */
  const passHours = (): Promise<unknown> =>
    lookAt(rows, (sql) => sql`update jobs j set available_at = now() where j.status = 'pending' and j.available_at > now()`);
  const restart = async (): Promise<void> => {
    daemon.kill("SIGKILL");
    killedAt.push(performance.now());
    await daemon.exit;
    if (killedAt.length === kills) {
      await phones.set("telegram", "well");
      phones.alsoBreak("telegram", readerFault);
    }
    daemon = await serveHomesec(env);
  };
  const sent = (): Promise<readonly Sent[]> =>
    lookAt(
      rows,
      (sql) => sql<Sent[]>`
        select n.channel, a.event_id::float8 as event, n.alert_id as alert, n.status, n.reason,
          exists (select from jobs j where j.subject = 'notification:' || n.notification_id and j.status = 'dead') as dead
        from notifications n
        join alerts a using (alert_id)
      `,
    );

  // One service at a time, all of them in the same way, and each in another way
  for (let round = 0; round < kills; round += 1) {
    const one = phones.providers[Math.floor(round / 3) % phones.providers.length];
    const mode = modes[1 + (Math.floor(round / 3) % (modes.length - 1))] as Mode;
    for (const provider of phones.providers) {
      await phones.set(provider, round % 3 === 0 ? chance.pick(modes) : round % 3 === 1 || provider === one ? mode : "well");
    }
    const until = performance.now() + chance.between(300, kills === 1 ? 1_000 : 6_000);
    for (let batch = 0; batch < 2; batch += 1) await load(2);
    if (chance.below(2) === 0) await passHours();
    await sleep(Math.max(0, until - performance.now()));
    await restart();
  }
  const waiting = (await sent()).find(({ status, reason }) => status === "waiting" && reason !== null);
  if (waiting) {
    const explained = JSON.stringify(await ask(`/api/alerts/${waiting.alert}/explain`));
    expect(explained).toContain(JSON.stringify(waiting.reason).slice(1, 40));
  }

  // All services work again; a test of each channel sends what waits
  for (const provider of phones.providers) await phones.set(provider, "well");
  await passHours();
  const { channels } = await ask<{ channels: { id: string }[] }>("/api/channels");
  for (const { id } of channels) expect(await ask(`/api/channels/${id}/test`, {})).toMatchObject({ success: true });
  await eventually(
    async () => {
      const [left] = await lookAt(
        rows,
        (sql) => sql<[{ n: number }]>`
          select (select count(*) from notifications n where n.status = 'waiting')::int
            + (select count(*) from jobs j where j.queue = 'alert')::int as n
        `,
      );
      return left.n === 0;
    },
    { timeoutMs: patienceMs, what: "the last message" },
  );

  // Every event has an alert, and every alert a message for each service
  const all = await sent();
  for (const id of stored) {
    const reached = all.filter(({ event }) => event === id).map(({ channel }) => channel);
    expect(reached.toSorted()).toEqual(phones.providers.toSorted());
  }
  const { blocked, troubled } = phones.counts();
  for (const { channel, event, alert, status, reason, dead } of all) {
    const taken = phones.receipts.filter((receipt) => receipt.provider === channel && receipt.event === event);
    if (status === "sent") {
      expect([channel, event, taken.length > 0]).toEqual([channel, event, true]);
      continue;
    }
    expect([channel, event, status, dead]).toEqual(["telegram", blocked, "failed", true]);
    const explained = JSON.stringify(await ask(`/api/alerts/${alert}/explain`));
    expect(explained).toContain("bot was blocked by the user");
    expect(reason).toContain("press Start or unblock it");
  }
  expect(all.filter(({ status }) => status === "failed").length).toBe(1);
  const { explained, byKill, wrong } = repeatsOf(phones.receipts, killedAt);
  expect(wrong).toEqual([]);
  const visible = ["telegram", "pushover", "gotify", "apprise"].reduce((sum, provider) => sum + (explained[provider] ?? 0), 0);
  const repeated = Object.values(explained).reduce((sum, count) => sum + count, 0);
  report("kill -9, services of phones unreliable", {
    ...{ kills, acknowledged: stored.size, messages: all.length, "requests that failed on purpose": troubled },
    ...{ "sent again because the answer was lost": repeated - byKill, "sent again because of a kill": byKill },
    ...{ "of these shown twice": visible, "refused for good": 1 },
  });
  await expect.poll(() => readAt.length, { timeout: 30_000 }).toBeGreaterThan(2);
  const [limitedAt = 0, conflictAt = 0, wellAt = 0] = readAt;
  expect(conflictAt - limitedAt).toBeGreaterThan(5_950);
  expect(wellAt - conflictAt).toBeGreaterThan(4_950);
  phones.alsoBreak("telegram", undefined);
  const faultLines = daemon
    .output()
    .split("\n")
    .filter((line) => line.includes('"telegram ') && line.includes("cannot read the buttons"));
  expect(faultLines).toEqual([expect.stringContaining("Telegram answered 429")]);
  const answered = await pressButtons({
    ...{ phones, rows, keyPath: join(folder.path, "secret.key") },
    kill: async () => {
      daemon.kill("SIGKILL");
      await daemon.exit;
    },
    start: async () => {
      daemon = await serveHomesec(env);
    },
    raise: async () => {
      await load(1);
      return [...stored].at(-1) ?? 0;
    },
  });
  await allDone(rows);
  const { violations, figures } = await judge(rows, { acknowledged: stored });
  expect(violations).toEqual([]);
  report("buttons pressed at the worst moments", { kills: answered, "alerts answered once": answered, ...figures });
  daemon.kill("SIGTERM");
  expect((await daemon.exit).code).toBe(0);
  await phones.close();
}, 3_600_000);
