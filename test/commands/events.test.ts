import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../daemon/http/app.ts";
import { type Listening, listen } from "../../daemon/http/listen.ts";
import { operations } from "../../src/all-operations.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { openIncident } from "../../src/monitoring/incidents/incidents.ts";
import { cli } from "../support/cli.ts";
import { type Desk, openDesk } from "../support/operations.ts";
import { temporaryFolder } from "../support/temporary.ts";

let desk: Desk;
let daemon: Listening;
const folder = temporaryFolder("events-commands");
beforeAll(async () => {
  desk = await openDesk();
  daemon = await listen({
    app: createApp({ context: desk.context, operations, log: silentLog, allowedHosts: [], strictReplies: true }),
    host: "127.0.0.1",
    port: 0,
  });
  await desk.db.query(
    (sql) => sql`insert into cameras (camera_id, name, folder_path) values ('front-door', 'Front door', '/a'), ('yard', 'Yard', '/b')`,
  );
  const event = { camera_id: "yard", started_at: "2026-03-01T10:00:00Z", risk_score: 40 };
  await desk.ask("createEvents", {
    body: {
      events: [
        { ...event, summary: "A man carries a <ladder> & a bucket", camera_id: "front-door" },
        { ...event, summary: "A dog in the yard" },
        { ...event, summary: "=A cat" },
      ],
    },
  });
});
afterAll(async () => {
  await daemon.close();
  await desk.close();
  await folder.remove();
});

describe.each(["over HTTP", "--direct"])("%s", (way) => {
  const run = (...args: string[]) =>
    way === "--direct"
      ? cli([...args, "--direct"], { cwd: folder.path, env: { DATABASE_URL: desk.url, DATA_DIR: folder.path } })
      : cli([...args, "--url", `http://127.0.0.1:${daemon.port}`], { cwd: folder.path });

  it("events search: finds words and marks them in the text", async () => {
    const table = await run("events", "search", "ladder");
    expect([table.code, table.err]).toEqual([0, ""]);
    expect(table.out).toMatch(/MATCH/);
    expect(table.out).toContain("A man carries a <ladder> & a bucket");
    expect((await run("events", "search", "yard -dog", "-o", "id")).out).toBe("3\n");
    expect((await run("events", "search", "man OR dog", "--camera-id", "yard", "-o", "id")).out).toBe("2\n");
    const { items } = JSON.parse((await run("events", "search", "man", "-o", "json")).out);
    expect(items).toEqual([
      expect.objectContaining({ id: 1, relevance_score: expect.any(Number), highlight: expect.stringContaining("<mark>man</mark>") }),
    ]);
    expect((await run("events", "search", "nothing")).err).toBe(
      'no events\nsearched for "nothing"\nno similar search finds any; `homesec help events search` has examples\n',
    );
    expect((await run("events", "search", "***")).code).toBe(2);
  });

  it.each([
    [
      "man AND dog",
      [],
      'searched for "man" and "dog"',
      '"man" alone finds 1 event, "dog" alone finds 1 event; `homesec events search \'man OR dog\'` finds both',
    ],
    ["man or dog", [], 'searched for "man" and "or" and "dog"', "`homesec events search 'man OR dog'` finds 2 events"],
    ["man and ladder", [], 'searched for "man" and "and" and "ladder"', "in capitals: `homesec events search 'man ladder'` finds 1 event"],
    ["buckets", [], 'searched for "buckets"', "`homesec events search 'bucket*'` finds 1 event"],
    ["ladder", ["--camera-id", "yard"], 'searched for "ladder", with the filters', "without the filters it finds 1 event"],
    [
      '"the dog" -ladder',
      ["--until", "2020-01-01"],
      'searched for "the dog" and not "ladder", with the filters',
      "no similar search finds any",
    ],
  ])("events search: %s without results says what was searched and what works", async (query, filters, searched, advice) => {
    const { code, out, err } = await run("events", "search", query, ...filters);
    expect([code, out]).toEqual([0, ""]);
    expect(err.split("\n").slice(0, 2)).toEqual(["no events", searched]);
    expect(err.split("\n")[2]).toContain(advice);
    expect(await run("events", "search", query, ...filters, "-o", "json")).toMatchObject({ code: 0, err: "" });
  });

  it("events search: AND is an operator, and may be left out", async () => {
    expect((await run("events", "search", "man AND ladder", "-o", "id")).out).toBe("1\n");
    expect((await run("events", "search", "man ladder", "-o", "id")).out).toBe("1\n");
  });

  it("events list: reports an unknown camera differently from a camera without events", async () => {
    const told = "camera yrad does not exist; did you mean yard?\n";
    for (const list of [
      ["events", "list"],
      ["events", "search", "dog"],
      ["detections", "list"],
      ["alerts", "list"],
    ]) {
      const { code, out, err } = await run(...list, "--camera-id", "yrad");
      expect([code, out], list.join(" ")).toEqual([0, ""]);
      expect(err, list.join(" ")).toMatch(/^no \w+\ncamera yrad does not exist; did you mean yard\?\n$/);
    }
    expect((await run("events", "stats", "--camera-id", "yrad")).err).toBe(told);
    expect((await run("events", "timeline", "--camera-id", "yrad,yard")).err).toBe(`0 events\n${told}`);
    expect((await run("events", "list", "--camera-id", "yrad", "-o", "id")).err).toBe(told);
    await run("cameras", "remove", "yard");
    expect((await run("alerts", "list", "--camera-id", "yard")).err).toBe(
      "no alerts\ncamera yard is deleted; restore it with `homesec cameras restore yard`\n",
    );
    await run("cameras", "restore", "yard");
  });

  it("events: delete, restore and list --deleted work together", async () => {
    expect(await run("events", "delete", "2")).toEqual({
      code: 0,
      out: "",
      err: "event 2 deleted; undo with homesec events restore 2\n",
    });
    expect((await run("events", "delete", "2")).code).toBe(5);
    expect((await run("events", "list", "--deleted", "-o", "id")).out).toBe("2\n");
    expect((await run("events", "list", "--deleted", "--camera-id", "yard")).code).toBe(2);
    expect((await run("events", "show", "2")).code).toBe(3);
    const restored = await run("events", "restore", "2", "-o", "json");
    expect(JSON.parse(restored.out)).toMatchObject({ id: 2, deleted_at: null });
    expect((await run("events", "restore", "2")).code).toBe(5);
    expect((await run("events", "restore", "99")).code).toBe(3);
  });

  it("events: review and note store their values", async () => {
    expect(JSON.parse((await run("events", "review", "1", "--note", "the neighbour", "-o", "json")).out)).toMatchObject({
      reviewed: true,
      notes: "the neighbour",
    });
    expect(JSON.parse((await run("events", "review", "1", "--undo", "-o", "json")).out)).toMatchObject({
      reviewed: false,
      notes: "the neighbour",
    });
    expect((await run("events", "note", "1", "his ladder")).out).toContain("his ladder");
    expect((await run("events", "note", "1", "")).err).toBe("note on event 1 deleted\n");
    expect((await run("events", "note", "1", "x".repeat(4001))).code).toBe(2);
    expect((await run("events", "review", "99")).code).toBe(3);
  });

  it("events reanalyze: queues the event", async () => {
    const { code, out } = await run("events", "reanalyze", "1");
    expect([code, out]).toEqual([0, "event  1 queued for analysis\n"]);
    expect((await run("events", "reanalyze", "99")).code).toBe(3);
  });

  it("events export: saves a file and never overwrites one", async () => {
    const name = way === "--direct" ? "direct" : "http";
    const saved = await run("events", "export", "--to", `${name}.csv`, "--camera-id", "yard", "-o", "json");
    expect(saved.code, saved.err).toBe(0);
    const text = await readFile(join(folder.path, `${name}.csv`), "utf8");
    expect(JSON.parse(saved.out)).toEqual({
      file: join(folder.path, `${name}.csv`),
      media_type: "text/csv; charset=utf-8",
      size_bytes: text.length,
      event_count: 2,
    });
    expect(text.trimEnd().split("\r\n")).toHaveLength(3);
    expect(text).toContain(",'=A cat,");
    const again = await run("events", "export", "--to", `${name}.csv`);
    expect([again.code, again.err]).toEqual([5, expect.stringContaining("already exists")]);
    expect(await readFile(join(folder.path, `${name}.csv`), "utf8")).toBe(text);
    expect((await run("events", "export", "--to", `${name}.xlsx`)).code).toBe(0);
    expect((await readFile(join(folder.path, `${name}.xlsx`))).subarray(0, 2).toString()).toBe("PK");
    const unwritable = [
      ["nowhere/a.csv", "its folder does not exist"],
      [`${"a".repeat(300)}.csv`, "its name is too long"],
      ["a\0a.csv", "no file can have such a name"],
    ] as const;
    for (const [to, why] of unwritable) {
      expect(await run("events", "export", "--to", to)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`cannot be written: ${why}`),
      });
    }
    expect((await readdir(folder.path)).filter((file) => file.endsWith("a.csv"))).toEqual([]);
    expect(await run("events", "export", "--to", "b.json")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/b\.json: the extension must be \.csv, \.xlsx or \.ndjson; .*--format/),
    });
  });

  it("events export: uses the suggested file name by default", async () => {
    const own = temporaryFolder("events-export");
    const args = way === "--direct" ? ["--direct"] : ["--url", `http://127.0.0.1:${daemon.port}`];
    const env = way === "--direct" ? { DATABASE_URL: desk.url, DATA_DIR: folder.path } : {};
    const { code } = await cli(["events", "export", "--format", "xlsx", ...args], { cwd: own.path, env });
    expect([code, await readdir(own.path)]).toEqual([0, ["homesec-events.xlsx"]]);
    await writeFile(join(own.path, "homesec-events.csv"), "mine");
    expect((await cli(["events", "export", ...args], { cwd: own.path, env })).code).toBe(5);
    await own.remove();
  });
});

it("events show: an ongoing incident has no duration and no analysis yet", async () => {
  const now = new Date();
  const trouble = { cameraId: "yard", cause: "silent" as const, reason: "No picture for 60 s", beganAt: new Date(now.getTime() - 8000) };
  await desk.db.transaction((sql) => openIncident(sql, trouble, now));
  const [incident] = (await desk.ask("listEvents", { query: "kind=camera_health" })).items;
  const { code, out } = await cli(["events", "show", String(incident?.id), "--url", `http://127.0.0.1:${daemon.port}`]);
  expect([code, out]).toEqual([0, expect.stringContaining("Camera Yard is silent: no picture for 60 s.")]);
  expect(out).not.toMatch(/lasted|judged|risk|seen/);
});

it("events: an interrupted answer to a change does not claim that nothing was changed", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.write('{"id":', () => setTimeout(() => response.destroy(), 50));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [read, change] = await Promise.all(
    ["show", "review"].map((what) => cli(["events", what, "1", "--url", url], { cwd: folder.path, env: { DATA_DIR: folder.path } })),
  );
  expect(read).toMatchObject({ code: 6, err: expect.stringContaining("ended early; try again") });
  expect(change).toMatchObject({ code: 6, err: expect.stringContaining("the request may have taken effect, so check before you retry") });
  server.close();
});

it("events export: reports an interrupted export and leaves no partial file", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/csv; charset=utf-8" });
    response.write("id,camera_id\r\n1,yard\r\n", () => setTimeout(() => response.destroy(), 50));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = temporaryFolder("events-export");
  const { code, err } = await cli(["events", "export", "--url", `http://127.0.0.1:${(server.address() as AddressInfo).port}`], {
    cwd: own.path,
  });
  expect([code, err]).toEqual([6, expect.stringContaining("ended early")]);
  expect(await readdir(own.path)).toEqual([]);
  server.close();
  await own.remove();
});
