import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { read, root } from "../project.ts";
import { npmSettings } from "./npm.ts";
import { type Offline, openOffline } from "./offline.ts";
import { expectPages } from "./page.ts";
import { type Person, people, Shell, until } from "./shell.ts";

/*
 * The README's commands, typed in a fresh clone whose path has spaces and umlauts, with each Node.js and as each user. Everything behind
 * `npm ci` runs without a network and without any setting. NODES names the folders of more versions: NODES=/opt/node22/bin:/opt/node24/bin
 */

const place = mkdtempSync(join(tmpdir(), "homesec-readme-"));
chmodSync(place, 0o755);
const clone = join(place, "Haus Tür ä/homesec");
/** npm puts everything it gets into this cache, so that the first installation is one with an empty cache. */
const cache = join(place, "npm-cache");
const nodes = [undefined, ...(process.env["NODES"] ?? "").split(delimiter).filter((folder) => folder !== "")];
const tries = nodes.flatMap((node) =>
  people.map((person) => ({ node, person, title: `${node ?? "Node.js of this run"}, ${person.name}` })),
);

interface Row {
  readonly node: string;
  readonly user: string;
  readonly cache: string;
  readonly install: number;
  readonly event: number;
  readonly load: string;
}
const rows: Row[] = [];

let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  settings = { ...(await npmSettings()), npm_config_cache: cache };
});
afterAll(() => {
  rmSync(place, { recursive: true, force: true });
  const seconds = (value: number): string => `${value.toFixed(1)} s`;
  const lines = rows.map((row) => {
    const times = [row.install, row.event, row.install + row.event].map(seconds);
    return `| ${[row.node, row.user, row.cache, ...times, row.load].join(" | ")} |`;
  });
  process.stdout.write(
    `\n| Node.js | user | npm cache | npm ci | demo to judged event | together | load |\n|---|---|---|---|---|---|---|\n${lines.join("\n")}\n\n`,
  );
});

describe.each(tries)("README, typed in a clone with $title", ({ node, person }) => {
  const home = join(place, "home");
  let shell: Shell;
  let install = 0;
  let filled = "";
  // Another one for each try: root's data lie in it
  let offline: Offline;
  afterAll(() => offline.close());

  beforeAll(async () => {
    for (const folder of [join(place, "Haus Tür ä"), home]) rmSync(folder, { recursive: true, force: true });
    filled = existsSync(join(cache, "_cacache")) ? "filled" : "empty";
    offline = await openOffline();
    for (const folder of [cache, home]) mkdirSync(folder, { recursive: true });
    await execa("git", ["clone", "--quiet", root, clone]);
    await hand([clone, home, cache], person);
    const path = node === undefined ? settings["PATH"] : `${node}${delimiter}${settings["PATH"]}`;
    const env = { ...settings, PATH: path ?? "", HOME: home };
    const started = performance.now();
    // Only root's npm reads root's settings; the cache has everything by then
    const own = person.ids ? { npm_config_userconfig: join(home, ".npmrc"), npm_config_offline: "true" } : {};
    const installed = await new Shell({ person, cwd: clone, env: { ...env, ...own } }).run("npm", ["ci"]);
    install = (performance.now() - started) / 1000;
    expect(installed.code, installed.err + installed.out).toBe(0);
    shell = new Shell({ person, cwd: clone, env: { PATH: env.PATH, HOME: home, LANG: "C.UTF-8" }, inside: offline.inside });
  });

  it("README: the demo judges an event, without a network", async () => {
    expect(read("README.md")).toContain("```sh\nnpm ci\n./homesec demo\n```");
    const started = performance.now();
    const demo = await shell.run("./homesec", ["demo", "--once"]);
    const event = (performance.now() - started) / 1000;
    expect([demo.code, demo.out], demo.err).toEqual([0, expect.stringMatching(/event scored +event 1: risk \d+ of 100/)]);
    const scored = Number(/([\d.]+) s +event scored/.exec(demo.out)?.[1] ?? event);
    const { out } = await shell.run("node", ["--version"]);
    const load = loadavg()[0]?.toFixed(1) ?? "";
    rows.push({ node: out.trim(), user: person.name, cache: filled, install, event: scored, load });
  });

  it("README: a picture in a camera's folder becomes a judged event, the page answers, and it stops", async () => {
    const daemon = shell.start("./homesec", ["serve"]);
    try {
      await shell.run("./homesec", ["health", "--wait", "90s"]);
      const { out } = await shell.run("./homesec", ["cameras", "add", "yard", "-o", "json"]);
      const { folder_path: folder } = JSON.parse(out) as { folder_path: string };
      const trigger = await shell.run("./homesec", ["trigger", "demo/pictures/walkway-0001.jpg", "--camera", "yard", "-o", "json"]);
      expect(JSON.parse(trigger.out), trigger.err).toMatchObject({ status: "processed" });
      // Within the network, where root has another /var/lib
      await shell.run("cp", ["demo/pictures/walkway-0060.jpg", folder]);
      const events = async () => (await shell.run("./homesec", ["events", "list", "-o", "ndjson"])).out.trim();
      await until(async () => /"risk_score":\d/.test(await events()), "judged event");
      await until(async () => /walkway-0060/.test((await shell.run("./homesec", ["detections", "list", "-o", "json"])).out), "detection");
      await expectPages(shell, "http://127.0.0.1:8000");
    } finally {
      expect(await daemon.stop(), daemon.said()).toBe(0);
    }
  });
});

/** Gives folders to a user, with all files that the last one left there. */
async function hand(folders: readonly string[], { ids }: Person): Promise<void> {
  const [uid, gid] = [ids?.uid ?? process.getuid?.(), ids?.gid ?? process.getgid?.()];
  await execa("chown", ["-R", `${uid}:${gid}`, ...folders]);
}
