import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { webhookDelayMs } from "../../../src/alerting/delivery/backoff.ts";
import { outcomeOfAnswer } from "../../../src/alerting/delivery/http-outcome.ts";
import { newSigningSecret, signatureHeaders } from "../../../src/alerting/webhooks/signing.ts";

const now = new Date("2026-01-31T22:15:00Z");

describe("webhook retry delay", () => {
  test("it doubles from retry_delay_seconds up to one hour", () => {
    expect([1, 2, 3, 4, 9, 10].map((n) => webhookDelayMs(n, 10, {}, 0) / 1000)).toEqual([10, 20, 40, 80, 2560, 3600]);
  });

  test("it has up to 20 % jitter, within one hour", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 3600 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, seconds, random) => {
          const plain = Math.min(3_600_000, seconds * 1000 * 2 ** (n - 1));
          const delay = webhookDelayMs(n, seconds, {}, random);
          expect(delay).toBeGreaterThanOrEqual(plain);
          expect(delay).toBeLessThanOrEqual(Math.min(3_600_000, plain * 1.2) + 1);
        },
      ),
    );
  });

  test.each([
    ["90", 90],
    ["0", 10],
    ["99999", 3600],
    ["Sat, 31 Jan 2026 22:17:00 GMT", 120],
    ["Saturday, 31-Jan-26 22:17:00 GMT", 120],
    ["Sat, 31 Jan 2026 22:00:00 GMT", 10],
    ["Sat, 31 Jan 2027 22:00:00 GMT", 3600],
    ["-5", 10],
    ["1e9", 10],
    ["2026", 2026],
    ["soon", 10],
    ["", 10],
  ])("Retry-After %j asks for %i s", (retryAfter, seconds) => {
    const outcome = outcomeOfAnswer({ kind: "answered", status: 503, retryAfter, body: "", ms: 1 }, now);
    expect(outcome.kind === "again" && webhookDelayMs(1, 10, outcome, 0)).toBe(seconds * 1000);
  });
});

describe("webhook signatures", () => {
  test("the reference library verifies them with any of the secrets, and no other", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const body = JSON.stringify({ text });
        const [fresh, old, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
        const headers = signatureHeaders([fresh, old], { id: "msg_1", time: new Date(), body }) as Record<string, string>;
        for (const secret of [fresh, old]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
        expect(() => new Webhook(other).verify(body, headers)).toThrow();
        expect(() => new Webhook(fresh).verify(`${body} `, headers)).toThrow();
      }),
      { numRuns: 50 },
    );
  });

  test("a secret has 24 to 64 bytes", () => {
    const secret = newSigningSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(secret.slice(6), "base64").length).toBe(32);
  });
});

describe("HTTP answer", () => {
  const answered = (status: number) => outcomeOfAnswer({ kind: "answered", status, retryAfter: "7", body: "x\u0000y", ms: 12.4 }, now);
  test.each([
    [200, "sent"],
    [204, "sent"],
    [299, "sent"],
    [301, "again"],
    [307, "again"],
    [400, "again"],
    [404, "again"],
    [410, "failed"],
    [429, "again"],
    [500, "again"],
    [503, "again"],
  ])("%i is %s", (status, kind) => {
    expect(answered(status)).toMatchObject({ kind, response: { status, ms: 12, body: "xy" } });
  });

  test("an address that homesec refuses to call is a misconfiguration; one that cannot be reached is not", () => {
    expect(outcomeOfAnswer({ kind: "refused", error: "no" }, now)).toEqual({ kind: "again", answer: "no", misconfigured: true });
    expect(outcomeOfAnswer({ kind: "unreachable", error: "down", ms: 3 }, now)).toEqual({ kind: "again", answer: "down" });
  });
});
