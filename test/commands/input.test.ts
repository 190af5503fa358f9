import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { classOf } from "../../commands/input/classes.ts";
import { WrongValue } from "../../commands/input/options.ts";
import { parseYaml } from "../../commands/input/read-text.ts";
import { parseDay, parseDuration, parseEnd, parseFutureEnd, parseStart, parseTime } from "../../commands/input/time.ts";
import { allCommands } from "../../commands/registry.ts";
import { objectTypes } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { cli } from "../support/cli.ts";

const now = new Date(2026, 2, 15, 14, 30, 20);

describe("times", () => {
  it.each([
    ["now", now],
    ["-90s", new Date(2026, 2, 15, 14, 28, 50)],
    ["-2h", new Date(2026, 2, 15, 12, 30, 20)],
    ["-30d", new Date(now.getTime() - 30 * 86_400_000)],
    ["22:15", new Date(2026, 2, 15, 22, 15)],
    ["9:05:07", new Date(2026, 2, 15, 9, 5, 7)],
    ["today", new Date(2026, 2, 15)],
    ["Yesterday", new Date(2026, 2, 14)],
    ["yesterday 21:00", new Date(2026, 2, 14, 21)],
    ["tomorrow 06:00", new Date(2026, 2, 16, 6)],
    ["2026-01-31", new Date(2026, 0, 31)],
    ["2026-01-31T22:15", new Date(2026, 0, 31, 22, 15)],
    ["2026-01-31 22:15:30", new Date(2026, 0, 31, 22, 15, 30)],
    ["2026-01-31T22:15:00Z", new Date("2026-01-31T22:15:00Z")],
    ["2026-01-31 22:15:00.250+02:00", new Date("2026-01-31T20:15:00.250Z")],
    ["2028-02-29", new Date(2028, 1, 29)],
  ])("times: %s", (text, time) => {
    expect(parseTime(text, now)).toEqual(time);
  });

  it.each([
    "",
    " ",
    "the day after",
    "25:00",
    "12:60",
    "2026-02-30",
    "2026-13-01",
    "2h",
    "-2",
    "-2w",
    "yesterday at nine",
    "2026-01-31T25:00Z",
    "-999999999d",
  ])("times: %j is rejected", (text) => {
    expect(parseTime(text, now)).toBeUndefined();
  });

  it("times: a two-digit year is not in the last century", () => {
    expect(parseTime("0050-01-01", now)?.getFullYear()).toBe(50);
  });

  it("times: never produce an invalid date", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^-?\d{0,4}[-:smhdTZ ]{0,2}\d{0,2}[-:]?\d{0,2}.{0,6}$/)), (text) => {
        expect(parseTime(text, now)?.getTime()).not.toBeNaN();
      }),
    );
  });
});

describe("periods", () => {
  it.each([
    ["24h", new Date(now.getTime() - 86_400_000), new Date(now.getTime() + 86_400_000)],
    ["yesterday", new Date(2026, 2, 14), new Date(2026, 2, 14, 23, 59, 59, 999)],
    ["Today", new Date(2026, 2, 15), new Date(2026, 2, 15, 23, 59, 59, 999)],
    ["2026-11-20", new Date(2026, 10, 20), new Date(2026, 10, 20, 23, 59, 59, 999)],
    ["yesterday 21:00", new Date(2026, 2, 14, 21), new Date(2026, 2, 14, 21)],
    ["now", now, now],
    ["soon", undefined, undefined],
    ["-999999999d", undefined, undefined],
  ])("periods: %s as a start, and as an end", (text, start, futureEnd) => {
    expect(parseStart(text, now)).toEqual(start);
    expect(parseFutureEnd(text, now)).toEqual(futureEnd);
    // a duration ends a past period that long ago
    expect(parseEnd(text, now)).toEqual(text === "24h" ? start : futureEnd);
  });

  it("periods: a whole day has no gap to the next one, on days of clock changes too", () => {
    const zone = process.env["TZ"];
    for (const timeZone of ["Europe/Berlin", "Africa/Cairo", "America/New_York", "UTC"]) {
      process.env["TZ"] = timeZone;
      fc.assert(
        fc.property(fc.date({ min: new Date(2020, 0, 1), max: new Date(2035, 0, 1), noInvalidDate: true }), (date) => {
          const day = (time: Date): string =>
            [time.getFullYear(), time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
          const next = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1, 12);
          const [end, start] = [parseEnd(day(date), now), parseStart(day(next), now)];
          expect((end?.getTime() ?? 0) + 1).toBe(start?.getTime());
        }),
      );
    }
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  it("periods: every command with a time takes --since and --until, and keeps the names of the API", async () => {
    const url = { env: { HOMESEC_URL: "http://127.0.0.1:1" } };
    const timed = (await allCommands()).filter(({ options }) => "start_date" in options);
    expect(timed.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["events list", "events export", "alerts list", "detections stats", "rules test", "analytics risk"]),
    );
    for (const { name, arguments: given, options } of timed) {
      const line = [...name.split(" "), ...("all" in options ? ["--all"] : Object.keys(given).map(() => "1"))];
      for (const since of ["yesterday 21:00", "24h", "-24h", "2026-01-01", "2026-01-01T22:15"])
        expect((await cli([...line, `--since=${since}`], url)).code, `${name} ${since}`).toBe(6);
      expect((await cli([...line, "--start-date", "2d", "--end-date", "yesterday"], url)).code, name).toBe(6);
      expect(await cli([...line, "--since", "1d", "--start-date", "1d"], url)).toMatchObject({
        code: 2,
        err: expect.stringContaining("--since and --start-date mean the same; give only one"),
      });
      expect(await cli([...line, "--since", "1d", "--until", "3d"], url)).toMatchObject({
        code: 2,
        err: expect.stringContaining("--since is later than --until; swap them"),
      });
      expect((await cli([...line, "--start-date", "soon"], url)).err).toMatch(
        /^homesec: --start-date "soon" must be a (time|day) such as /,
      );
      expect((await cli([...name.split(" "), "--help"])).out).not.toContain("--start-date");
    }
  });

  it("periods: an end before the default start names the option that is missing", async () => {
    expect((await cli(["events", "timeline", "--until", "3d"])).err).toContain(
      "--until is before the default of --since; give --since too",
    );
  });

  it("periods: gpu history and baseline anomalies take the same words, and the numbers of the API", async () => {
    const url = { env: { HOMESEC_URL: "http://127.0.0.1:1" } };
    const codes = async (...args: string[]) => (await cli(args, url)).code;
    for (const flag of ["--since=24h", "--since=yesterday", "--hours=24"]) expect(await codes("gpu", "history", flag), flag).toBe(6);
    for (const flag of ["--since=8d", "--since=tomorrow", "--hours=200"]) expect(await codes("gpu", "history", flag), flag).toBe(2);
    for (const flag of ["--since=30d", "--days=30"]) expect(await codes("cameras", "baseline", "anomalies", "yard", flag), flag).toBe(6);
  });

  it("periods: a time is no sequence, and the error names the commands that take times", async () => {
    expect((await cli(["events", "tail", "--since", "yesterday"])).err).toContain("`homesec events list`");
  });
});

describe("days", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  // 24 April has no midnight in Cairo: clocks go from 23:59:59 to 01:00
  it.each(["Africa/Cairo", "America/New_York", "UTC", "Asia/Tokyo"])("days: a date is the same day in %s", (timeZone) => {
    process.env["TZ"] = timeZone;
    const evening = new Date(2026, 3, 24, 20, 30);
    for (const text of ["2026-04-24", " 2026-04-24", "today", "Today"]) expect(parseDay(text, evening), text).toBe("2026-04-24");
    expect([parseDay("yesterday", evening), parseDay("tomorrow", evening)]).toEqual(["2026-04-23", "2026-04-25"]);
  });

  it.each([
    ["2026-04-24T23:30:00-02:00", "2026-04-25"],
    ["-2d", "2026-03-13"],
    ["2d", "2026-03-13"],
    ["0050-01-01", "0050-01-01"],
    ["2026-02-30", undefined],
    ["soon", undefined],
  ])("days: %s", (text, day) => {
    expect(parseDay(text, new Date("2026-03-15T14:30:20Z"))).toBe(day);
  });
});

describe("durations", () => {
  it.each([
    ["90s", 90_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["30d", 2_592_000_000],
    ["5 m", undefined],
    ["5", undefined],
  ])("durations: %s", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });
});

describe("classes", () => {
  it("classes: each one is accepted in any case", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...objectTypes).chain((type) => fc.tuple(fc.constant(type), fc.mixedCase(fc.constant(type)))),
        ([type, text]) => {
          expect(classOf(text)).toBe(type);
        },
      ),
    );
  });

  it.each([
    ["persn", "; did you mean person?"],
    ["human", "; did you mean person?"],
    ["Bicylce", "; did you mean bicycle?"],
    ["dragon", ""],
  ])("classes: %s is refused, since no detector reports it", (text, hint) => {
    expect(() => classOf(text)).toThrow(new WrongValue(`one of ${objectTypes.join(", ")}${hint}`));
  });

  it.each([
    "events list --object-type persn",
    "events export --object-type persn",
    "detections list --object-type persn",
    "entities list --object-type persn",
  ])("classes: %s is a usage error, not an empty list", async (line) => {
    const { code, err } = await cli(line.split(" "), { env: { HOMESEC_URL: "http://127.0.0.1:1" } });
    expect([code, err]).toEqual([2, expect.stringContaining("did you mean person?")]);
  });
});

describe("YAML", () => {
  it.each([
    "[".repeat(50_000),
    '{"a":'.repeat(10_000),
    "- ".repeat(20_000),
    "? ".repeat(20_000),
    "a: ".repeat(20_000),
    `${" ".repeat(5_000)}a: 1`,
  ])("YAML: text nested too deeply for the parser is rejected, and the process lives on", async (text) => {
    await expect(parseYaml(text, "rules.yaml")).rejects.toThrow(Problem);
  });

  it("YAML: a hundred nested levels are read", async () => {
    expect(await parseYaml(`${"[".repeat(100)}${"]".repeat(100)}`, "rules.yaml")).toHaveLength(1);
  });
});
