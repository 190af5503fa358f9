import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withFloor } from "../../../src/monitoring/scorer/floor.ts";
import { isPlainName } from "../../../src/monitoring/scorer/outside-text.ts";
import { score } from "../../../src/monitoring/scorer/scorer.ts";
import type { EventFacts } from "../../../src/monitoring/upstream/facts.ts";
import { eventFacts, objectFacts } from "../../monitoring/upstream/event-facts.ts";
import { injectedTexts } from "./injected.ts";

const night: Partial<EventFacts> = { local: { hour: 3, minute: 0, weekday: "monday", timeZone: "UTC" } };
const judged = (riskScore: number, pictures = 0) =>
  ({
    kind: "judged",
    ...{ analyzedBy: "m", answer: "" },
    verdict: { riskScore, summary: "s", reasoning: "r", riskFactors: [] },
    ...(pictures > 0 && { pictures }),
  }) as const;

/** Every way in which a stranger's text gets into a question. */
const places: Readonly<Record<string, (text: string) => Partial<EventFacts>>> = {
  "the subject of a mail": (content) => ({ readings: [{ kind: "message", objectType: null, content }] }),
  "a text in a picture": (content) => ({ readings: [{ kind: "text", objectType: "person", content }] }),
  "a caption": (content) => ({ readings: [{ kind: "caption", objectType: "person", content }] }),
  "an attribute": (content) => ({ readings: [{ kind: "attribute", objectType: "person", content }] }),
  "the name of a camera": (name) => ({ camera: { id: "front_door", name } }),
  "the folder of a camera": (id) => ({ camera: { id, name: "Front door" } }),
  "the name of a zone": (zone) => ({ objects: [objectFacts("person", { zones: [zone] })] }),
};

describe("floor", () => {
  it.each(Object.keys(places))("holds for 60 injected instructions in %s", (place) => {
    expect(injectedTexts).toHaveLength(60);
    expect(injectedTexts.filter(isPlainName)).toEqual([]);
    for (const text of injectedTexts) {
      const facts = eventFacts({ ...night, ...places[place]?.(text) });
      const { verdict, note } = withFloor(judged(0), facts);
      expect([text, verdict.riskScore]).toEqual([text, score(facts).risk_score - 20]);
      expect(note).toContain("a floor held");
    }
  });

  it("holds for pictures that a model saw", () => {
    const facts = eventFacts(night);
    expect(withFloor(judged(0, 2), facts).verdict.riskScore).toBe(score(facts).risk_score - 20);
  });

  it("leaves the score of the model alone without text from outside", () => {
    const facts = eventFacts({
      ...night,
      readings: [{ kind: "attribute", objectType: "person", content: "upper_color: dark grey" }],
      objects: [objectFacts("person", { zones: ["Driveway", "Garden gate"] })],
    });
    expect(withFloor(judged(0), facts)).toEqual(judged(0));
  });

  it("takes usual names of cameras and zones for plain ones", () => {
    const names = [
      "front_door",
      "Front door (left)",
      "cam-3f4a9c12-77aa-4bcd-9e01-aabbccddeeff",
      "Einfahrt Süd",
      "Camera 1",
      "back yard #2",
      "",
    ];
    expect(names.filter((name) => !isPlainName(name))).toEqual([]);
  });

  it("never lowers a score, and raises it to 20 below the built-in scorer at most", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 23 }), fc.string(), (riskScore, hour, content) => {
        const facts = eventFacts({
          local: { hour, minute: 0, weekday: "monday", timeZone: "UTC" },
          readings: [{ kind: "text", objectType: "person", content }],
        });
        const { verdict } = withFloor(judged(riskScore), facts);
        expect(verdict.riskScore).toBe(Math.max(riskScore, score(facts).risk_score - 20));
        const sum = verdict.riskFactors.reduce((total, { contribution }) => total + contribution, 0);
        expect(sum).toBe(verdict.riskScore - riskScore);
      }),
    );
  });
});
