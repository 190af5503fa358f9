import { describe, expect, it } from "vitest";
import { createWrongKeys } from "../../../daemon/http/wrong-keys.ts";
import { keptLog } from "./support.ts";

function wrongKeys() {
  let now = new Date("2026-03-01T12:00:00Z").getTime();
  const log = keptLog();
  const keys = createWrongKeys({ clock: { now: () => new Date(now), monotonic: () => now }, log });
  const timed = async (address: string): Promise<number> => {
    const begun = performance.now();
    await keys.record(address);
    return performance.now() - begun;
  };
  return { keys, log, timed, pass: (ms: number) => (now += ms) };
}

describe("wrong keys", () => {
  it("wrong keys: the first three answers come at once, later ones are slower each time; other addresses do not wait", async () => {
    const { timed } = wrongKeys();
    for (let at = 0; at < 3; at += 1) expect(await timed("10.0.0.1")).toBeLessThan(100);
    expect(await timed("10.0.0.1")).toBeGreaterThan(200);
    expect(await timed("10.0.0.1")).toBeGreaterThan(450);
    expect(await timed("10.0.0.2")).toBeLessThan(100);
  });

  it("wrong keys: an address is forgotten after ten quiet minutes", async () => {
    const { timed, pass } = wrongKeys();
    for (let at = 0; at < 4; at += 1) await timed("10.0.0.1");
    pass(10 * 60_000);
    expect(await timed("10.0.0.1")).toBeLessThan(100);
  });

  it("wrong keys: are counted, and logged at level info with the address, ever more rarely", async () => {
    const { keys, log } = wrongKeys();
    for (let at = 0; at < 5; at += 1) await keys.record("10.0.0.1");
    for (let at = 0; at < 2_000; at += 1) await keys.record(`192.168.${at >> 8}.${at & 255}`);
    expect(keys.total()).toBe(2_005);
    const own = log.lines.filter(({ fields }) => (fields as { client: string }).client === "10.0.0.1");
    expect(own.map(({ level, fields }) => [level, (fields as { wrong_keys: number }).wrong_keys])).toEqual([
      ["info", 1],
      ["info", 2],
      ["info", 4],
    ]);
  });
});
