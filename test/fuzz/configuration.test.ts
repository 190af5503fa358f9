import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hider } from "../../src/admin/doctor/hide.ts";
import { Problem } from "../../src/contract/problem.ts";
import { configRoutes } from "../../src/contract/routes/system-config.ts";
import type { ParsedConfig } from "../../src/platform/config/config.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { parseConfig, WrongConfiguration } from "../../src/platform/config/parse.ts";
import { type VariableName, variable, variableNames } from "../../src/platform/config/variables.ts";
import { urlTarget } from "../../src/platform/database/connection-target.ts";
import { type Desk, openDesk } from "../support/operations.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { mutated } from "./bytes.ts";
import { anyJsonText } from "./json.ts";
import { holds, testTimeoutMs } from "./support.ts";

const odd = fc.oneof(
  fc.constantFrom(
    ...["", " ", "0", "-0", "+1", "1e3", "0x10", "1.5", ".5", "1e999", "99999999999999999999", "NaN", "Infinity", "true", "YES", "null"],
    ...["[]", "[1]", '["a"]', '["a', "[[]]", '{"a":1}', ",,,", "a,b", "*", "~", "~/x", "../..", "/", "/\0", "é", "😀", "\ud800", "\u202e"],
    ...[
      "http://",
      "http://h",
      "http://h/%zz",
      "http://u:p@h",
      "http://[::1",
      "http://h:99999",
      "HTTP://H:80//",
      "ftp://h",
      "javascript:1",
      "//h",
    ],
    ...["postgres://%zz@h/d", "postgres://u:%zz@h/d", "postgres://u:p@h/%zz", "postgres://u:p@h:0/d?sslmode=x", "postgres:///d?host=/tmp"],
    ...[
      "postgres://h/d?sslrootcert=/nonexistent",
      "redis://:%zz@h",
      "redis://h:6379/x",
      "rediss://",
      "a@b",
      "<a@b>",
      "A <a@b>",
      "10.0.0.0/33",
    ],
    ...["::/129", "1.2.3.4/", "h".repeat(300), `${"a.".repeat(130)}a`, "x".repeat(100_000), "[".repeat(100_000), '"'.repeat(5_000)],
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.webUrl({ size: "small" }),
  fc.integer().map(String),
  fc.double().map(String),
);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<string>(...variableNames) },
  { weight: 1, arbitrary: fc.constantFrom("HOMESEC_", "HOMESEC_PORT", "PROT", "__proto__", "constructor", "", "a=b") },
);
const variables = fc.array(fc.tuple(name, odd), { maxLength: 8 }).map((pairs) => Object.fromEntries(pairs) as Record<string, string>);

const home = temporaryFolder("configuration");
afterAll(() => home.remove());
const place = { isRoot: false, home: home.path, cwd: home.path };

/** The result is a configuration that can be shown and used, or an error with one line for each wrong value. */
function check(read: () => ParsedConfig, given: Readonly<Record<string, string | undefined>>): void {
  let parsed: ParsedConfig | Error;
  try {
    parsed = read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error.kind).toBe("invalid");
    expect(error.message.length).toBeLessThan(100_000);
    const isSecret = (one: string): boolean =>
      (variableNames as readonly string[]).includes(one) && variable(one as VariableName).secret === true;
    const shown = new Set(Object.keys(given).flatMap((one) => (isSecret(one) ? [] : [given[one]])));
    for (const [variableName, text] of Object.entries(given)) {
      // shorter secrets may occur in the message by chance, and a value that is also given to a non-secret variable may be shown
      if (isSecret(variableName) && text && text.trim().length > 12 && !shown.has(text)) expect(error.message).not.toContain(text.trim());
    }
    parsed = error;
  }
  expect(hider(parsed)("text")).toBe("text");
  if (parsed instanceof Error) return;
  expect(JSON.stringify(parsed.config)).toBeTypeOf("string");
  for (const one of variableNames) expect(parsed.sources[one]).toBeTypeOf("string");
  const { databaseUrl } = parsed.config;
  try {
    if (databaseUrl !== undefined) urlTarget(databaseUrl);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

test(
  "fuzz configuration: any environment gives a configuration or a list of errors",
  async () => {
    await holds(fc.tuple(variables, variables, variables), { few: 100, many: 30_000 }, ([env, flags, more]) => {
      check(() => parseConfig({ ...place, env, flags, configFile: { name: "x.json", text: JSON.stringify(more) } }), {
        ...more,
        ...env,
        ...flags,
      });
    });
  },
  testTimeoutMs,
);

const envText = `# homesec
DATA_DIR=~/data
export PORT=8000
API_KEYS='["k1","k2"]'
SMTP_PASSWORD="a \\"quoted\\" word"
DEFAULT_EMAIL_RECIPIENTS=a@example.org,b@example.org
RETENTION_DAYS=30 # a month
LOG_LEVEL=\`debug\`
`;
const jsonText = JSON.stringify({ PORT: 8000, API_KEYS: ["k1"], RETENTION_DAYS: "30", TLS_MODE: "disabled", DATABASE_URL: null }, null, 1);

test(
  "fuzz configuration: any .env and any --config file gives a configuration or a list of errors",
  async () => {
    const files = fc.record({
      env: fc.oneof(mutated({ env: Buffer.from(envText) }), fc.constant(undefined)),
      file: fc.oneof(mutated({ json: Buffer.from(jsonText), env: Buffer.from(envText) }), fc.constant(undefined)),
      text: fc.option(anyJsonText, { nil: undefined, freq: 4 }),
      fileName: fc.constantFrom("homesec.json", "homesec.JSON", "homesec.env"),
    });
    await holds(files, { few: 100, many: 20_000 }, ({ env, file, text, fileName }) => {
      writeFileSync(join(home.path, ".env"), env?.bytes ?? "");
      writeFileSync(join(home.path, fileName), text ?? file?.bytes ?? "");
      check(() => loadConfig({ ...place, env: {}, configPath: fileName }), {});
    });
    for (const configPath of [".", "/", "missing", "a\0b", "\ud800", "x".repeat(5_000), `${"a/".repeat(3_000)}b`]) {
      expect(() => loadConfig({ ...place, env: {}, configPath })).toThrow(Problem);
    }
  },
  testTimeoutMs,
);

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  mkdirSync(join(desk.cameraRoot, "front"));
});
afterAll(() => desk.close());

const settings = Object.keys(configRoutes.updateConfig.body.shape);
const value: fc.Arbitrary<unknown> = fc.oneof(
  odd,
  fc.constantFrom(
    null,
    true,
    0,
    1,
    30,
    86_401,
    0.5,
    -1,
    1e308,
    [],
    {},
    ["vision_url", "retention_days"],
    { low: 0, medium: 10 },
    { critical: 101 },
  ),
  fc.dictionary(
    fc.constantFrom("low", "medium", "high", "critical", "__proto__"),
    fc.oneof(fc.integer({ min: -1, max: 102 }), fc.double()),
  ),
);

test(
  "fuzz configuration: any change at run time is rejected, or applies now and after a restart",
  async () => {
    const changes = fc
      .array(fc.tuple(fc.constantFrom(...settings), value), { minLength: 1, maxLength: 4 })
      .map((pairs) => Object.fromEntries(pairs));
    await holds(changes, { few: 40, many: 5_000 }, async (body) => {
      const before = await desk.ask("getConfig");
      try {
        const after = await desk.ask("updateConfig", { body });
        expect(await desk.ask("getConfig")).toEqual(after);
        const { low, medium, high, critical } = after.risk_score_thresholds;
        expect([low === 0, low < medium, medium < high, high < critical]).not.toContain(false);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        expect(["invalid", "forbidden"]).toContain(error.kind);
        expect(await desk.ask("getConfig")).toEqual(before);
      }
    });
    await desk.context.settings.patch({}, []);
  },
  testTimeoutMs,
);

test("configuration: the error lists all wrong values at once", () => {
  expect(() => parseConfig({ ...place, env: { PORT: "x", HOST: "-", RETENTION_DAYS: "" } })).toThrow(WrongConfiguration);
});
