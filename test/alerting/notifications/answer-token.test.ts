import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerActions, answerableForMs, readToken, writeToken } from "../../../src/alerting/notifications/answer-token.ts";
import { sealerOf } from "../../../src/platform/secrets/sealer.ts";

const sealer = sealerOf(randomBytes(32), "secret.key");
const now = new Date("2026-03-01T12:00:00Z");
const tokens = fc.record({
  action: fc.constantFrom(...answerActions),
  notificationId: fc.uuid(),
  expiresAt: fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((seconds) => new Date(seconds * 1000)),
});

describe("tokens of buttons", () => {
  it("buttons: a token fits into Telegram's 64 bytes, and reads as it was written", () => {
    fc.assert(
      fc.property(tokens, (token) => {
        const text = writeToken(token, sealer);
        expect(text).toMatch(/^[-\w]{50}$/);
        expect(readToken(text, sealer, now)).toEqual({ kind: now < token.expiresAt ? "valid" : "late", token });
      }),
    );
  });

  it("buttons: a token with any changed character, of another key, or any other text is forged", () => {
    const other = sealerOf(randomBytes(32), "other.key");
    fc.assert(
      fc.property(tokens, fc.nat(49), fc.constantFrom(..."AZaz09-_"), (token, at, character) => {
        const text = writeToken(token, sealer);
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        expect(readToken(changed, sealer, now).kind === "forged").toBe(changed !== text);
        expect(readToken(writeToken(token, other), sealer, now)).toEqual({ kind: "forged" });
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
        expect(readToken(text, sealer, now)).toEqual({ kind: "forged" });
      }),
    );
  });

  it("buttons: a token works for 24 hours", () => {
    const token = { action: "acknowledge", notificationId: "11111111-2222-4333-8444-555555555555" } as const;
    const text = writeToken({ ...token, expiresAt: new Date(now.getTime() + answerableForMs) }, sealer);
    expect(readToken(text, sealer, new Date("2026-03-02T11:59:59Z")).kind).toBe("valid");
    expect(readToken(text, sealer, new Date("2026-03-02T12:00:00Z")).kind).toBe("late");
  });
});
