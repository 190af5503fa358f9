import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Problem, type ProblemKind, type ProblemType, problemTypes } from "../../src/contract/problem.ts";
import { faultText, itemText } from "../../web/texts/fault-de.ts";

const refused = (type: ProblemType, msg: string, field = "name") =>
  faultText(new Problem("invalid", `${field}: ${msg}`, { items: [{ loc: ["body", field], msg, type }] }));

it.each([
  ["missing", "Missing; this value is required", "Name: Bitte ausfüllen"],
  ["string_too_short", "Must not be empty", "Name: Darf nicht leer sein"],
  ["string_too_short", "Must have at least 12 characters", "Name: Muss mindestens 12 Zeichen haben"],
  ["string_too_long", "Must have at most 255 characters", "Name: Darf höchstens 255 Zeichen haben"],
  ["less_than_equal", "Must be at most 100", "Name: Darf höchstens 100 sein"],
  ["greater_than_equal", "Must be at least 0.5", "Name: Muss mindestens 0.5 sein"],
  ["greater_than_equal", "Must be greater than 0", "Name: Muss größer als 0 sein"],
  ["enum", 'Must be one of: low, high (not "grave")', "Name: Muss eines davon sein: low, high"],
  ["value_error", "Must have at most 5 entries", "Name: Darf höchstens 5 Einträge haben"],
  ["value_error", "Must be a prime", "Name: homesec meldet: Must be a prime"],
] as const)("faults: German for %s, %s", (type, msg, german) => {
  expect(refused(type, msg)).toBe(german);
});

it("faults: every type of a validation error has a German text", () => {
  const english = problemTypes.filter((type) => itemText({ type, msg: "Must be at most 5: a" }).startsWith("homesec meldet"));
  expect(english).toEqual(["string_pattern_mismatch", "json_invalid", "value_error"]);
});

it("faults: kinds of refusals are German; a text that homesec alone knows keeps its words behind a German one", () => {
  const say = (kind: ProblemKind, message = "Something in English") => faultText(new Problem(kind, message));
  for (const kind of ["unauthorized", "forbidden", "not_found", "gone", "too_large", "rate_limited", "unreachable"] as const)
    expect(say(kind)).not.toMatch(/English/);
  expect(say("conflict")).toBe("homesec meldet: Something in English");
  expect(say("conflict", 'Another key has the name "anna"; revoke it, or choose another name')).toBe(
    "Den Namen „anna“ hat schon ein anderer Schlüssel. Wähle einen anderen.",
  );
  expect(say("conflict", 'Camera yard ("Yard") has the folder /srv/yard already; give another folder_path')).toBe(
    "Den Ordner /srv/yard hat schon die Kamera „Yard“ (yard). Wähle etwas anderes.",
  );
  expect(say("conflict", 'The deleted camera yard ("Yard") has the name "Yard"; restore it, or give another name')).toBe(
    "So heißt schon die gelöschte Kamera „Yard“ (yard). Wähle etwas anderes, oder stelle sie wieder her.",
  );
  expect(say("conflict", "These rules name the channel phone: Night, Day; change them before you remove it")).toBe(
    "Diese Regeln nennen den Kanal phone: Night, Day. Ändere sie zuerst.",
  );
  expect(faultText(new Error("The daemon failed"))).toBe("homesec meldet: The daemon failed");
});

/** Refusals of work for a terminal or of other programs: backups, restores, disks, settings at the start, cameras, and clients of the API. */
const elsewhere = [
  /^(?:the database|another program|the schema|seven is there|seven was written|seven is no (?:backup|file)|a daemon uses|what others made)/,
  /^seven (?:cannot be (?:read|written)|is damaged|holds what|does not fit)/,
  /^(?:The model DETECTOR_MODEL_PATH=|Only the running daemon knows this|The request has more than one Host header)/,
];

/** The sentences of refusals in the code, with "seven" for what changes. */
function refusalsOf(code: string): readonly string[] {
  const literal = '(`[^`]*`|"[^"\\n]*")';
  const forms = [
    `new Problem\\(\\s*"(?:conflict|bad_request|unavailable|invalid)",\\s*${literal}`,
    `\\brefus(?:al|ed)\\(\\s*"\\w+",\\s*${literal}`,
    `\\bmsg: ${literal}`,
  ];
  return forms
    .flatMap((form) => [...code.matchAll(new RegExp(form, "g"))].map(([, text = ""]) => text.slice(1, -1)))
    .map((text) =>
      text
        .replace(/\\`/g, "'")
        .replace(/\$\{JSON[^}]*\}/g, '"seven"')
        .replace(/\$\{what\}/g, 'the name "seven"')
        .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "seven"),
    )
    .filter((text) => !/^(?:\w+(?:\.\w+)?: )?seven$/.test(text));
}

it("faults: every refusal that a person can meet on the page has a German text", () => {
  const folder = join(import.meta.dirname, "../..");
  const parts = ["src/alerting", "src/monitoring", "src/work", "src/admin", "src/platform/keys", "src/platform/access", "daemon/http"];
  const files = parts.flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, encoding: "utf8" }).map((name) => join(folder, part, name)),
  );
  const code = files.filter((name) => name.endsWith(".ts")).map((name) => readFileSync(name, "utf8"));
  const messages = [...new Set(code.flatMap(refusalsOf))];
  expect(messages.length).toBeGreaterThan(60);
  const english = messages.filter((message) => faultText(new Problem("conflict", message)).startsWith("homesec meldet"));
  expect(english.filter((message) => !elsewhere.some((pattern) => pattern.test(message)))).toEqual([]);
});
