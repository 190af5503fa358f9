import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../commands/open-browser.ts";
import { pagePaths } from "../../src/contract/pages.ts";
import { eventually } from "../support/eventually.ts";
import { type ServedDesk, serveDesk } from "../support/served-desk.ts";
import { temporaryFolder } from "../support/temporary.ts";

let served: ServedDesk;
const folder = temporaryFolder("browser");
beforeAll(async () => {
  served = await serveDesk();
  await served.desk.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('front-door', 'Front door', '/a')`);
});
afterAll(async () => {
  await served.close();
  await folder.remove();
});

it("open: prints the address of a page, an event's and a camera's, and the exit code says what is wrong", async () => {
  const camera = {
    camera_id: "front-door",
    started_at: "2026-03-01T12:00:00Z",
    risk_score: 50,
    summary: "",
    reasoning: "",
    detection_ids: [],
  };
  const { results } = (await served.desk.ask("createEvents", { body: { events: [camera] } as never })) as { results: { id: number }[] };
  const id = String(results[0]?.id);
  const open = async (...args: string[]) => {
    const { code, out, err } = await served.homesec("over HTTP", ["open", ...args]);
    return [code, `${out}${err}`.replaceAll(served.url, "").replace(/\s+/g, " ").trim()];
  };
  expect(await open()).toEqual([0, "page /"]);
  expect(await open("alerts")).toEqual([0, "page /alerts"]);
  expect(await open("docs")).toEqual([0, "page /docs"]);
  expect(await open("event", id)).toEqual([0, `page /events/${id}`]);
  expect(await open("camera", "Front door")).toEqual([0, "page /cameras/front-door"]);
  expect(await open("event", "987654")).toEqual([3, expect.stringContaining("987654")]);
  expect(await open("camera", "attic")).toEqual([3, expect.stringContaining("attic")]);
  expect(await open("event")).toEqual([2, expect.stringContaining("open event 42")]);
  expect(await open("alerts", "1")).toEqual([2, expect.stringContaining("takes no id")]);
  expect(await open("nowhere")).toEqual([2, expect.stringContaining("nowhere")]);
  const json = await served.homesec("over HTTP", ["open", "review", "-o", "json"]);
  expect(JSON.parse(json.out)).toEqual({ page: "review", url: `${served.url}/review`, opened: false });
});

it("open: knows every page of the web page that needs no id", async () => {
  const names = pagePaths.filter((path) => /^\/[a-z]+$/.test(path) && path !== "/login").map((path) => path.slice(1));
  expect(names).toEqual(expect.arrayContaining(["people", "insights", "welcome"]));
  for (const name of names) {
    const { code, out } = await served.homesec("over HTTP", ["open", name, "-o", "id"]);
    expect([code, out.trim()]).toEqual([0, `${served.url}/${name}`]);
  }
  expect((await served.homesec("over HTTP", ["open", "login"])).code).toBe(2);
});

it("open: starts the browser with the address as one argument, and only where a person sees it", async () => {
  const bin = join(folder.path, "bin");
  const seen = join(folder.path, "seen");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "xdg-open"), `#!/bin/sh\nprintf '%s' "$#:$1" > '${seen}'\n`);
  await chmod(join(bin, "xdg-open"), 0o755);
  const url = "http://127.0.0.1:8000/cameras/a;touch%20b";
  const open = async (env: Record<string, string>, isTTY = true) =>
    await openBrowser(url, { env: { PATH: `${bin}:/usr/bin:/bin`, ...env }, stdout: { isTTY, write: () => {} } }, "linux");
  expect(await open({ DISPLAY: ":0" })).toBe(true);
  expect(await eventually(() => readFile(seen, "utf8"))).toBe(`1:${url}`);
  expect(await open({})).toBe(false);
  expect(await open({ DISPLAY: ":0", SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" })).toBe(false);
  expect(await open({ DISPLAY: ":0", CI: "true" })).toBe(false);
  expect(await open({ DISPLAY: ":0" }, false)).toBe(false);
  expect(await openBrowser(url, { env: { DISPLAY: ":0", PATH: "/nonexistent" }, stdout: { isTTY: true, write: () => {} } }, "linux")).toBe(
    false,
  );
});
