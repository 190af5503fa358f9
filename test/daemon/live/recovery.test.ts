import { afterEach, beforeEach, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { append, delay, entry, type LiveServer, liveServer, Peer, upTo } from "./harness.ts";

let database: TestDatabase;
const servers: LiveServer[] = [];

beforeEach(async () => {
  database = await testDatabase({ max: 10 });
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await database.close();
});

const serve = async (): Promise<LiveServer> => {
  const server = await liveServer(database.db, { pollMs: 200 });
  servers.push(server);
  return server;
};

/** A client that connects and disconnects at random, anywhere, and stores the messages of all its connections. */
async function wander(last: number, publishing: () => boolean): Promise<number[]> {
  const got: number[] = [];
  while (got.at(-1) !== last) {
    const server = servers[Math.floor(Math.random() * servers.length)] as LiveServer;
    const peer = new Peer(server.url, `/ws/events?since=${got.at(-1) ?? 0}`);
    const stay = Math.random() < 0.3 ? Math.random() * 15 : Math.random() * 250;
    const begun = performance.now();
    while ((performance.now() - begun < stay || !publishing()) && peer.messages.at(-1)?.sequence !== last) {
      if (Math.random() < 0.1) {
        peer.socket.pause();
        await delay(Math.random() * 40);
        peer.socket.resume();
      }
      await delay(4);
    }
    peer.socket.terminate();
    expect(peer.messages.filter(({ type }) => type === "gap" || type === "error")).toEqual([]);
    if (peer.messages.length > 0) expect(peer.messages[0]?.type).toBe("connected");
    got.push(...peer.sequences);
  }
  return got;
}

test("clients that connect and disconnect while two processes publish thousands of rows see each row once and in order", async () => {
  const first = await serve();
  const second = await serve();
  const last = 6_000;
  let publishing = true;
  const clients = upTo(12).map(() => wander(last, () => publishing));
  const stayed = new Peer(first.url, "/ws?since=0");

  let id = 0;
  while (id < last) {
    const size = Math.min(last - id, Math.random() < 0.05 ? 400 : 1 + Math.floor(Math.random() * 12));
    const entries = upTo(size).map(() => {
      id += 1;
      return entry(id);
    });
    await (Math.random() < 0.6 ? first : second).publish(entries);
    if (Math.random() < 0.2) await delay(Math.random() * 10);
  }
  publishing = false;
  for (const got of await Promise.all(clients)) expect(got).toEqual(upTo(last));
  await stayed.upTo(last);
  expect(stayed.sequences).toEqual(upTo(last));
  stayed.socket.terminate();
  expect(first.hub.stats().cutSlow + second.hub.stats().cutSlow).toBe(0);
});

test("database connections that break mid-query cost neither messages nor order", async () => {
  const server = await serve();
  const peer = new Peer(server.url);
  await peer.ofType("connected");
  let [begun, stored] = [0, 0];
  const kill = setInterval(() => {
    database.db
      .query(
        (sql) =>
          sql`select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = current_database() order by random() limit 2`,
      )
      .catch(() => undefined);
  }, 60);
  const startedAt = performance.now();
  // on a busy machine it takes longer until there is enough to lose
  while (performance.now() - startedAt < 2_000 || stored <= 100) {
    begun += 1;
    await append(database.db, [entry(begun)]).then(
      () => {
        stored += 1;
      },
      () => undefined,
    );
    server.publisher.wake();
    await delay(2);
  }
  clearInterval(kill);
  await delay(100);
  await server.publish([entry(1)]);
  const [head] = await expect
    .poll(() =>
      database.db.query(
        (sql) => sql<{ last: number }[]>`select max(sequence) as last, count(*) filter (where sequence is null) as open from journal`,
      ),
    )
    .toEqual([{ last: expect.any(Number), open: 0 }])
    .then(() => database.db.query((sql) => sql<{ last_sequence: number }[]>`select last_sequence from journal_head`));
  const last = head?.last_sequence ?? 0;
  expect(last).toBeGreaterThan(100);
  await peer.upTo(last);
  expect(peer.sequences).toEqual(upTo(last));
  peer.socket.terminate();
});

test("a database that returns without its last messages, such as a standby, is followed from the last common row", async () => {
  const server = await serve();
  const peer = new Peer(server.url);
  await peer.ofType("connected");
  await server.publish([1, 2, 3, 4, 5].map(entry));
  await peer.next(({ sequence }) => sequence === 5);

  await database.db.transaction(async (sql) => {
    await sql`delete from journal j where j.sequence > 3`;
    await sql`update journal_head h set last_sequence = 3`;
  });
  // numbered before any follower has noticed
  await server.publish([entry(14)]);
  const gap = await peer.ofType("gap");
  await server.publish([15, 16].map(entry));
  await peer.next(({ sequence }) => sequence === 6);

  expect(gap.data).toEqual({ from: 4, to: 5 });
  const after = peer.messages.slice(peer.messages.indexOf(gap) + 1);
  expect(after.map(({ sequence, data }) => [sequence, data["id"]])).toEqual([
    [4, 14],
    [5, 15],
    [6, 16],
  ]);
  const later = new Peer(server.url);
  expect((await later.ofType("connected")).data).toMatchObject({ last_sequence: 6 });
});
