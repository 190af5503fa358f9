import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Command, kebab } from "../../commands/command.ts";
import { exitCodes } from "../../commands/exit-codes.ts";
import { allCommands } from "../../commands/registry.ts";
import { createApp } from "../../daemon/http/app.ts";
import { type Listening, listen } from "../../daemon/http/listen.ts";
import { operations } from "../../src/all-operations.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { type CliOptions, type CliResult, cli, startBinary } from "../support/cli.ts";
import { type Desk, openDesk } from "../support/operations.ts";
import { quietRuntime } from "../support/runtime.ts";
import { holds, testTimeoutMs } from "./support.ts";

const documented = new Set<number>(Object.values(exitCodes));
const commands = await allCommands();

/** These commands run until they are stopped. */
const endless = new Set(["serve", "demo", "live", "events tail", "alerts tail", "webhooks listen", "trigger"]);
/** These commands write to any given path or inspect the whole machine. Other tests fuzz their inputs. */
const leftOut = new Set(["docs", "db backup", "db restore", "db migrate", "doctor"]);

const word = fc.oneof(
  fc.constantFrom(
    ...[
      "",
      " ",
      "-",
      "--",
      "---",
      "-h",
      "--help",
      "-V",
      "-o",
      "json",
      "-ojson",
      "--output=yaml",
      "--fields",
      "id,,x",
      "--url",
      "-q",
      "--debug",
    ],
    ...[
      "0",
      "-1",
      "1",
      "1.5",
      "5",
      "1e9",
      "99999999999999999999",
      "front",
      "gate",
      "yard",
      "FRONT",
      "person",
      "high",
      "all",
      "none",
      "*",
      "..",
      ".",
    ],
    ...[
      "__proto__",
      "constructor",
      "toString",
      "a=b",
      "=",
      "a,b,,",
      "é",
      "😀",
      "\ud800",
      "\0",
      "\u001b[31m",
      "\u202e",
      "\n",
      "x".repeat(5_000),
    ],
    ...[
      "now",
      "-2h",
      "2h",
      "999999999d",
      "-999999999d",
      "yesterday 21:00",
      "24:00",
      "2026-01-01",
      "2026-02-30",
      "0000-01-01",
      "9999-12-31T23:59:59Z",
    ],
    ...[
      "0b8f7c1e-8d0e-4d8a-9a52-6a0c6f0d3b11",
      "missing.json",
      "odd.json",
      "empty",
      "folder",
      "mon-fri 22:00-06:00 UTC",
      "event_created",
      "http://h",
    ],
  ),
  fc.string({ unit: "binary", maxLength: 20 }).filter((text) => !text.startsWith("/")),
);

/** A command with some of its arguments and options, and with unknown ones. */
function typed(command: Command): fc.Arbitrary<string[]> {
  const values = Object.values(command.arguments).map(({ choices }) => (choices ? fc.oneof(fc.constantFrom(...choices), word) : word));
  const options = Object.entries(command.options).map(([name, { placeholder, choices }]) => {
    const flag = `--${kebab(name)}`;
    if (placeholder === undefined) return fc.constantFrom([flag], [`--no-${kebab(name)}`]);
    const value = choices ? fc.oneof(fc.constantFrom(...choices), word) : word;
    return fc.oneof(
      value.map((text) => [flag, text]),
      value.map((text) => [`${flag}=${text}`]),
      fc.constant([flag]),
    );
  });
  const output = fc.constantFrom(
    [],
    [],
    ["-o", "json"],
    ["-o", "ndjson"],
    ["-o", "csv"],
    ["-o", "yaml"],
    ["-o", "id"],
    ["--fields", "id,camera_id"],
    ["-q"],
  );
  const given = options.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...options), { maxLength: 4 }).map((all) => all.flat());
  return fc
    .tuple(
      fc.tuple(...values),
      given,
      output,
      fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(word, { maxLength: 2 }) }),
    )
    .map(([own, flags, format, more]) => [...command.name.split(" "), ...flags, ...own, ...more, ...format]);
}

const anything = fc.array(fc.oneof(word, fc.constantFrom(...commands.flatMap(({ name }) => name.split(" ")))), { maxLength: 6 });
const lines = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...commands.filter(({ name }) => !endless.has(name) && !leftOut.has(name))).chain(typed) },
  { weight: 1, arbitrary: fc.constantFrom(...commands.filter(({ name }) => endless.has(name))).chain(typed) },
  { weight: 2, arbitrary: anything.filter((words) => !words.some((each) => ["docs", "db", "doctor"].includes(each))) },
);

let desk: Desk;
let served: Listening;
beforeAll(async () => {
  desk = await openDesk();
  const { db, dataDir, cameraRoot } = desk;
  mkdirSync(join(cameraRoot, "front"));
  mkdirSync(join(dataDir, "folder"));
  writeFileSync(join(dataDir, "odd.json"), '{"a": [1, "\\ud800"]}');
  writeFileSync(join(dataDir, "empty"), "");
  await desk.ask("createCamera", { body: { name: "front", camera_id: "front" } });
  await db.query(
    (sql) => sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, summary, analysis_status, object_types)
      select 'front', t, t, 70, 'high', 'someone', 'completed', '{person}'
      from generate_series(timestamptz '2026-02-28', '2026-03-01', '6 hours') t
    `,
  );
  await db.query(
    (sql) => sql`
      insert into detections (camera_id, event_id, file_path, file_type, detected_at, object_type, confidence)
      select 'front', e.event_id, ${join(cameraRoot, "front", "a.jpg")}, 'image/jpeg', e.started_at, 'person', 0.9
      from events e
    `,
  );
  const context = { ...desk.context, runtime: quietRuntime() };
  served = await listen({
    app: createApp({ operations, context, log: silentLog, allowedHosts: [], strictReplies: true }),
    host: "127.0.0.1",
    port: 0,
  });
});
afterAll(async () => {
  await served.close();
  await desk.close();
});

function homesec(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return cli([...args, "--url", `http://127.0.0.1:${served.port}`], { clock: desk.context.clock, cwd: desk.dataDir, ...options });
}

function homesecDirect(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const env = { DATABASE_URL: desk.url, DATA_DIR: desk.dataDir };
  return cli([...args, "--direct"], { clock: desk.context.clock, cwd: desk.dataDir, env, ...options });
}

/** No output for programmers, unless an option requests it. */
function check(code: number, err: string, args: readonly string[]): void {
  expect(documented.has(code), `exit code ${code}: ${err.slice(0, 500)}`).toBe(true);
  expect(err).not.toMatch(/should not have happened|\[object Object\]|ZodError/);
  if (!args.some((arg) => arg.startsWith("--d"))) expect(err).not.toMatch(/\n\s+at \S+ \(|node:internal/);
}

test(
  "fuzz arguments: any command line ends with a documented code and a readable message",
  async () => {
    await holds(lines, { few: 80, many: 15_000 }, async (args) => {
      const given = AbortSignal.timeout(endless.has(args.slice(0, 2).join(" ")) || endless.has(args[0] ?? "") ? 200 : 5_000);
      // as Ctrl-C does
      const stop = new AbortController();
      const interrupt = (): void => stop.abort("SIGINT");
      given.addEventListener("abort", interrupt);
      const done = async (): Promise<number> => 0;
      const { code, err } = await homesec(args, {
        signal: stop.signal,
        input: "n\n",
        env: { EDITOR: "true", TZ: "UTC" },
        daemon: { serve: done, demo: done },
      });
      given.removeEventListener("abort", interrupt);
      check(code, err, args);
    });
  },
  testTimeoutMs,
);

test(
  "fuzz arguments: any command line with --direct ends the same way",
  async () => {
    const reading = commands.filter(({ name }) => / (list|show|stats|search|validate)$/.test(name) || name.startsWith("analytics"));
    await holds(fc.constantFrom(...reading).chain(typed), { few: 10, many: 3_000 }, async (args) => {
      const { code, err } = await homesecDirect(args, { signal: AbortSignal.timeout(20_000) });
      check(code, err, args);
    });
  },
  testTimeoutMs,
);

test(
  "fuzz arguments: completion prints candidates after any words",
  async () => {
    await holds(fc.oneof(anything, lines), { few: 30, many: 5_000 }, async (args) => {
      const { code, err } = await homesec(["__complete", ...args.slice(0, 6)]);
      expect([code, err]).toEqual([0, ""]);
    });
  },
  testTimeoutMs,
);

test(
  "fuzz arguments: the built program ends the same way",
  async () => {
    const goesOn = (args: readonly string[]): boolean => [...endless].some((name) => args.join(" ").includes(name));
    const typeable = lines.filter((args) => !args.some((arg) => arg.includes("\0")) && !goesOn(args));
    await holds(typeable, { few: 1, many: 300 }, async (args) => {
      const { exitCode, stderr, signal } = await startBinary(args, {
        env: { HOMESEC_URL: "http://127.0.0.1:9", EDITOR: "true" },
        cwd: desk.dataDir,
      });
      expect(signal ?? null).toBeNull();
      check(exitCode ?? -1, stderr, args);
    });
  },
  testTimeoutMs,
);
