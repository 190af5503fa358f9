import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { receiver } from "../../support/receiver.ts";
import { manifest, root } from "../project.ts";
import { npmSettings } from "./npm.ts";
import { expectPages } from "./page.ts";
import { Shell, until } from "./shell.ts";

/** The commits of the releases. `test/releases/upgrade.test.ts` has records of them; here they run for real. */
const releases = [
  { version: "0.1.0", commit: "a30a44ce" },
  { version: "0.2.0", commit: "9f221b48" },
] as const;

const place = mkdtempSync(join(tmpdir(), "homesec-upgrade-"));
chmodSync(place, 0o755);
afterAll(() => rmSync(place, { recursive: true, force: true }));

type Row = Readonly<Record<string, unknown>>;
/** Lists whose records an update must leave as they are. */
const lists = [
  ...["/api/events?limit=100", "/api/detections?limit=100", "/api/images?limit=100", "/api/cameras", "/api/alerts?limit=100"],
  ...["/api/alerts/rules", "/api/silences", "/api/outbound-webhooks"],
];
const picture = (number: string): string => join(root, `demo/pictures/walkway-${number}.jpg`);

describe.each(releases)("update from the program of homesec $version, with its data", ({ version, commit }) => {
  const home = join(place, version);
  const cameras = join(home, "cameras");
  const old = join(home, "clone/dist/bin/homesec.js");
  const program = join(root, "dist/bin/homesec.js");
  let url = "";
  let shell: Shell;
  let target: Awaited<ReturnType<typeof receiver>>;
  const run = (file: string, ...args: readonly string[]) => shell.run("node", [file, ...args]);
  const start = async (file: string) => {
    const daemon = shell.start("node", [file, "serve"]);
    expect((await run(file, "health", "--wait", "120s")).err, daemon.said()).toContain("ready");
    return daemon;
  };
  const ask = async (path: string): Promise<readonly Row[]> => {
    const body = (await (await fetch(`${url}${path}`)).json()) as Readonly<Record<string, readonly Row[]>> & readonly Row[];
    return Array.isArray(body) ? body : (body["items"] ?? body["webhooks"] ?? body["rules"] ?? body["cameras"] ?? body["silences"] ?? []);
  };
  const seen = async () => Object.fromEntries(await Promise.all(lists.map(async (path) => [path, await ask(path)] as const)));
  const judged = async (): Promise<number> => (await ask("/api/events?limit=100")).filter((event) => event["risk_score"] !== null).length;
  let before: Awaited<ReturnType<typeof seen>>;

  beforeAll(async () => {
    expect(existsSync(program), "npm run build comes first").toBe(true);
    mkdirSync(cameras, { recursive: true });
    await execa("git", ["clone", "--quiet", root, join(home, "clone")]);
    await execa("git", ["checkout", "--quiet", commit], { cwd: join(home, "clone") });
    const settings = await npmSettings();
    await execa("npm", ["ci"], { cwd: join(home, "clone"), env: { ...settings, HOME: home }, extendEnv: false });
    target = await receiver();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const own = { DATA_DIR: join(home, "data"), CAMERA_ROOT: cameras, PORT: String(port), BATCH_IDLE_TIMEOUT_SECONDS: "2" };
    const env = { PATH: settings["PATH"] ?? "", HOME: home, OUTBOUND_ALLOW: "127.0.0.1", RATE_LIMIT_ENABLED: "false", ...own };
    shell = new Shell({ person: { name: "the current user", ids: undefined }, cwd: home, env });
  });
  afterAll(() => target.close());

  it("update: the old program stores an evening", async () => {
    const daemon = await start(old);
    try {
      for (const words of [
        ["cameras", "add", "Yard", "--camera-id", "yard"],
        ["rules", "add", "--name", "Person", "--severity", "high", "--object-types", "person"],
        ["webhooks", "add", "house", target.url, "--event-types", "alert_fired"],
        ["silence", "add", "--camera", "yard", "--for", "1s", "--reason", "the gardener"],
      ])
        expect((await run(old, ...words)).err).not.toContain("homesec:");
      for (const number of ["0001", "0060"]) cpSync(picture(number), join(cameras, "yard", `${number}.jpg`));
      await until(async () => (await judged()) === 1, "judged event");
      await until(async () => (await ask("/api/alerts?limit=100")).length === 1, "alert");
      await until(async () => target.received.length > 0, "delivery");
      await run(old, "events", "note", "1", "the postman");
      before = await seen();
      expect((await run(old, "db", "backup", join(home, "old.backup"))).code).toBe(0);
    } finally {
      expect(await daemon.stop(), daemon.said()).toBe(0);
    }
    expect(Object.values(before).map((rows) => rows.length > 0)).toEqual(lists.map(() => true));
  });

  it("update: nothing is lost, the page answers, and the next picture becomes the next event", async () => {
    const daemon = await start(program);
    try {
      const now = await seen();
      for (const path of lists)
        for (const row of before[path] ?? [])
          expect(
            (now[path] ?? []).find(({ id }) => id === row["id"]),
            path,
          ).toMatchObject(lasting(path, row));
      await expectPages(shell, url);
      cpSync(picture("0180"), join(cameras, "yard", "0180.jpg"));
      await until(async () => (await judged()) === 2, "second event");
      expect((await run(program, "events", "show", "1")).out).toContain("the postman");
      expect((await run(program, "--version")).out).toBe(`${manifest.version}\n`);
    } finally {
      expect(await daemon.stop(), daemon.said()).toBe(0);
    }
  });

  it("update: the old program refuses the newer data and says what to do; its backup can be restored", async () => {
    const refused = await run(old, "serve");
    expect([refused.code, refused.err]).toEqual([5, expect.stringMatching(/newer homesec.*install that version.*or restore a backup/s)]);
    const restored = new Shell({
      person: { name: "the current user", ids: undefined },
      cwd: home,
      env: { PATH: process.env["PATH"] ?? "", HOME: home, DATA_DIR: join(home, "again"), CAMERA_ROOT: cameras },
    });
    expect((await restored.run("node", [old, "db", "restore", join(home, "old.backup")])).code).toBe(0);
    expect((await restored.run("node", [old, "--direct", "events", "show", "1"])).out).toContain("the postman");
  });
});

/** What an update must leave of a record: all but the fields of a camera that change while a daemon runs. New fields may come. */
function lasting(path: string, row: Row): Row {
  const moving = path === "/api/cameras" ? ["status", "status_reason", "last_seen_at", "updated_at"] : [];
  return Object.fromEntries(Object.entries(row).filter(([name]) => !moving.includes(name)));
}
