import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { createLog, type LogOptions } from "../../daemon/log.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder("log");
afterEach(() => folder.remove());

function logTo(options: Partial<LogOptions> = {}) {
  let out = "";
  let now = new Date(2026, 0, 31, 23, 59, 58);
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      out += chunk.toString();
      done();
    },
  });
  const clock = { now: () => now, monotonic: () => 0 };
  const log = createLog({ level: "info", format: "json", destination, clock, ...options });
  return {
    log,
    out: () => out,
    setNow: (time: Date) => {
      now = time;
    },
  };
}

const lines = (text: string) => text.trim().split("\n");

describe("the log", () => {
  it("writes JSON lines with level, time, fields of the child and message", () => {
    const { log, out } = logTo();
    log.debug({}, "not this");
    log.child({ worker: "detection_worker" }).warn({ image: 7 }, "the detector is slow");
    expect(lines(out()).map((line) => JSON.parse(line))).toEqual([
      {
        level: "warn",
        time: new Date(2026, 0, 31, 23, 59, 58).toISOString(),
        worker: "detection_worker",
        image: 7,
        msg: "the detector is slow",
      },
    ]);
  });

  it("writes each field once per line: the innermost value counts", () => {
    const { log, out } = logTo();
    log.child({ service: "detector", try: 1 }).child({ service: "vision" }).info({ try: 2 }, "asked");
    expect(out().match(/"(service|try)":[^,]*/g)).toEqual(['"service":"vision"', '"try":2']);
  });

  it("keeps stack and cause of errors", () => {
    const { log, out } = logTo();
    log.error({ err: new Error("outer", { cause: new Error("inner") }) }, "it failed");
    expect(JSON.parse(out()).err.stack).toContain("inner");
  });

  it("masks secrets in every part of a line", () => {
    const { log, out } = logTo({ folder: folder.path });
    log.info({ url: "http://h/?api_key=geheim", authorization: "Bearer geheim", nested: { password: "geheim" } }, "api-key:geheim");
    log.error({ err: new Error("postgres://ada:geheim@db failed") }, "no");
    const file = readFileSync(join(folder.path, "2026-01-31.ndjson"), "utf8");
    expect(out()).toBe(file);
    expect(lines(file)).toHaveLength(2);
    expect(file).not.toContain("geheim");
    log.close();
  });

  it("starts a new file at midnight, in a folder that it creates", () => {
    const { log, setNow } = logTo({ folder: join(folder.path, "logs") });
    log.info({}, "before");
    setNow(new Date(2026, 1, 1, 0, 0, 1));
    log.info({}, "after");
    log.close();
    const files = readdirSync(join(folder.path, "logs")).sort();
    expect(files).toEqual(["2026-01-31.ndjson", "2026-02-01.ndjson"]);
    expect(readFileSync(join(folder.path, "logs", "2026-02-01.ndjson"), "utf8")).toContain("after");
    // cameras, names and times of a home are private
    expect([".", ...files].map((name) => statSync(join(folder.path, "logs", name)).mode & 0o077)).toEqual([0, 0, 0]);
  });

  it("continues without its file, reports that once, and writes the file again as soon as possible", () => {
    mkdirSync(folder.path, { recursive: true });
    const blocked = join(folder.path, "logs");
    writeFileSync(blocked, "");
    const { log, out, setNow } = logTo({ folder: blocked });
    for (const text of ["one", "two", "three"]) log.info({}, text);
    setNow(new Date(2026, 1, 1, 8));
    log.info({}, "four");
    expect(out().match(/cannot be written/g)).toHaveLength(1);
    expect(lines(out())).toHaveLength(5);
    rmSync(blocked);
    setNow(new Date(2026, 1, 1, 8, 0, 9));
    log.info({}, "five");
    expect(existsSync(blocked)).toBe(false);
    setNow(new Date(2026, 1, 1, 8, 0, 10));
    log.info({}, "six");
    const [name = ""] = readdirSync(blocked);
    expect(lines(readFileSync(join(blocked, name), "utf8")).map((line) => JSON.parse(line).msg)).toEqual(["six"]);
  });

  it("keeps control characters in file names and service replies away from the terminal", () => {
    const { log, out } = logTo({ format: "pretty" });
    log.warn({ path: "a\u001b[2J\u009b1m\u202egpj.exe \\u001b", error: new Error("b\u001b]0;title\u0007") }, "seen: c\u001b[1A\r\u007f");
    expect(out()).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(out()).toContain("seen: c\ufffd[1A\ufffd\ufffd");
    expect(out()).toContain("Error: b\ufffd]0;title\ufffd");
    expect(out()).toContain("exe \\u001b");
  });

  it("prints one line per message for people, whatever line ends the data has, except for the lines of a stack", () => {
    const { log, out } = logTo({ format: "pretty" });
    log.warn({ path: "a.jpg\n[00:00:00.000] ERROR: forged" }, "seen\n[00:00:00.000] ERROR: forged\u2028too");
    expect(lines(out())).toHaveLength(1);
    log.error({ err: new Error("b\n[00:00:00.000] ERROR: forged") }, "it failed");
    expect(lines(out()).filter((line) => /^\[?00:00:00/.test(line))).toEqual([]);
    expect(out()).toMatch(/\n +at /);
  });

  it("prints one line per message for people", () => {
    const { log, out } = logTo({ format: "pretty" });
    log.info({ camera: "front-door", nested: { a: 1 } }, "picture seen");
    expect(out()).toBe('[23:59:58.000] INFO: picture seen {"camera":"front-door","nested":{"a":1}}\n');
  });
});
