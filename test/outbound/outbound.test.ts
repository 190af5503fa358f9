import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOutbound, type Outbound } from "../../src/outbound/outbound.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

let receiver: Receiver;
let outbound: Outbound;

beforeEach(async () => {
  receiver = await startReceiver();
  outbound = createOutbound({ allow: [] });
});
afterEach(async () => {
  await outbound.close();
  await receiver.close();
});

const ask = (url: string, more: Partial<Parameters<Outbound["post"]>[0]> = {}) =>
  outbound.post({ url, headers: { "content-type": "application/json" }, body: '{"ü":1}', timeoutMs: 5_000, ...more });

describe("what is sent", () => {
  it("arrives as it was given, once, with homesec's name", async () => {
    receiver.answer = { status: 202, headers: { "retry-after": "7" }, body: "thanks ✓" };
    expect(await ask(`${receiver.url}/hook?chat=1`, { headers: { "Content-Type": "application/json", "X-Mine": "yes" } })).toEqual({
      kind: "answered",
      status: 202,
      retryAfter: "7",
      body: "thanks ✓",
      ms: expect.any(Number),
    });
    expect(receiver.requests).toEqual([
      {
        method: "POST",
        url: "/hook?chat=1",
        body: '{"ü":1}',
        headers: expect.objectContaining({
          host: new URL(receiver.url).host,
          "content-type": "application/json",
          "content-length": "8",
          "x-mine": "yes",
          "user-agent": expect.stringMatching(/^homesec\/\d/),
          "accept-encoding": "identity",
          connection: "close",
        }),
      },
    ]);
  });

  it("may be bytes", async () => {
    await ask(receiver.url, { body: Buffer.from([0x61, 0x62]) });
    expect(receiver.requests[0]?.body).toBe("ab");
  });
});
