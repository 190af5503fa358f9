import { expect, it } from "vitest";
import { InspectionQueue, type Queued } from "../../../daemon/file-watcher/inspection-queue.ts";

interface File extends Queued {
  readonly name: string;
}

/** A queue with inspections that end when the test says so. */
function looking() {
  const under = new Map<string, () => void>();
  const begun: string[] = [];
  const queue = new InspectionQueue<File>(({ name }) => {
    begun.push(name);
    return new Promise((resolve) => under.set(name, resolve));
  });
  const end = async (name: string): Promise<void> => {
    under.get(name)?.();
    under.delete(name);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const push = (count: number, how: Omit<File, "name"> & { readonly of: string }): void => {
    const { of, ...queued } = how;
    for (let n = 1; n <= count; n += 1) queue.push({ name: `${of} ${n}`, ...queued });
  };
  return { queue, begun, end, push, under };
}
const here = { share: undefined } as const;

it("inspection queue: live files come before backlog, and backlog always leaves slots for live files", async () => {
  const { begun, push, end } = looking();
  push(10, { of: "old", live: false, ...here });
  expect(begun).toEqual(["old 1", "old 2", "old 3", "old 4"]);
  push(6, { of: "live", live: true, ...here });
  expect(begun.slice(4)).toEqual(["live 1", "live 2", "live 3", "live 4"]);
  await end("old 1");
  expect(begun.slice(8)).toEqual(["live 5"]);
  await end("live 1");
  await end("live 2");
  expect(begun.slice(9)).toEqual(["live 6", "old 5"]);
});

it("inspection queue: inspects one file of a share at a time, live ones first, so a share that hangs takes one slot", async () => {
  const { begun, push, end, under } = looking();
  push(20, { of: "nas old", live: false, share: "/nas" });
  push(20, { of: "nas", live: true, share: "/nas" });
  expect(begun).toEqual(["nas old 1"]);
  push(9, { of: "card", live: true, ...here });
  expect(begun.slice(1)).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `card ${n}`));
  for (const n of [1, 2]) await end(`card ${n}`);
  expect(begun.slice(8)).toEqual(["card 8", "card 9"]);
  await end("nas old 1");
  expect(begun.at(-1)).toBe("nas 1");
  for (let n = 1; n <= 20; n += 1) await end(`nas ${n}`);
  expect(begun.slice(10, 30)).toEqual(Array.from({ length: 20 }, (_, at) => `nas ${at + 1}`));
  for (let n = 2; n <= 20; n += 1) await end(`nas old ${n}`);
  expect(begun).toHaveLength(49);
  expect([...under.keys()].every((name) => name.startsWith("card"))).toBe(true);
});

it("inspection queue: finders of backlog wait for their own share, not for another one that hangs", async () => {
  const { queue, push, end } = looking();
  push(1_200, { of: "nas old", live: false, share: "/nas" });
  let isRoom = false;
  const waiting = queue.waitForRoom("/nas").then(() => {
    isRoom = true;
  });
  await queue.waitForRoom(undefined);
  await queue.waitForRoom("/other");
  for (let n = 1; n <= 600; n += 1) await end(`nas old ${n}`);
  expect(isRoom).toBe(false);
  for (let n = 601; n <= 720; n += 1) await end(`nas old ${n}`);
  expect(isRoom).toBe(true);
  await waiting;
});

it("inspection queue: starts nothing after a stop and waits for running inspections", async () => {
  const { queue, begun, push, end } = looking();
  push(6, { of: "old", live: false, ...here });
  const stopped = queue.stop();
  await end("old 1");
  push(1, { of: "live", live: true, ...here });
  for (const n of [2, 3, 4]) await end(`old ${n}`);
  await stopped;
  expect(begun).toHaveLength(4);
});
