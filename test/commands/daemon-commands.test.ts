import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { DaemonOptions } from "../../commands/host.ts";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder("serve");
afterAll(() => folder.remove());

/** The configuration that the daemon would start with. */
async function started(args: readonly string[], env: Record<string, string> = {}) {
  const calls: (DaemonOptions & { once?: boolean })[] = [];
  const daemon = {
    serve: async (options: DaemonOptions) => calls.push(options) - 1,
    demo: async (options: DaemonOptions & { once: boolean }) => calls.push(options) - 1,
  };
  const result = await cli(args, { daemon, env, cwd: folder.path });
  return { ...result, options: calls[0] };
}

describe("serve and demo", () => {
  it("serve: flags override the environment, the environment overrides .env, and .env overrides --config", async () => {
    writeFileSync(join(folder.path, ".env"), "PORT=2\nRETENTION_DAYS=2\nLOG_LEVEL=warn\n");
    writeFileSync(join(folder.path, "homesec.conf"), "PORT=1\nRETENTION_DAYS=1\nLOG_LEVEL=error\nBATCH_WINDOW_SECONDS=10\n");
    const args = ["serve", "--port", "4", "--host", "::1", "--data-dir", "data", "--config", "homesec.conf"];
    const { code, options } = await started(args, { PORT: "3", RETENTION_DAYS: "3" });
    expect(code).toBe(0);
    expect(options?.config).toMatchObject({
      port: 4,
      host: "::1",
      dataDir: join(folder.path, "data"),
      retentionDays: 3,
      logLevel: "warn",
      batchWindowSeconds: 10,
    });
    expect(options?.sources).toMatchObject({
      PORT: "flag",
      RETENTION_DAYS: "environment",
      LOG_LEVEL: ".env",
      BATCH_WINDOW_SECONDS: "file",
    });
    expect(options?.warnings).toContain(
      "BATCH_IDLE_TIMEOUT_SECONDS is longer than BATCH_WINDOW_SECONDS: batches always close by their window",
    );
  });

  it("serve: a wrong configuration stops the start and lists every error", async () => {
    const { code, err, options } = await started(["serve", "--port", "http"], { LOG_LEVEL: "loud" });
    expect([code, options]).toEqual([2, undefined]);
    expect(err).toContain('PORT="http" (flag)');
    expect(err).toContain('LOG_LEVEL="loud" (environment)');
  });

  it("serve: colours its output on a terminal that supports them", async () => {
    const coloured = async (args: string[], env = {}, terminal?: number) => {
      const seen: boolean[] = [];
      const serve = async ({ colour }: DaemonOptions) => seen.push(colour) - 1;
      await cli(args, { daemon: { serve, demo: serve }, env, ...(terminal && { terminal }) });
      return seen[0];
    };
    expect(await coloured(["serve"], {}, 80)).toBe(true);
    expect(await coloured(["serve"])).toBe(false);
    expect(await coloured(["serve"], { NO_COLOR: "1" }, 80)).toBe(false);
    expect(await coloured(["demo", "--no-color"], {}, 80)).toBe(false);
  });

  it("demo: mentions --once when it runs with it", async () => {
    expect((await started(["demo", "--once"])).options?.once).toBe(true);
    expect((await started(["demo"])).options?.once).toBe(false);
  });

  it("serve: wraps output at the last column, on a terminal only", async () => {
    const daemon = {
      serve: async ({ out }: DaemonOptions) => {
        out.write(
          "  12.0 s  found          one two three four five six seven\n  pictures       /a/path/that/is/longer/than/the/terminal\n",
        );
        return 0;
      },
      demo: async () => 1,
    };
    const said = async (terminal?: number) => (await cli(["serve"], { daemon, ...(terminal && { terminal }) })).out;
    expect(await said(50)).toBe(
      `  12.0 s  found          one two three four five
                         six seven
  pictures       /a/path/that/is/longer/than/the/terminal
`,
    );
    expect((await said()).split("\n")).toHaveLength(3);
  });
});

describe("config commands", () => {
  it("config: check prints warnings and errors", async () => {
    expect(await cli(["config", "check"])).toEqual({ code: 0, out: "", err: "the configuration is valid\n" });
    const warned = await cli(["config", "check"], { env: { HOMESEC_PORT: "1" } });
    expect(warned.code).toBe(0);
    expect(warned.out).toBe("warning: the environment: there is no variable HOMESEC_PORT, it has no effect; did you mean PORT?\n");
    expect((await cli(["config", "check"], { env: { PORT: "x" } })).code).toBe(2);
  });

  it("config: show prints value and source, but no secret", async () => {
    const env = { API_KEYS: "geheim,geheim2", DATABASE_URL: "postgres://ada:geheim@127.0.0.1:1/x", PORT: "9000" };
    const { code, out, err } = await cli(["config", "show", "-o", "json"], { env, cwd: "/nonexistent" });
    expect(code).toBe(0);
    expect(out + err).not.toContain("geheim");
    const values = JSON.parse(out) as { name: string }[];
    const value = (name: string) => values.find((each) => each.name === name);
    expect(value("PORT")).toEqual({ name: "PORT", value: 9000, source: "environment" });
    expect(value("API_KEYS")).toEqual({ name: "API_KEYS", value: ["***", "***"], source: "environment" });
    expect(value("DATABASE_URL")).toMatchObject({ value: "postgres://ada:***@127.0.0.1:1/x" });
    expect(value("RISK_SCORE_THRESHOLDS")).toMatchObject({ source: "default" });
    expect(err).toContain("settings changed at run time are missing");
  });
});
