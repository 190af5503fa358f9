import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAtWord, cutToBytes } from "../../../src/alerting/channels/phone-message.ts";
import { phoneMessage } from "../../../src/alerting/notifications/phone-text.ts";
import { message, silenceMessage } from "../notifications/messages.ts";

const place = { timeZone: "Europe/Berlin", links: { publicUrl: "https://home.example.org", webEnabled: true } };
const written = (...args: Parameters<typeof message>) => phoneMessage(message(...args), place);

describe("messages for phones", () => {
  it("phones: a message has camera, time, risk, summary, why and the link", () => {
    expect(written()).toEqual({
      id: "11111111-2222-4333-8444-555555555555",
      title: "Person at The Gate",
      text: [
        "Wed 1 Jul, 23:30, for 45 s · risk 72 of 100 (high)",
        "A person at the gate.",
        "Rule Somebody at night: the risk score is 60 or more, a person was seen",
      ].join("\n"),
      urgency: "high",
      link: "https://home.example.org/events/17",
      pictureLink: "https://home.example.org/api/detections/5/image?boxes=true",
      paths: { page: "/events/17", picture: "/api/detections/5/image?boxes=true" },
      topic: "event-17",
    });
  });

  it("phones: an event without a score says so, a late message says why, and without PUBLIC_URL there is no link", () => {
    const late = "This alert is late: it waited for 7 minutes before it could be sent.";
    const shown = phoneMessage(message({ riskScore: null, riskLevel: null, analysisStatus: "pending", summary: "" }, { late }), {
      ...place,
      links: { publicUrl: undefined, webEnabled: true },
    });
    expect(shown.text).toContain("no risk score yet");
    expect(shown.text.endsWith(late)).toBe(true);
    expect([shown.link, shown.pictureLink]).toEqual([undefined, undefined]);
  });

  it("phones: several rules are named, and the most severe one sets the priority", () => {
    const other = { alertId: "a", notificationId: "n", ruleName: "Cars", severity: "critical" as const, matchedConditions: [] };
    const { text, urgency } = written({}, { joined: [other] });
    expect(text.split("\n").slice(-2)).toEqual(["Rule Cars", expect.stringContaining("Rule Somebody at night: ")]);
    expect(urgency).toBe("critical");
  });

  it("phones: what is over wakes no one", () => {
    expect(written({ severity: "critical", eventKind: "camera_health" }, { endOf: "x" })).toMatchObject({
      title: "Resolved: problem with camera The Gate",
      urgency: "low",
    });
    expect(phoneMessage(silenceMessage(), place)).toMatchObject({ urgency: "low", link: undefined });
    expect(phoneMessage(silenceMessage(), place).text).toContain('rule "');
  });

  it("phones: a text is cut at a word, within its limit, and never inside a character", () => {
    expect(cutAtWord("A person walks by", 12)).toBe("A person…");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), fc.integer({ min: 3, max: 300 }), (text, longest) => {
        const cut = cutAtWord(text, longest);
        expect(cut.length).toBeLessThanOrEqual(longest);
        expect(cut === text || (cut.endsWith("…") && text.startsWith(cut.slice(0, -1)))).toBe(true);
        expect(Buffer.from(cut).toString() === cut).toBe(Buffer.from(text).toString() === text);
        const bytes = cutToBytes(text, longest);
        expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(longest);
        expect(bytes === text || bytes.endsWith("…")).toBe(true);
      }),
    );
  });
});
