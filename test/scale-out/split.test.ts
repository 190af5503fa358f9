import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { redisInstalled } from "../support/redis.ts";
import { type Follower, follow, upTo } from "./follow.ts";
import { daemonsOf, type Home, type Member, newCamera, openHome, stagesDone } from "./home.ts";

const long = process.env["SCALE_OUT"] === "all";
const pictures = long ? 400 : 40;
/** The roles of each daemon. The first two serve clients and stand by for each other. */
const fourDaemons = [
  ["one", "api,watch,alert,maintain"],
  ["two", "api,watch,alert,maintain,deliver"],
  ["three", "detect,analyze"],
  ["four", "detect,analyze,deliver"],
] as const;
const searchLimit = 5 + 10;

// Each start of the program takes a while on a busy machine.
describe.skipIf(!redisInstalled)("four daemons with split roles on one database and one Redis", { timeout: 180_000 }, () => {
  let home: Home;
  let started: readonly Follower[] = [];
  const rolesOf = (name: string): string => fourDaemons.find(([known]) => known === name)?.[1] ?? "";

  beforeAll(async () => {
    home = await openHome({
      detectorMs: 20,
      env: { RATE_LIMIT_SEARCH_REQUESTS_PER_MINUTE: "5", RATE_LIMIT_REQUESTS_PER_MINUTE: "1000", DETECT_CONCURRENCY: "1" },
    });
    await Promise.all(fourDaemons.map(([name, roles]) => home.start(name, roles)));
    started = ["one", "two"].map((name) => follow(() => [home.urlOf(name)]));
  }, 180_000);
  afterAll(async () => {
    for (const follower of started) follower.close();
    await home?.close();
  });

  const upload = async (camera: string, count: number): Promise<void> => {
    await Promise.all(
      Array.from({ length: count }, async (_, index) => renameIn(join(home.cameraRoot, camera, `${index}.jpg`), await uniqueJpeg(index))),
    );
  };
  const outcomes = async (camera: string): Promise<unknown> => {
    const [row] = await home.database.db.query(
      (sql) => sql`
        select count(*)::int as images, (count(*) filter (where i.status = 'processed'))::int as processed,
          (select count(*) from detections d where d.camera_id = ${camera})::int as detections,
          (select count(distinct d.image_id) from detections d where d.camera_id = ${camera})::int as looked_at
        from images i
        where i.camera_id = ${camera}`,
    );
    return row;
  };
  const each = (count: number) => ({ images: count, processed: count, detections: count, looked_at: count });
  /** Statuses of searches by the client with this address, sent to both daemons in turn. */
  const askInTurn = async (localAddress: string, count: number): Promise<number[]> => {
    const statuses: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const url = `${home.member(index % 2 === 0 ? "one" : "two").url}/api/events/search?q=nobody`;
      const request = get(url, { localAddress });
      const [reply] = (await once(request, "response")) as [IncomingMessage];
      reply.resume();
      statuses.push(reply.statusCode ?? 0);
    }
    return statuses;
  };
  const processed = (camera: string, count: number, timeoutMs = 30_000) =>
    eventually(async () => ((await outcomes(camera)) as { processed: number }).processed === count, {
      timeoutMs,
      what: "the last picture",
    });
  const newest = async (): Promise<number> => {
    const [row] = await home.database.db.query((sql) => sql<[{ n: number }]>`select h.last_sequence as n from journal_head h`);
    return row.n;
  };
  /** Returns the daemons that can run singletons, with the ones they run. */
  const holdings = async (asked: Member): Promise<ReadonlyMap<string, readonly number[]>> => {
    const held = new Map<string, number[]>();
    for (const { pid, singletons } of await daemonsOf(asked)) {
      for (const name of singletons) held.set(name, [...(held.get(name) ?? []), pid]);
    }
    return held;
  };
  const nameOf = (pid: number): string => home.members().find(({ process }) => process.pid === pid)?.name ?? "nobody";

  test("split roles: every picture is processed once, shared by the two detecting daemons", async () => {
    const camera = newCamera();
    const before = await Promise.all(["three", "four"].map((name) => stagesDone(home.member(name), "detect")));
    const asked = home.detector.requests;
    await upload(camera, pictures);
    await processed(camera, pictures);
    expect(await outcomes(camera)).toEqual(each(pictures));
    expect(home.detector.requests - asked).toBe(pictures);
    const done = (await Promise.all(["three", "four"].map((name) => stagesDone(home.member(name), "detect")))).map(
      (count, index) => count - (before[index] ?? 0),
    );
    expect(done.reduce((sum, count) => sum + count)).toBe(pictures);
    expect(Math.min(...done)).toBeGreaterThan(pictures / 5);
    await eventually(
      async () => {
        const [row] = await home.database.db.query(
          (sql) => sql`select count(*)::int as events from events e where e.camera_id = ${camera} and e.risk_score is null`,
        );
        return row?.["events"] === 0;
      },
      { timeoutMs: 20_000, what: "the judgement of the last event" },
    );
  });

  test("split roles: a client has one rate limit across all daemons", async () => {
    const expected = Array.from({ length: searchLimit + 9 }, (_, index) => (index < searchLimit ? 200 : 429));
    const clients = [1, 2, 3, 4, 5, 6].map((host) => `127.0.0.${host}`);
    let seen: number[] = [];
    // While Redis answers too slowly, each daemon counts alone, on purpose: then another client is tried.
    for (let client = clients.shift(); client !== undefined && !isDeepStrictEqual(seen, expected); client = clients.shift())
      seen = await askInTurn(client, expected.length);
    expect(seen).toEqual(expected);
  });

  test("split roles: a client of any daemon receives every message once and in order", async () => {
    const camera = newCamera();
    const followers = [...started, follow(() => [home.urlOf("two")])];
    try {
      await upload(camera, 6);
      await processed(camera, 6);
      const all = upTo(await newest());
      for (const follower of followers) {
        await eventually(() => follower.sequences.length >= all.length, { what: "the newest message" });
        expect(follower.sequences.slice(0, all.length)).toEqual(all);
      }
    } finally {
      followers.at(-1)?.close();
    }
  });

  test("split roles: a daemon reports its roles, and one without the role api reports only its own state", async () => {
    const three = home.member("three");
    const refused = await fetch(`${three.url}/api/events`);
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([503, expect.stringContaining("role api")]);
    // Each has its own files, whatever its roles.
    expect(await (await fetch(`${three.url}/metrics`)).text()).toContain('homesec_worker_up{worker="file_cleaner"} 1');
    const { workers } = (await (await fetch(`${home.member("one").url}/api/system/workers`)).json()) as {
      workers: readonly { readonly name: string; readonly running: boolean; readonly message: string | null }[];
    };
    const elsewhere = workers.find(({ name }) => name === "detection_worker");
    expect(elsewhere).toMatchObject({ running: true, message: expect.stringContaining(`pid ${three.process.pid}`) });
    // On a busy machine a check may have been late a moment ago: the daemon must become healthy and report it without help.
    const two = async (): Promise<readonly unknown[]> => {
      const health = await fetch(`${home.member("two").url}/api/system/health`);
      const { status, services, recent_events } = (await health.json()) as Record<"status" | "services" | "recent_events", unknown>;
      return [health.status, status, ...(health.ok ? [] : [services, recent_events])];
    };
    await expect.poll(two, { timeout: 30_000, interval: 500 }).toEqual([200, "healthy"]);
  });

  test("split roles: a singleton runs in one daemon, and in another within 10 s of its death", async () => {
    const asked = home.member("three");
    const watchedBy = await eventually(async () => (await holdings(asked)).get("file_watcher")?.[0], { what: "a file watcher" });
    for (const holders of (await holdings(asked)).values()) expect(holders).toHaveLength(1);
    const victim = nameOf(watchedBy);
    const survivor = home.member(victim === "one" ? "two" : "one");
    const camera = newCamera();
    await home.kill(victim);
    const killedAt = performance.now();
    await upload(camera, 3);
    try {
      await eventually(async () => (await holdings(survivor)).get("file_watcher")?.[0] === survivor.process.pid, {
        what: "another file watcher",
      });
      const movedMs = performance.now() - killedAt;
      await processed(camera, 3);
      // The report of the dead daemon stays until its death is noticed.
      await eventually(async () => [...(await holdings(survivor)).values()].every((holders) => holders.length === 1), {
        what: "one holder of each",
      });
      process.stdout.write(`a killed daemon's file watcher ran elsewhere after ${Math.round(movedMs)} ms\n`);
      expect(movedMs).toBeLessThan(10_000);
    } finally {
      await home.start(victim, rolesOf(victim));
    }
  });

  test("split roles: a rolling restart under load loses no picture, message or retried request", async () => {
    const camera = newCamera();
    let running = true;
    let uploaded = 0;
    let failed = 0;
    let asked = 0;
    const apis = () => ["one", "two"].map((name) => home.urlOf(name));
    const uploads = (async () => {
      while (running) {
        await renameIn(join(home.cameraRoot, camera, `${uploaded}.jpg`), await uniqueJpeg(uploaded));
        uploaded += 1;
        await setTimeout(25);
      }
    })();
    const requests = (async () => {
      for (let turn = 0; running; turn += 1) {
        const [first, second] = turn % 2 === 0 ? apis() : apis().toReversed();
        const ok = async (url: string | undefined) => {
          try {
            const answer = await fetch(`${url}/api/events?limit=1`);
            await answer.text();
            return answer.status === 200;
          } catch {
            return false;
          }
        };
        asked += 1;
        if (!(await ok(first)) && !(await ok(second))) failed += 1;
        await setTimeout(20);
      }
    })();
    const follower = follow(apis);
    try {
      await eventually(() => follower.connections === 1, { what: "the client's connection" });
      for (const [name, roles] of long ? fourDaemons : [fourDaemons[0], fourDaemons[2]]) {
        await home.stop(name);
        await home.start(name, roles);
      }
    } finally {
      running = false;
      await Promise.all([uploads, requests]);
    }
    await processed(camera, uploaded, 60_000);
    expect(await outcomes(camera)).toEqual(each(uploaded));
    const all = upTo(await newest());
    await eventually(() => follower.sequences.length >= all.length, { what: "the newest message" });
    follower.close();
    expect(follower.sequences.slice(0, all.length)).toEqual(all);
    expect({ failed, gaps: follower.gaps }).toEqual({ failed: 0, gaps: 0 });
    expect(asked).toBeGreaterThan(10);
    expect(follower.connections).toBeGreaterThan(1);
  });
});
