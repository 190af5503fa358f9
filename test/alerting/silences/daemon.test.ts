import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startBinary } from "../../support/cli.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type HomesecProcess, serveHomesec } from "../../support/homesec-process.ts";
import { type MailServer, mailServer } from "../../support/mail-server.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../../support/upstream.ts";

/* End to end: the real program and command line, with a mail server and a webhook receiver. */

type Served = HomesecProcess & { readonly url: string };

const folders = [temporaryFolder("silences"), temporaryFolder("silences")];
let database: TestDatabase;
let services: readonly StandIn[];
let mails: MailServer;
let hook: Receiver;
let running: Served[] = [];
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  const [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
  services = [detector, model];
  [database, mails, hook] = await Promise.all([testDatabase(), mailServer(), receiver()]);
  env = {
    ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, DEFAULT_WEBHOOK_URL: hook.url },
    ...{
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(mails.port),
      SMTP_FROM_ADDRESS: "home@example.org",
      DEFAULT_EMAIL_RECIPIENTS: "ada@example.org",
    },
  };
  await database.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Back yard', '/yard')`);
});
afterAll(async () => {
  await end("SIGKILL");
  await Promise.all([...services.map((service) => service.close()), mails.close(), hook.close()]);
  await database.close();
  await Promise.all(folders.map((folder) => folder.remove()));
});

const serve = async (at: 0 | 1): Promise<Served> => {
  const served = await serveHomesec({ ...env, DATA_DIR: folders[at]?.path ?? "" });
  running.push(served);
  return served;
};
const end = async (signal: NodeJS.Signals) => {
  for (const served of running) served.kill(signal);
  await Promise.all(running.map(({ exit }) => exit));
  running = [];
};
const post = async ({ url }: Served, path: string, body: object) => {
  const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as { id: string; results: { id: number }[] };
};
const event = async (served: Served, summary: string): Promise<number> => {
  const given = { camera_id: "yard", started_at: new Date().toISOString(), summary, risk_score: 72 };
  return (await post(served, "/api/events/bulk", { events: [given] })).results[0]?.id as number;
};
const homesec = async ({ url }: Served, ...args: string[]) => {
  const { exitCode, stdout, stderr } = await startBinary(args, { env: { HOMESEC_URL: url, TZ: "UTC" } });
  return { code: exitCode, out: String(stdout), err: String(stderr) };
};
const heldBack = async ({ url }: Served, id: string): Promise<number> =>
  ((await (await fetch(`${url}/api/silences/${id}`)).json()) as { held_back: number }).held_back;
/** Programs start slowly on a busy machine. */
const patience = { timeoutMs: 60_000 };

it("silence: starts from the command line, survives kill -9 and sends one summary by mail and webhook at its end", {
  timeout: 180_000,
}, async () => {
  const first = await serve(0);
  await post(first, "/api/alerts/rules", { name: "Somebody", severity: "high", channels: ["email", "webhook"], cooldown_seconds: 0 });
  const added = await homesec(first, "silence", "add", "--camera", "yard", "--for", "1h", "--reason", "The painters", "-o", "json");
  expect(added).toMatchObject({ code: 0, err: expect.stringContaining("started; end it early") });
  const { id, ...silence } = JSON.parse(added.out) as { id: string };
  expect(silence).toMatchObject({
    camera_id: "yard",
    camera_name: "Back yard",
    rule_id: null,
    reason: "The painters",
    status: "active",
    held_back: 0,
  });

  const hidden = await event(first, "Somebody with a ladder.");
  await eventually(async () => (await heldBack(first, id)) === 1, patience);
  const explained = await homesec(first, "explain", "event", String(hidden));
  expect(explained.out.replace(/\s+/g, " ")).toContain(`matched, but the silence ${id} ("The painters") (until`);

  await end("SIGKILL");
  const [second] = [await serve(0), await serve(1)];
  await event(second, "Somebody with a bucket.");
  await eventually(async () => (await heldBack(second, id)) === 2, patience);
  const health = (await (await fetch(`${second.url}/api/system/health`)).json()) as {
    recent_events: { event_type: string; message: string }[];
  };
  expect(health.recent_events).toContainEqual(
    expect.objectContaining({ event_type: "silenced", message: expect.stringContaining("alerts of Back yard are silenced until") }),
  );
  const [alerts, cameras, list, ...refused] = await Promise.all([
    homesec(second, "alerts", "list"),
    homesec(second, "cameras", "show", "yard"),
    homesec(second, "silence", "list", "--status", "active"),
    homesec(second, "silence", "show", "nothing"),
    homesec(second, "silence", "add", "--camera", "yard", "--for", "2h"),
    homesec(second, "silence", "add", "--camera", "nowhere", "--for", "2h", "--reason", "x"),
  ]);
  expect(alerts).toMatchObject({
    code: 0,
    err: expect.stringMatching(/muted: Back yard until .*: The painters; 2 alerts muted so far/),
  });
  expect(cameras.out).toMatch(/\nmuted +Back yard until .*The painters/);
  expect(list.out).toMatch(new RegExp(`${id} +active +Back yard .* 2 +The painters`));
  expect(refused).toMatchObject([
    { code: 3, out: "", err: expect.stringContaining("Silence nothing does not exist") },
    { code: 2, out: "", err: expect.stringContaining("--reason") },
    { code: 3, out: "", err: expect.stringContaining("Camera nowhere does not exist") },
  ]);
  expect([mails.mails.length, hook.received.length]).toEqual([0, 0]);

  // Two daemons notice the end.
  expect(await homesec(second, "silence", "end", id)).toMatchObject({ code: 0, out: expect.stringMatching(/status +ended\n/) });
  expect(await homesec(second, "silence", "end", id)).toMatchObject({ code: 5, err: expect.stringContaining(`Silence ${id} ended at`) });
  await eventually(() => mails.mails.length > 0 && hook.received.length > 0, patience);
  expect(mails.mails[0]?.mail.headers["subject"]).toBe("The silence for Back yard has ended; it muted 2 alerts");
  for (const fact of [
    "Reason: The painters",
    "(ended early)",
    'Back yard: Somebody with a ladder. (rule "Somebody")',
    "Somebody with a bucket.",
  ]) {
    expect(mails.mails[0]?.mail.text).toContain(fact);
  }
  expect(JSON.parse(hook.received[0]?.body ?? "")).toMatchObject({
    type: "silence_ended",
    silence: { id, camera_id: "yard", rule_id: null, reason: "The painters" },
    held_back: {
      count: 2,
      events: [
        { summary: "Somebody with a ladder.", rule_name: "Somebody", camera_name: "Back yard", event_url: expect.stringMatching(/^\/api/) },
        { summary: "Somebody with a bucket." },
      ],
    },
  });
  // The next event alerts again, and is the next message.
  await event(second, "Somebody without anything.");
  await eventually(() => mails.mails.length > 1 && hook.received.length > 1, patience);
  expect(hook.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(["silence_ended", "security_alert"]);
  expect(mails.mails.map(({ mail }) => mail.headers["subject"]?.slice(0, 11))).toEqual(["The silence", "[High] Some"]);
});

it("silence: one that ended while the daemon was down sends its summary at the next start", { timeout: 120_000 }, async () => {
  const [daemon] = running as [Served];
  const { id } = await post(daemon, "/api/silences", { all: true, duration_seconds: 600, reason: "Moving in" });
  await event(daemon, "Somebody with a sofa.");
  await eventually(async () => (await heldBack(daemon, id)) === 1, patience);
  await end("SIGTERM");
  const before = [mails.mails.length, hook.received.length];
  // As if the time had passed while homesec was off.
  await database.db.query(
    (sql) => sql`update silences s set created_at = now() - interval '2 h', ends_at = now() - interval '1 h' where s.silence_id = ${id}`,
  );
  await serve(1);
  await eventually(() => mails.mails.length > (before[0] ?? 0) && hook.received.length > (before[1] ?? 0), patience);
  expect(mails.mails.at(-1)?.mail.headers["subject"]).toBe("The silence for everything has ended; it muted 1 alert");
  const [told] = await database.db.query(
    (sql) => sql<[{ count: number }]>`select count(*) as count from notifications n where n.silence_id = ${id}`,
  );
  expect(told.count).toBe(2);
});

it("mode: a switch of the command line reaches live clients and both daemons, survives kill -9, and the entry delay cancels the mail", {
  timeout: 180_000,
}, async () => {
  await end("SIGTERM");
  const first = await serve(0);
  const second = await serve(1);
  await post(first, "/api/alerts/rules", { name: "Nobody home", channels: ["email"], modes: ["away"], cooldown_seconds: 0 });
  expect((await homesec(first, "modes", "update", "away", "--exit-delay", "2s", "--entry-delay", "60s")).code).toBe(0);
  const messages: { type: string; data: { mode: string; pending: { mode: string } | null } }[] = [];
  const socket = new WebSocket(`${second.url.replace("http", "ws")}/ws/events`);
  socket.on("message", (data) => messages.push(JSON.parse(String(data))));
  await eventually(() => messages.some(({ type }) => type === "connected"), patience);

  expect((await homesec(first, "mode", "away")).out).toMatch(/mode +home\n[\s\S]*next +away at /);
  const modeOf = async ({ url }: Served) => ((await (await fetch(`${url}/api/mode`)).json()) as { mode: string }).mode;
  const changes = () => messages.filter(({ type }) => type === "mode.changed").map(({ data }) => [data.mode, data.pending?.mode ?? null]);
  await eventually(() => changes().length === 2, patience);
  expect(changes()).toEqual([
    ["home", "away"],
    ["away", null],
  ]);
  socket.close();
  await end("SIGKILL");

  const third = await serve(0);
  expect(await modeOf(third)).toBe("away");
  const before = mails.mails.length;
  const id = await event(third, "Somebody at the door.");
  const statuses = async () => {
    const { items } = (await (await fetch(`${third.url}/api/alerts?event_id=${id}`)).json()) as {
      items: { status: string; alert_metadata: { rule_name: string } }[];
    };
    return items.filter(({ alert_metadata }) => alert_metadata.rule_name === "Nobody home").map(({ status }) => status);
  };
  await eventually(async () => (await statuses()).includes("pending"), patience);
  expect((await homesec(third, "mode", "home")).code).toBe(0);
  expect(await statuses()).toEqual(["dismissed"]);
  const explained = await homesec(third, "explain", "event", String(id));
  expect(explained.out.replace(/\s+/g, " ")).toContain("switched to home within the entry delay of away");
  const history = await homesec(third, "modes", "history", "-o", "csv", "--fields", "mode,previous_mode");
  expect(history.out.trim().split(/\r?\n/)).toEqual(["mode,previous_mode", "home,away", "away,home"]);
  // The rule without modes sent its mail; the other one sent none
  await eventually(() => mails.mails.length > before, patience);
  expect(
    mails.mails
      .slice(before)
      .map(({ mail }) => mail.text)
      .join("\n"),
  ).not.toContain("Nobody home");
});
