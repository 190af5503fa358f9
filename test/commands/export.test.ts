import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedDesk, serveDesk, ways } from "../support/served-desk.ts";
import { temporaryFolder } from "../support/temporary.ts";

let served: ServedDesk;
beforeAll(async () => {
  served = await serveDesk();
  await served.desk.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/b')`);
});
afterAll(() => served.close());

/** Stores an event with this time. */
async function stored(at: string, started_at = at): Promise<number> {
  served.desk.at(at);
  const { results } = await served.desk.ask("createEvents", { body: { events: [{ camera_id: "yard", started_at }] } });
  return results[0]?.id as number;
}

describe.each(ways)("events export, %s", (way) => {
  it("events export: --watermark saves each new event once, and --since skips older ones", async () => {
    const folder = temporaryFolder("export");
    const day = way === "--direct" ? "2026-05" : "2026-04";
    const run = (...args: string[]) =>
      served.homesec(way, ["events", "export", "--start-date", `${day}-01`, ...args], { cwd: folder.path });
    const nightly = (name: string) => run("--watermark", "mark", "--to", name);
    const idsIn = async (name: string) => {
      const text = await readFile(join(folder.path, name), "utf8");
      return name.endsWith(".csv")
        ? text
            .trimEnd()
            .split("\r\n")
            .slice(1)
            .map((line) => Number(line.split(",")[0]))
        : text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line).id as number);
    };

    const first = [await stored(`${day}-10T10:00:00Z`), await stored(`${day}-10T11:00:00Z`)];
    served.desk.at(`${day}-11T00:00:00Z`);
    expect(await nightly("one.ndjson")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^saved +\/.*one\.ndjson \(2 events, \d+ bytes\)\n$/),
    });
    expect(await idsIn("one.ndjson")).toEqual(first.toReversed());
    expect(await readFile(join(folder.path, "mark"), "utf8")).toBe(`${day}-10T11:00:00.000Z\n`);

    expect(await nightly("none.csv")).toEqual({ code: 0, out: "", err: "no new events\n" });
    // one stored late and one stored just now: the first belongs to this run, the second to the next
    const late = await stored(`${day}-11T09:00:00Z`, `${day}-02T09:00:00Z`);
    const fresh = await stored(`${day}-11T23:59:30Z`);
    served.desk.at(`${day}-12T00:00:00Z`);
    expect((await nightly("two.csv")).code).toBe(0);
    expect(await idsIn("two.csv")).toEqual([late]);
    expect(await nightly("none.csv")).toMatchObject({
      code: 0,
      err: "no new events except those of the last minute; the next run saves them\n",
    });
    served.desk.at(`${day}-13T00:00:00Z`);
    // a failed run does not move the watermark
    expect((await nightly("two.csv")).code).toBe(5);
    expect((await nightly("three.csv")).code).toBe(0);
    expect(await idsIn("three.csv")).toEqual([fresh]);
    expect((await readdir(folder.path)).toSorted()).toEqual(["mark", "one.ndjson", "three.csv", "two.csv"]);

    await writeFile(join(folder.path, "mark"), "yesterday\n");
    expect(await nightly("four.csv")).toMatchObject({ code: 2, err: expect.stringContaining("does not contain a time") });
    expect((await run("--watermark", "mark", "--to", "five.xlsx")).code).toBe(2);
    expect(await run("--to", "events.json")).toEqual({
      code: 2,
      out: "",
      err: expect.stringContaining("the extension must be .csv, .xlsx or .ndjson"),
    });
    expect((await run("--to", "events.json", "--format", "ndjson")).code).toBe(0);
    expect((await run("--since", "24h")).code).toBe(2);
    const since = (...args: string[]) => served.homesec(way, ["events", "export", "--since", ...args], { cwd: folder.path });
    expect((await since("26h", "--to", "since.ndjson", "-o", "json")).code).toBe(0);
    expect(await idsIn("since.ndjson")).toEqual([fresh]);
    expect((await since("soon")).code).toBe(2);
    await folder.remove();
  });

  it("events export: --excel writes CSV as Excel of the locale reads it, with --watermark too", async () => {
    const folder = temporaryFolder("export");
    const month = way === "--direct" ? "2025-08" : "2025-07";
    await stored(`${month}-10T10:00:00Z`);
    served.desk.at(`${month}-11T00:00:00Z`);
    const range = ["--start-date", `${month}-01`, "--end-date", `${month}-31`];
    const run = (env: Record<string, string>, ...args: string[]) =>
      served.homesec(way, ["events", "export", "--excel", ...range, ...args], { cwd: folder.path, env });
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const local = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
    for (const [name, separator, env] of [
      ["german.csv", ";", { LANG: "de_DE.UTF-8" }],
      ["english.csv", ",", { LC_ALL: "en_US.UTF-8", LANG: "de_DE.UTF-8" }],
    ] as const) {
      expect((await run(env, "--to", name)).code).toBe(0);
      const text = await readFile(join(folder.path, name), "utf8");
      expect(text.startsWith(`\ufeffid${separator}camera_id${separator}`)).toBe(true);
      expect(text).toContain(`${separator}started_at (${zone})${separator}`);
      expect(text).toContain(`${separator}${local.format(new Date(`${month}-10T10:00:00Z`))}${separator}`);
    }
    expect((await run({ LANG: "fr_FR" }, "--watermark", "mark", "--to", "new.csv")).code).toBe(0);
    expect((await readFile(join(folder.path, "new.csv"), "utf8")).startsWith("\ufeffid;")).toBe(true);
    expect(await run({}, "--to", "a.xlsx")).toMatchObject({ code: 2, err: expect.stringContaining("--excel is for CSV") });
    expect((await run({}, "--to", "a.ndjson")).code).toBe(2);
    await folder.remove();
  });

  it("events export: --watermark with a risk filter leaves events without an analysis, and all later ones, to the next run", async () => {
    const folder = temporaryFolder("export");
    const day = way === "--direct" ? "2026-02" : "2026-01";
    const nightly = (name: string) =>
      served.homesec(
        way,
        [
          "events",
          "export",
          "--start-date",
          `${day}-01`,
          "--end-date",
          `${day}-20`,
          "--min-risk-score",
          "60",
          "--watermark",
          "mark",
          "--to",
          name,
        ],
        {
          cwd: folder.path,
        },
      );
    const idsIn = async (name: string) =>
      (await readFile(join(folder.path, name), "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id as number);
    const judge = async (id: number, score: number | null, status: "pending" | "completed") =>
      await served.desk.db.query(
        (sql) =>
          sql`update events set risk_score = ${score}, risk_level = ${score === null ? null : "critical"}, analysis_status = ${status} where event_id = ${id}`,
      );
    const [early, waiting, after] = [
      await stored(`${day}-10T10:00:00Z`),
      await stored(`${day}-10T11:00:00Z`),
      await stored(`${day}-10T12:00:00Z`),
    ];
    await judge(early, 95, "completed");
    await judge(waiting, null, "pending");
    await judge(after, 90, "completed");
    served.desk.at(`${day}-11T00:00:00Z`);
    expect(await nightly("one.ndjson")).toMatchObject({
      code: 0,
      err: expect.stringContaining("1 event waits for analysis; a later run saves it and"),
    });
    expect(await idsIn("one.ndjson")).toEqual([early]);
    expect(await nightly("none.ndjson")).toMatchObject({ code: 0, out: "", err: expect.stringContaining("no new events") });
    await judge(waiting, 91, "completed");
    expect((await nightly("two.ndjson")).code).toBe(0);
    expect(await idsIn("two.ndjson")).toEqual([after, waiting]);
    // no analysis is requested for it, and the export does not return to it
    await judge(await stored(`${day}-12T10:00:00Z`), 10, "completed");
    served.desk.at(`${day}-13T00:00:00Z`);
    expect((await nightly("none.ndjson")).code).toBe(0);
    expect(await readFile(join(folder.path, "mark"), "utf8")).toBe(`${day}-12T10:00:00.000Z\n`);
    await folder.remove();
  });

  it("events export: --watermark skips nothing when this machine's clock is ahead of the daemon's", async () => {
    const folder = temporaryFolder("export");
    const day = way === "--direct" ? "2025-12" : "2025-11";
    const nightly = (name: string) =>
      served.homesec(
        way,
        ["events", "export", "--start-date", `${day}-01`, "--end-date", `${day}-20`, "--watermark", "mark", "--to", name],
        { cwd: folder.path },
      );
    await stored(`${day}-10T10:00:00Z`);
    served.desk.at(`${day}-10T12:00:00Z`);
    expect((await nightly("one.csv")).code).toBe(0);
    await stored(`${day}-10T11:00:00Z`);
    served.desk.at(`${day}-10T13:00:00Z`);
    expect((await nightly("two.csv")).code).toBe(0);
    expect((await readdir(folder.path)).toSorted()).toEqual(["mark", "one.csv", "two.csv"]);
    await folder.remove();
  });
});
