import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createSingletons, type Singletons } from "../../../daemon/cluster/singletons.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { connect } from "../../../src/platform/database/connection.ts";
import { urlTarget } from "../../../src/platform/database/connection-target.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";

let database: TestDatabase;
const open: Singletons[] = [];

beforeAll(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((singletons) => singletons.stop()));
});
afterAll(() => database.close());

const make = (keyOf?: (name: string) => string): Singletons => {
  const singletons = createSingletons({
    ...(keyOf && { keyOf }),
    openSession: (onClosed) => connect(urlTarget(database.url), { log: silentLog, timeoutMs: 5_000, onClosed }),
    log: silentLog,
  });
  open.push(singletons);
  return singletons;
};
/** Records the events of a candidate. */
const candidate = () => {
  const seen: string[] = [];
  return { seen, gained: () => void seen.push("gained"), lost: () => void seen.push("lost") };
};
const sessionOf = (singletons: Singletons): number => singletons.session()?.pid ?? 0;

test("one of two daemons holds a singleton, and the other gets it when the first releases it", async () => {
  const [first, second] = [make(), make()];
  await first.start(["a", "b"]);
  await second.start(["a", "b"]);
  expect([first.held(), second.held()]).toEqual([["a", "b"], []]);
  const [one, other] = [candidate(), candidate()];
  first.register("a", one);
  second.register("a", other);
  expect([one.seen, other.seen]).toEqual([["gained"], []]);
  await first.withdraw("a");
  await eventually(() => other.seen.length > 0);
  expect([first.held(), second.held(), other.seen]).toEqual([["b"], ["a"], ["gained"]]);
});

test("a daemon that loses its session releases its singletons at once and claims them again", async () => {
  const [first, second] = [make(), make()];
  await first.start(["a"]);
  await second.start(["a"]);
  const [one, other] = [candidate(), candidate()];
  first.register("a", one);
  second.register("a", other);
  const lostPid = sessionOf(first);
  await database.db.query((sql) => sql`select pg_terminate_backend(${lostPid}::int)`);
  await eventually(() => one.seen.includes("lost"));
  await eventually(() => other.seen.includes("gained") || one.seen.length > 2);
  await eventually(() => sessionOf(first) !== 0 && sessionOf(first) !== lostPid);
  expect(first.held().length + second.held().length).toBe(1);
});

test("a session without a reply is dropped", async () => {
  const first = make();
  await first.start(["a"]);
  const one = candidate();
  first.register("a", one);
  // like a pulled cable: the connection stays open, and nothing arrives
  const pid = sessionOf(first);
  process.kill(pid, "SIGSTOP");
  try {
    await eventually(() => one.seen.includes("lost"));
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await eventually(() => first.held().length === 1);
});

test("daemons with different lock keys for a name do not exclude each other", async () => {
  const [first, second, third] = ["/one", "/two", "/one"].map((root) => make((name) => `${name} ${root}`)) as [
    Singletons,
    Singletons,
    Singletons,
  ];
  for (const singletons of [first, second, third]) await singletons.start(["a"]);
  expect([first.held(), second.held(), third.held()]).toEqual([["a"], ["a"], []]);
});
