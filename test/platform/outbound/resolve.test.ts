import { describe, expect, it } from "vitest";
import { createOutbound } from "../../../src/platform/outbound/outbound.ts";
import { resolveBy, resolveBySystem, type Sources } from "../../../src/platform/outbound/resolve.ts";
import { startReceiver } from "./receiver.ts";

const never = () => new Promise<never>(() => {});
const fails = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const resolveOf = (sources: Partial<Sources>) =>
  resolveBy({ system: never, servers: never, fallbackAfterMs: 5, timeoutMs: 10_000, ...sources });

describe("name resolution", () => {
  it("name resolution: uses the system's result without querying the name servers", async () => {
    const servers = () => Promise.reject(new Error("asked"));
    expect(await resolveOf({ system: async () => ["192.168.1.5"], servers, fallbackAfterMs: 5_000 })("nas")).toEqual(["192.168.1.5"]);
    await expect(resolveOf({ system: fails("ENOTFOUND"), servers, fallbackAfterMs: 5_000 })("nas")).rejects.toMatchObject({
      code: "ENOTFOUND",
    });
  });

  it("name resolution: the name servers resolve a name while the system is busy with others", async () => {
    expect(await resolveOf({ servers: async () => ["8.8.8.8"] })("hooks.example")).toEqual(["8.8.8.8"]);
  });

  it("name resolution: waits for the system if the name servers do not know the name", async () => {
    let say: (addresses: readonly string[]) => void = () => {};
    const system = () => new Promise<readonly string[]>((done) => (say = done));
    const servers = async () => {
      setTimeout(() => say(["192.168.1.5"]), 5);
      throw new Error("unknown");
    };
    expect(await resolveOf({ system, servers })("nas.local")).toEqual(["192.168.1.5"]);
  });

  it("name resolution: fails in time without a reply, and sends no more queries", async () => {
    let signal: AbortSignal | undefined;
    const servers: Sources["servers"] = (_, stop) => {
      signal = stop;
      return never();
    };
    await expect(resolveOf({ servers, timeoutMs: 50 })("dead.example")).rejects.toMatchObject({ code: "EAI_AGAIN" });
    expect(signal?.aborted).toBe(true);
  });

  it("name resolution: resolves each name once at a time, and again after that", async () => {
    const asked: string[] = [];
    const waiting: (() => void)[] = [];
    const system = (name: string) => {
      asked.push(name);
      return new Promise<readonly string[]>((done) => waiting.push(() => done(["10.0.0.1"])));
    };
    const resolve = resolveOf({ system });
    const all = [resolve("a"), resolve("a"), resolve("b"), resolve("a")];
    expect(asked).toEqual(["a", "b"]);
    for (const answer of waiting) answer();
    expect(await Promise.all(all)).toEqual([["10.0.0.1"], ["10.0.0.1"], ["10.0.0.1"], ["10.0.0.1"]]);
    const again = resolve("a");
    expect(asked).toEqual(["a", "b", "a"]);
    waiting.at(-1)?.();
    await again;
  });
});

it("name resolution: this machine resolves itself", async () => {
  const receiver = await startReceiver();
  expect(await resolveBySystem("localhost")).toContain("127.0.0.1");
  const answer = await createOutbound({ allow: [] }).post({
    url: `http://localhost:${receiver.port}/`,
    headers: {},
    body: "",
    timeoutMs: 10_000,
  });
  expect(answer).toMatchObject({ kind: "answered", status: 200 });
  await receiver.close();
});
