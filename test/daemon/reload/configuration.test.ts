import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { noServices } from "../../support/daemon.ts";
import { type HomesecProcess, startHomesec } from "../../support/homesec-process.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("reload");
// PostgreSQL runs as another user if the tests run as root
chmodSync(folder.path, 0o755);
afterAll(() => folder.remove());

interface Running extends HomesecProcess {
  readonly url: string;
  readonly cwd: string;
  /** The log lines about the configuration up to now. */
  readonly lines: () => readonly { readonly level: string; readonly msg: string; readonly error?: string; readonly variables?: string[] }[];
}

let running: Running | undefined;
afterEach(async () => {
  running?.kill("SIGTERM");
  await running?.exit;
});

let count = 0;
/** Starts the real daemon in a new working folder. */
async function start(env: Readonly<Record<string, string>> = {}, args: readonly string[] = []): Promise<Running> {
  count += 1;
  const cwd = join(folder.path, String(count));
  mkdirSync(cwd);
  writeFileSync(join(cwd, "homesec.conf"), "");
  const homesec = startHomesec(
    ["serve", ...args],
    {
      ...{ PORT: "0", LOG_FORMAT: "json", RATE_LIMIT_ENABLED: "false", DATA_DIR: join(cwd, "data") },
      ...{ ...noServices, VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false" },
      ...env,
    },
    cwd,
  );
  const [, url] = await homesec.printed(/API\s+(http:\/\/\S+)/, 120_000);
  const lines = () =>
    homesec
      .output()
      .split("\n")
      .filter((line) => line.includes('"part":"configuration"'))
      .map((line) => JSON.parse(line));
  running = { ...homesec, url: url as string, cwd, lines };
  return running;
}

const settings = async ({ url }: Running) => (await (await fetch(`${url}/api/system/config`)).json()) as Record<string, unknown>;

/** Runs another command in a folder without a configuration. */
async function homesec(args: readonly string[], { url, cwd }: Running): Promise<string> {
  const command = startHomesec([...args, "--url", url], { DATA_DIR: join(cwd, "data") }, folder.path);
  await command.exit;
  return command.output();
}

describe("configuration of a running daemon", () => {
  it("reload: values that can change are applied without a restart, in the documented order of precedence", async () => {
    const daemon = await start({ BATCH_WINDOW_SECONDS: "60" }, ["--config", "homesec.conf"]);
    writeFileSync(join(daemon.cwd, "homesec.conf"), "RETENTION_DAYS=11\nDETECTION_CONFIDENCE_THRESHOLD=0.7\nLOG_LEVEL=debug\n");
    await expect.poll(() => settings(daemon)).toMatchObject({ retention_days: 11, detection_confidence_threshold: 0.7 });
    await expect.poll(() => daemon.output()).toContain('"level":"debug"');

    // .env, which was missing, beats the file of --config; the environment beats both
    writeFileSync(join(daemon.cwd, ".env.tmp"), "RETENTION_DAYS=12\nBATCH_WINDOW_SECONDS=5\n");
    renameSync(join(daemon.cwd, ".env.tmp"), join(daemon.cwd, ".env"));
    await expect.poll(() => settings(daemon)).toMatchObject({ retention_days: 12, batch_timeout_seconds: 60 });

    // a value set over the API beats them all
    await fetch(`${daemon.url}/api/system/config`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ retention_days: 99 }),
    });
    writeFileSync(join(daemon.cwd, ".env"), "RETENTION_DAYS=13\nDETECTION_CONFIDENCE_THRESHOLD=0.6\n");
    await expect.poll(() => settings(daemon)).toMatchObject({ retention_days: 99, detection_confidence_threshold: 0.6 });
    expect(daemon.lines().filter(({ level }) => level !== "info")).toEqual([]);
  });

  it("reload: the log, health and doctor name variables that need a restart until they are changed back", async () => {
    const daemon = await start();
    writeFileSync(join(daemon.cwd, ".env"), "CORS_ORIGINS=http://example.org\nDETECT_CONCURRENCY=3\nLOG_RETENTION_DAYS=3\n");
    await expect.poll(daemon.lines).toHaveLength(2);
    expect(daemon.lines()).toMatchObject([
      { level: "info", msg: "configuration changed, applied: LOG_RETENTION_DAYS" },
      { level: "warn", msg: "configuration changed, restart needed: CORS_ORIGINS, DETECT_CONCURRENCY" },
    ]);
    const text = "restart needed: CORS_ORIGINS, DETECT_CONCURRENCY";
    expect(await homesec(["health"], daemon)).toContain(`configuration: ${text}`);
    expect(await homesec(["doctor", "--only", "configuration-applied"], daemon)).toContain(text);

    writeFileSync(join(daemon.cwd, ".env"), "LOG_RETENTION_DAYS=3\n");
    await expect.poll(() => daemon.lines().at(-1)?.msg).toBe("configuration changed back, no restart needed");
    expect(await homesec(["health"], daemon)).not.toContain("restart needed");
  });

  it("reload: a mistake keeps the running values and is logged once; health and doctor show its line and reason", async () => {
    const daemon = await start();
    writeFileSync(join(daemon.cwd, ".env"), "# days\nRETENTION_DAYS=20\n");
    await expect.poll(() => settings(daemon)).toMatchObject({ retention_days: 20 });
    const wrong = "# days\nRETENTION_DAYS=twenty\nSMTP_PASSWORD=geheim\n";
    writeFileSync(join(daemon.cwd, ".env"), wrong);
    const reason = 'RETENTION_DAYS="twenty" (.env, line 2): must be a whole number from 1 to 3650 (days)';
    await expect.poll(() => daemon.lines().at(-1)?.level).toBe("error");
    expect(daemon.lines().at(-1)).toMatchObject({
      msg: "the configuration has errors; the running values stay in force",
      error: `the configuration has an error: ${reason}`,
    });
    expect(await settings(daemon)).toMatchObject({ retention_days: 20 });
    expect(await homesec(["health"], daemon)).toContain(reason);
    const doctor = await homesec(["doctor", "--only", "configuration-applied"], daemon);
    expect(doctor).toContain(reason);

    // saved again with the same mistake: no second line
    writeFileSync(join(daemon.cwd, ".env"), `${wrong}# saved again\n`);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(daemon.lines().filter(({ level }) => level === "error")).toHaveLength(1);

    writeFileSync(join(daemon.cwd, ".env"), "RETENTION_DAYS=21\n");
    await expect.poll(() => settings(daemon)).toMatchObject({ retention_days: 21 });
    expect(daemon.lines().map(({ msg }) => msg)).toContain("the configuration has no errors any more");
    expect(await homesec(["health"], daemon)).not.toContain("RETENTION_DAYS");
    expect(daemon.output()).not.toContain("geheim");
  });

  it("reload: if the system has no watches left, the files are polled, and the log reports that", async () => {
    const preload = join(folder.path, "no-watches.mjs");
    writeFileSync(
      preload,
      `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
       fs.watch = () => { throw Object.assign(new Error("ENOSPC: System limit for number of file watchers reached"), { code: "ENOSPC" }); };
       syncBuiltinESMExports();`,
    );
    const daemon = await start({ NODE_OPTIONS: `--import ${preload}` });
    await expect.poll(() => daemon.lines()[0]?.msg).toContain("cannot be watched and are read every 5 s instead");
    writeFileSync(join(daemon.cwd, ".env"), "RETENTION_DAYS=22\n");
    await expect.poll(() => settings(daemon), { timeout: 20_000 }).toMatchObject({ retention_days: 22 });
  });
});
