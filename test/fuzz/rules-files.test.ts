import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseYaml } from "../../commands/input/read-text.ts";
import { parseExpectations } from "../../commands/rules/expectations.ts";
import { rulesOf } from "../../commands/rules/file.ts";
import { parseSchedule } from "../../commands/rules/schedule-text.ts";
import { Problem } from "../../src/contract/problem.ts";
import { type ServedDesk, serveDesk } from "../support/served-desk.ts";
import { mutated } from "./bytes.ts";
import { anyJsonText, mutatedJson } from "./json.ts";
import { cpuMsOf, holds, testTimeoutMs } from "./support.ts";

const rules = `# two rules
- name: Person at night
  severity: high
  object_types: [person]
  min_confidence: 0.7
  schedule: mon-fri 22:00-06:00 Europe/Berlin
  cooldown: 5m
  channels: [email, webhook]
- &base
  name: "Serious \\u00e9"
  severity: critical
  risk_threshold: 80
  cameras:
    - front
  dedup_key_template: '{camera_id}:{rule_id}'
  digest: true
  schedule: { days: [saturday], start_time: "22:00", end_time: "06:00", timezone: UTC }
`;
const item = {
  name: "A",
  severity: "low",
  risk_threshold: 5,
  schedule: { days: ["monday"], start_time: "01:00", end_time: "02:00" },
  cooldown: "5m",
};
const pieces = fc.array(
  fc.constantFrom(
    ...[
      "- ",
      "name: A\n",
      "\n",
      "  ",
      "? ",
      ": ",
      "{",
      "}",
      "[",
      "]",
      ",",
      "&a ",
      "*a",
      "<<: *a\n",
      "!!binary x",
      "!!set {a}",
      "!!omap [a: 1]",
      "!foo ",
    ],
    ...[
      "|\n  x\n",
      ">-\n",
      "---\n",
      "...\n",
      "%YAML 1.1\n",
      "%TAG ! x\n",
      '"',
      "'",
      "\\",
      "\t",
      "#",
      "null",
      "~",
      "yes",
      "0o7",
      "0x1F",
      ".inf",
      ".nan",
    ],
    ...[
      "2026-01-01",
      "1e999",
      "\0",
      "\ufeff",
      "\u2028",
      "é",
      "😀",
      "severity: high\n",
      "schedule: 22:00-06:00\n",
      "cooldown: 1d\n",
      "__proto__: 1\n",
    ],
  ),
  { maxLength: 40 },
);
const files = fc.oneof(
  mutated({ rules: Buffer.from(rules) }).map(({ bytes }) => bytes.toString()),
  mutatedJson([[item], item, { items: [item, item] }]),
  pieces.map((all) => all.join("")),
  anyJsonText,
);

test(
  "fuzz rules files: any file gives rules or errors",
  async () => {
    await holds(files, { few: 80, many: 30_000 }, async (text) => {
      try {
        for (const rule of rulesOf(await parseYaml(text, "x.yaml"), "x.yaml")) expect(rule.name).toBeTypeOf("string");
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        expect([error.kind, error.message.startsWith("x.yaml")]).toEqual(["invalid", true]);
      }
    });
  },
  testTimeoutMs,
);

test("fuzz rules files: files that expand while parsed are rejected quickly", async () => {
  const laughs = Array.from(
    { length: 10 },
    (_, n) => `l${n}: &l${n} [${n === 0 ? "lol" : Array.from({ length: 10 }, () => `*l${n - 1}`).join(", ")}]\n`,
  ).join("");
  for (const text of [laughs, "[".repeat(20_000), "- ".repeat(20_000), "{a: ".repeat(5_000), "&a [*a]", `${" ".repeat(200_000)}: x`]) {
    const cpuMs = await cpuMsOf(async () => {
      await expect(parseYaml(text, "x").then((value) => rulesOf(value, "x"))).rejects.toThrow(Problem);
    });
    expect(cpuMs, text.slice(0, 20)).toBeLessThan(5_000);
  }
});

test(
  "fuzz rules files: any expectations file and any schedule is read or rejected",
  async () => {
    const texts = fc.oneof(
      mutated({
        ids: Buffer.from("[41, 42]"),
        lists: Buffer.from('{"match": [41], "no_match": [42]}'),
        lines: Buffer.from('{"event_id": 41, "matches": true}\n42\n'),
      }).map(({ bytes }) => bytes.toString()),
      anyJsonText,
    );
    await holds(texts, { few: 200, many: 10_000 }, (text) => {
      try {
        for (const [id] of parseExpectations(text, "x.json")) expect(Number.isSafeInteger(id)).toBe(true);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        expect(error.message.startsWith("x.json")).toBe(true);
      }
    });
    const words = fc.array(
      fc.constantFrom("mon", "mon-fri", "sun", ",", "-", " ", "22:00", "24:00", "06:00-", "Europe/Berlin", "UTC", "daily", "99:99", "é"),
      {
        maxLength: 8,
      },
    );
    await holds(words, { few: 200, many: 10_000 }, (parts) => {
      parseSchedule(parts.join(""), "UTC");
      parseSchedule(parts.join(" "), "UTC");
    });
  },
  testTimeoutMs,
);

let served: ServedDesk;
beforeAll(async () => {
  served = await serveDesk();
});
afterAll(() => served.close());

test(
  "fuzz rules files: `rules add -f` ends with a documented code for any file",
  async () => {
    const file = join(served.desk.dataDir, "rules.yaml");
    await holds(files, { few: 10, many: 2_000 }, async (text) => {
      writeFileSync(file, text);
      const { code, err } = await served.homesec("over HTTP", ["rules", "add", "-f", file]);
      expect([0, 2], err).toContain(code);
      expect(err).not.toMatch(/should not have happened|\n\s+at /);
    });
  },
  testTimeoutMs,
);
