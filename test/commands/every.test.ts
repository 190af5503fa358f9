import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Command } from "../../commands/command.ts";
import { exitCodes } from "../../commands/exit-codes.ts";
import { allCommands } from "../../commands/registry.ts";
import { eventually } from "../support/eventually.ts";
import { startHomesec } from "../support/homesec-process.ts";
import { changing } from "./every/changing.ts";
import { ids } from "./every/furnish.ts";
import { type Ended, type Home, openHome } from "./every/home.ts";
import { forSnapshot } from "./every/normal.ts";
import { reading } from "./every/reading.ts";
import type { Step } from "./every/step.ts";

/*
 * Every command against one real daemon: for people, for programs, and with its errors. Starting the program is slow, so one command of each
 * group uses the real program (in its first run for people, if there is one) and the others run in this process. With COMMANDS=all (`npm
 * run commands`) all use the real program. The commands run once, two at a time; the tests check their results afterwards.
 */

process.env["TZ"] = "UTC";
const all = process.env["COMMANDS"] === "all";
const commands = await allCommands();
const steps = { ...reading, ...changing };
const results = new Map<Step, Ended>();
const directResults = new Map<string, Ended>();
let home: Home;

/** Commands that only read and print the same with and without a daemon. */
const direct: readonly string[] = [
  ...["cameras list", "cameras show front-door", "cameras scene-changes list front-door", "events list --kind all", "events show 42"],
  ...["events search ladder", "events stats", "detections list", "detections labels", "entities list", "rules list", "alerts list"],
  ...["silence list", "webhooks list", "notifications config", "analytics uptime --since 2025-02-28 --until 2025-03-01"],
  ...[`entities show ${ids.entity}`, `explain alert ${ids.alert}`, "dlq list --queue detect"],
];

/** Commands that change or report the same things run one after the other. */
type Chain = readonly (readonly [string, readonly Step[]])[];
const chains = new Map<string, Chain>();
for (const [name, own] of Object.entries(changing)) {
  const [noun = ""] = name.split(" ");
  // a rule that is added looks for a webhook that gets its alerts, and rules for mails need the login of a camera
  const chain = ["alerts", "silence", "retention", "webhooks"].includes(noun)
    ? "rules"
    : // the detections of a deleted event are gone until it is restored
      ["shares", "detections"].includes(noun)
      ? "events"
      : noun === "mode"
        ? "modes"
        : noun === "receivers"
          ? "cameras"
          : noun;
  chains.set(chain, [...(chains.get(chain) ?? []), [name, own]]);
}

async function runStep(name: string, step: Step): Promise<void> {
  const [noun] = name.split(" ");
  const chosen = steps[name]?.find(({ kind }) => kind === "people") ?? steps[name]?.[0];
  const isFirst = Object.keys(steps).find((other) => other.split(" ")[0] === noun) === name;
  const run = all || (isFirst && step === chosen) ? home.homesec : home.here;
  const newest = step.args.includes("<newest>") ? (await home.here(`${noun} list --status active --limit 1 -o id`)).out.trim() : "";
  const line = `${name} ${step.args.replace("<newest>", newest)}`;
  results.set(step, await run(line, { input: step.input, ...(step.elsewhere && { env: home.elsewhere }) }));
}

async function runChain(chain: Chain): Promise<void> {
  for (const [name, own] of chain) for (const step of own) await runStep(name, step);
}

/** Runs these sequences, two at a time. */
async function twoAtATime(works: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...works];
  const next = async (): Promise<void> => {
    for (let work = waiting.shift(); work; work = waiting.shift()) await work();
  };
  await Promise.all([next(), next()]);
}

beforeAll(async () => {
  home = await openHome();
  await twoAtATime([
    ...Object.entries(reading).flatMap(([name, own]) => own.map((step) => () => runStep(name, step))),
    ...direct
      .flatMap((line) => [line, `${line} --direct`])
      .map((line) => async () => {
        directResults.set(line, await home.here(`${line} -o json`));
      }),
  ]);
  // a cleanup removes what other commands deleted, and restore, so it comes after them
  const cleanup = chains.get("cleanup") ?? [];
  await twoAtATime([...chains.values()].filter((chain) => chain !== cleanup).map((chain) => () => runChain(chain)));
  await runChain(cleanup);
  // starting the program takes ten times as long on a busy machine
}, 900_000);
afterAll(() => home?.close());

/** Output formats that are tested elsewhere or do not exist. */
const without: Readonly<Record<string, readonly Step["kind"][]>> = {
  // these run until they are stopped: tested below
  ...{
    "events tail": ["people", "json"],
    "alerts tail": ["people", "json"],
    live: ["people", "json"],
    "webhooks listen": ["people", "json"],
  },
  // tested by the home and in test/daemon/signals.test.ts; they print no records
  ...{ serve: ["people", "json"], demo: ["people", "json"] },
  // asks on a terminal: tested in test/commands/setup.test.ts
  ...{ setup: ["people", "json"] },
  // these print a script and files
  ...{ completion: ["json"], docs: ["json"] },
};

it("no command is missing here", () => {
  const names = commands.map(({ name }) => name);
  expect([...new Set([...Object.keys(steps), ...Object.keys(without)])].toSorted()).toEqual(names.toSorted());
  for (const name of names) {
    const kinds = [...(steps[name] ?? []).map(({ kind }) => kind), ...(without[name] ?? [])];
    expect(new Set(kinds), name).toEqual(new Set(["people", "json", "error"]));
  }
});

describe.each(Object.keys(steps))("homesec %s", (name) => {
  const command = commands.find((each) => each.name === name) as Command;
  it.each(steps[name]?.map((step) => [step.args === "" ? "alone" : step.args, step] as const) ?? [])("%s", async (_, step) => {
    const ended = results.get(step) as Ended;
    expect(ended.code, `${ended.out}${ended.err}`).toBe(step.code);
    // names of cameras and models cannot move the cursor or change the text direction, and without a terminal there are no colours
    if (step.kind !== "json")
      expect(`${step.args.includes("-o ") ? "" : ended.out}${ended.err}`.replaceAll(/[\n\r]/g, "")).not.toMatch(/[\p{Cc}\u202e]/u);
    if (step.kind === "error") expect([ended.out, ended.err]).toEqual(["", expect.stringMatching(/^homesec: .*\n(.+\n)*$/)]);
    if (step.kind === "json") await expectBody(command, step, ended.out);
    else if (step.says) expect(step.kind === "error" ? ended.err : ended.out).toMatch(step.says);
    else expect(forSnapshot(ended, home)).toMatchSnapshot();
  });
});

/** Expects one JSON value whose records have the fields that `--fields` accepts. */
async function expectBody(command: Command, step: Step, out: string): Promise<void> {
  if (step.ownForm && out === "") return;
  const body = JSON.parse(out) as object;
  if (step.ownForm || (Array.isArray(body) && body.length === 0)) return;
  const nothing = { arguments: {}, options: Object.fromEntries(step.args.startsWith("--queue") ? [["queue", "detect"]] : []) };
  const fields = (await (await command.prints?.(nothing as never))?.fields()) ?? [];
  expect(fields).not.toEqual([]);
  const inside = Object.values(body).filter(Array.isArray);
  // an empty list shows no fields
  if (inside.length > 0 && inside.every((list) => list.length === 0)) return;
  const records = [body, ...Object.values(body).flat()].filter((value) => value !== null && typeof value === "object");
  expect(records.map((record) => Object.keys(record))).toContainEqual(
    expect.arrayContaining(fields.filter((field) => !step.lacks?.includes(field))),
  );
}

/** The arguments of a command in its first run for people. */
const firstArgs = (name: string): string => steps[name]?.find(({ kind }) => kind === "people")?.args ?? "";

describe("before anything is done", () => {
  const gone = "http://127.0.0.1:1";
  /** An address without a daemon and a database that does not exist. */
  const nowhere = () => ({ env: { HOMESEC_URL: gone, DATABASE_URL: "postgres://127.0.0.1:1/nowhere" } });

  it.each(commands.map(({ name }) => name))("homesec %s refuses an option that there is not", async (name) => {
    const { code, out, err } = await home.here(`${name} ${firstArgs(name)} --colour blue`, nowhere());
    expect([code, out]).toEqual([exitCodes.usage, ""]);
    expect(err).toMatch(new RegExp(`^homesec: unknown option '--colour'\n(.*\n)*\`homesec ${name} --help\` shows the usage\\.\n$`));
  });

  it.each(commands.map((command) => [command.name, command] as const))(
    "homesec %s refuses a field that there is not",
    async (name, command) => {
      const { code, out, err } = await home.here(`${name} ${firstArgs(name)} --fields nonsense`, nowhere());
      expect([code, out]).toEqual([exitCodes.usage, ""]);
      expect(err).toContain(command.prints ? "have no field nonsense" : "prints no records");
    },
  );

  const alone = [
    "serve",
    "demo",
    "setup",
    "doctor",
    "completion",
    "docs",
    "cameras test-name",
    "webhooks listen",
    "keys generate",
    "evidence verify",
    "cameras discover",
    "config show",
    "config check",
  ];
  const asking = commands.map(({ name }) => name).filter((name) => !alone.includes(name) && !name.startsWith("db "));
  it.each(asking)("homesec %s says that no daemon answers, and what to do", async (name) => {
    const { code, out, err } = await home.here(`${name} ${firstArgs(name)}`, nowhere());
    expect([code, out], err).toEqual([exitCodes.unreachable, ""]);
    expect(err).toMatch(/^homesec: no homesec daemon answers.*127\.0\.0\.1:1.*; start it with `homesec serve`.*\n$/i);
  });
});

describe("--direct", () => {
  it.each(direct)("homesec %s is the same on the daemon's database", (line) => {
    const [asked, read] = [directResults.get(line), directResults.get(`${line} --direct`)];
    expect([read?.code, read?.err]).toEqual([0, asked?.err]);
    expect(JSON.parse(read?.out ?? "")).toEqual(JSON.parse(asked?.out ?? ""));
  });
});

describe("what runs until it is ended", () => {
  it.each([
    ["SIGINT", exitCodes.interrupted, "table"],
    ["SIGTERM", exitCodes.terminated, "json"],
  ] as const)("alerts tail prints what happened, and ends on %s with %i", async (signal, code, format) => {
    const fields = format === "json" ? ["--fields", "type,data.id"] : [];
    const tail = startHomesec(["alerts", "tail", "--since", "0", "-o", format, ...fields], home.env);
    await tail.printed(new RegExp(format === "json" ? `alert_dismissed.*${ids.otherAlerts[2]}.*\n` : "(dismissed, event 42.*\n[^]*){2}"));
    tail.kill(signal);
    expect(await tail.exit).toEqual({ code, signal: null });
    const lines = tail.output().split("\n");
    if (format === "json") expect(lines[0]).toBe(`{"type":"alert_acknowledged","data.id":"${ids.alert}"}`);
    else expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}front-door: alert high acknowledged, event 42, rule Person at night$/);
  });

  it("events tail and live, where no terminal is, print the same lines as they come", async () => {
    const started = [
      startHomesec(["events", "tail", "--types", "event.updated"], home.env),
      startHomesec(["live"], home.env),
      startHomesec(["live", "-o", "ndjson"], home.env),
    ] as const;
    let told = 0;
    const seen = [/event 42/, /event 42/, /^\{"type":"event.updated","data":\{"id":42,.*\}\n/m];
    await eventually(
      async () => {
        told += 1;
        expect((await home.here(`events note 42 'note ${told}'`)).code).toBe(0);
        return started.every((each, at) => seen[at]?.test(each.output()));
      },
      { timeoutMs: 60_000, what: "a line in each" },
    );
    const [events, live, liveLines] = started;
    events.kill("SIGINT");
    live.kill("SIGHUP");
    liveLines.kill("SIGTERM");
    const codes = (await Promise.all(started.map(({ exit }) => exit))).map(({ code }) => code);
    expect(codes).toEqual([exitCodes.interrupted, exitCodes.hungUp, exitCodes.terminated]);
    const [tailed = [], shown = []] = started.map((each) =>
      each
        .output()
        .split("\n")
        .map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, "")),
    );
    expect(tailed.filter((line) => line.startsWith("front-door: event 42 ") && shown.includes(line))).not.toEqual([]);
  }, 90_000);

  it.each(["table", "json"])("webhooks listen shows what comes, as %s", async (format) => {
    const listening = startHomesec(["webhooks", "listen", "--port", "0", "--count", "1", "-o", format], home.env);
    const [, url = ""] = await listening.printed(/listening on (\S+?);/);
    expect((await fetch(`${url}/in`, { method: "POST", body: `{"event_type":"alert_fired"}` })).status).toBe(204);
    expect(await listening.exit).toEqual({ code: 0, signal: null });
    if (format === "table")
      expect(listening.output()).toMatch(/\d\d:\d\d:\d\d {2}POST \/in {2}signature missing\n {4}\{\n {6}"event_type": "alert_fired"\n/);
    else
      expect(
        JSON.parse(
          listening
            .output()
            .split("\n")
            .find((line) => line.startsWith("{")) ?? "",
        ),
      ).toMatchObject({ method: "POST" });
  });

  it("serve says where everything is", () => {
    expect(home.daemon.output()).toMatch(new RegExp(`API +${home.url}\n`));
  });
});

it("every documented exit code has been met", async () => {
  const wrongKey = await home.homesec("cameras list", { env: { HOMESEC_API_KEY: "wrong" } });
  const noDaemon = await home.homesec("cameras list", { env: { HOMESEC_URL: "http://127.0.0.1:1" } });
  const unmet = await home.homesec("rules test 'Person at night' --since 2025-02-01 --expect unwanted.json");
  expect([wrongKey.code, noDaemon.code, unmet.code]).toEqual([exitCodes.authentication, exitCodes.unreachable, exitCodes.unmet]);
  // tested by the three above
  const { interrupted: _, terminated: __, hungUp: ___, ...others } = exitCodes;
  const met = new Set([wrongKey, noDaemon, unmet, ...results.values()].map(({ code }) => code));
  expect([...met].toSorted()).toEqual(Object.values(others).toSorted());
});
