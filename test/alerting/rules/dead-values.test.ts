import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deadValues } from "../../../src/alerting/rules/dead-values.ts";
import { objectTypes } from "../../../src/contract/constants.ts";
import { openDesk } from "../../support/operations.ts";

describe("values of a rule that never have an effect", () => {
  it.each([
    [["persn"], ["object_types: no detector reports persn; did you mean person?"]],
    [["motorbike", "person"], ["object_types: no detector reports motorbike; did you mean motorcycle?"]],
    [["dragon"], [`object_types: no detector reports dragon; the classes are ${objectTypes.join(", ")}`]],
    [[], []],
    [null, []],
  ])("classes %j", (object_types, expected) => {
    expect(deadValues({ object_types, channels: ["email", "webhook"] }, { hasPhones: false })).toEqual(expected);
  });

  it("the channel push is one until there is a channel to phones", () => {
    const sentence = "channels: push sends nothing until you add a channel to phones: homesec channels add";
    expect(deadValues({ channels: ["email", "push"] }, { hasPhones: false })).toEqual([sentence]);
    expect(deadValues({ channels: ["email", "push"] }, { hasPhones: true })).toEqual([]);
  });

  it("a known class in any case is none, and every other word is named", () => {
    const spelled = fc.mixedCase(fc.constantFrom(...objectTypes));
    const other = fc.stringMatching(/^[a-z]{1,12}$/).filter((word) => !objectTypes.some((type) => type === word));
    fc.assert(
      fc.property(fc.array(spelled), fc.array(other), (known, unknown) => {
        const sentences = deadValues({ object_types: [...known, ...unknown] }, { hasPhones: false });
        expect(sentences).toHaveLength(unknown.length);
        unknown.forEach((word, index) => {
          expect(sentences[index]).toContain(` reports ${word}; `);
        });
      }),
    );
  });

  it("the API accepts them, as the interface says, and the log names them", async () => {
    const desk = await openDesk();
    const logged: object[] = [];
    const log = { ...desk.context.log, warn: (fields: object) => logged.push(fields) };
    try {
      Object.assign(desk.context, { log });
      const { id } = await desk.ask("createRule", { body: { name: "Typo", object_types: ["persn"] } });
      await desk.ask("updateRule", { params: { id }, body: { channels: ["push"] } });
      const reasons = deadValues({ object_types: ["persn"], channels: ["push"] }, { hasPhones: false });
      expect(logged).toEqual([reasons[0], ...reasons].map((reason) => ({ rule: id, rule_name: "Typo", reason })));
    } finally {
      await desk.close();
    }
  });
});
