import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Check, finding, NotPossible, ok, parts } from "../../../src/admin/doctor/check.ts";
import { checks } from "../../../src/admin/doctor/checks.ts";
import { doctorReference } from "../../../src/admin/doctor/reference.ts";
import { runChecks } from "../../../src/admin/doctor/run-checks.ts";
import { doctorGroups } from "../../../src/contract/constants.ts";
import { examined } from "./support.ts";

describe("doctor: list of checks", () => {
  it("has a unique id, texts and a valid group for each check", () => {
    expect(checks.length).toBeGreaterThanOrEqual(30);
    const ids = checks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, title, finds, severity, group } of checks) {
      expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
      for (const text of [title, finds]) expect(text.length, id).toBeGreaterThan(2);
      expect(["warning", "error"], id).toContain(severity);
      expect(Object.keys(doctorGroups), id).toContain(group);
    }
  });

  it("matches docs/doctor.md (npm run docs updates it)", () => {
    expect(readFileSync(new URL("../../../docs/doctor.md", import.meta.url), "utf8")).toBe(doctorReference(checks));
  });

  it("has a test in this folder that names the id of each check", () => {
    const texts = readdirSync(import.meta.dirname).map((name) =>
      name.endsWith(".test.ts") ? readFileSync(join(import.meta.dirname, name), "utf8") : "",
    );
    const tests = texts.join("\n");
    for (const { id } of checks) expect(tests, id).toMatch(new RegExp(`["\\s]${id}["\\s:]`));
  });

  it("accepts no id of a check that another one covers, and none twice", () => {
    const former = checks.flatMap(({ replaces = [] }) => replaces);
    expect(new Set(former).size).toBe(former.length);
    for (const { id } of checks) expect(former).not.toContain(id);
  });

  it("loads no check when another command starts", () => {
    const seen = new Set<string>();
    const follow = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)";/gms))
        follow(resolve(dirname(file), path));
    };
    const root = resolve(import.meta.dirname, "../../..");
    follow(join(root, "bin/homesec.ts"));
    follow(join(root, "commands/run.ts"));
    follow(join(root, "commands/registry.ts"));
    expect([...seen].map((file) => relative(root, file))).toContain(join("commands", "run.ts"));
    const ours = [...seen].map((file) => relative(root, file)).filter((file) => file.includes("doctor"));
    expect(ours).toEqual([]);
  });
});

const base: Omit<Check, "id" | "run"> = { group: "program", title: "T", severity: "error", finds: "f" };
const check = (id: string, run: Check["run"]): Check => ({ ...base, id, run });

describe("doctor: runChecks", () => {
  it("continues when a check is not possible, throws or hangs", async () => {
    let isAborted = false;
    const reports = await runChecks(
      [
        check("a", () => ok("fine")),
        check("b", () => {
          throw new NotPossible("there is none");
        }),
        check("c", async () => {
          throw new TypeError("x is not a function");
        }),
        check("d", (_, signal) => {
          signal.addEventListener("abort", () => {
            isAborted = true;
          });
          return new Promise(() => {});
        }),
        check("e", () => finding("it leaks", "close it", "warning")),
      ],
      examined(),
      100,
    );
    expect(
      reports.map(({ id, status, severity, detail, finding: found, remedy }) => [id, status, severity, detail, found, remedy]),
    ).toEqual([
      ["a", "ok", null, "fine", null, null],
      ["b", "skipped", null, "there is none", null, null],
      ["c", "skipped", null, "the check failed: x is not a function", null, null],
      ["d", "skipped", null, "not done within 0.1 s", null, null],
      ["e", "finding", "warning", null, "it leaks", "close it"],
    ]);
    expect(isAborted).toBe(true);
  });

  it("joins the findings of one check, keeps each fix, and takes the worst severity", async () => {
    const [report] = await runChecks(
      [check("a", () => [finding("it leaks", "close it", "warning"), ok("dry elsewhere"), finding("it burns", "put it out")])],
      examined(),
    );
    expect(report).toMatchObject({ severity: "error", finding: "it leaks; it burns", remedy: "close it; put it out", detail: null });
    expect(report?.findings).toEqual([
      { finding: "it leaks", remedy: "close it", severity: "warning" },
      { finding: "it burns", remedy: "put it out", severity: "error" },
    ]);
  });

  it("runs the parts of a check independently of each other", async () => {
    const notHere = () => {
      throw new NotPossible("there is none");
    };
    const reports = await runChecks(
      [
        check(
          "a",
          parts(notHere, () => ok("fine")),
        ),
        check(
          "b",
          parts(notHere, () => finding("it leaks", "close it")),
        ),
        check("c", parts(notHere, notHere)),
      ],
      examined(),
    );
    expect(reports.map(({ status, detail }) => [status, detail])).toEqual([
      ["ok", "fine"],
      ["finding", null],
      ["skipped", "there is none"],
    ]);
  });

  it("masks every secret of the configuration in findings and fixes", async () => {
    const env = {
      API_KEYS: "key-one-of-mine,key-two-of-mine",
      SMTP_PASSWORD: "mail-word",
      WEBSOCKET_TOKEN: "socket-word",
      DEFAULT_WEBHOOK_URL: "https://hooks.example/T1/secret",
      DATABASE_URL: "postgres://u:db%2Fword@h/d",
      REDIS_URL: "redis://:redis-word@h",
      MQTT_URL: "mqtt://me:mqtt-word@h",
      MQTT_PASSWORD: "other-mqtt-word",
    };
    const said =
      "key-one-of-mine key-two-of-mine mail-word socket-word https://hooks.example/T1/secret db%2Fword db/word redis-word other-mqtt-word mqtt-word";
    const [report] = await runChecks([check("x", () => finding(said, said))], examined({ env }));
    for (const text of [report?.finding, report?.remedy]) expect(text).toBe("*** *** *** *** *** *** *** *** *** ***");
  });
});
