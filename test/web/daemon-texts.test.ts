import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { alerted } from "../../web/texts/daemon/alerts-de.ts";
import { checked } from "../../web/texts/daemon/checks-de.ts";
import { configured } from "../../web/texts/daemon/configuration-de.ts";
import { explained } from "../../web/texts/daemon/explain-de.ts";
import { german } from "../../web/texts/daemon/german.ts";
import { foundAtHome } from "../../web/texts/daemon/home-findings-de.ts";
import { judged } from "../../web/texts/daemon/judged-de.ts";
import { foundOnMachine } from "../../web/texts/daemon/machine-findings-de.ts";
import { faults } from "../../web/texts/daemon/pictures-de.ts";
import { withoutIdentifiers, withTimes } from "../../web/texts/daemon/plain.ts";

const sentences = [...explained, ...alerted, ...faults, ...judged, ...checked, ...foundOnMachine, ...foundAtHome, ...configured];
const places = (text: string): readonly string[] => [...new Set([...text.matchAll(/\{[a-z]\d?\}/g)].map(([place]) => place))];

/** What a reader types, or what stays as it is: names of products and values alone. */
const isCommand =
  /^(?:(?:homesec|sudo|mkdir|chmod|npm|systemctl|redis-cli|curl|echo|create database|kill|[A-Z_]+=|MQTT broker)\b|[A-Z_]+:$|(?:PostgreSQL )?7+\b[^a-z]*$)/;

/** Values as they come in the place of an expression. */
const values: readonly (readonly [expression: RegExp, value: string])[] = [
  [/^pluralize\([^"]*"([^"]+)"\)$/, "7 $1s"],
  [/^.*\? ["`]([^"`$]+)["`] :.*$/s, "$1"],
  [/^model$/, "Set DETECTOR_MODEL_PATH to a model"],
  [/^rate$/, "7 MB a day"],
  [/^durationText\(.*$/s, "5 min"],
  [/^\w+\.toISOString\(\)$/, "2026-11-28T07:47:42.458Z"],
  [/^.*$/s, "7"],
];

function valueFor(expression: string): string {
  const [form = /^/, value = ""] = values.find(([each]) => each.test(expression)) ?? [];
  return expression.replace(form, value);
}

/** Reads a literal that begins at a place, with values for its expressions, which may have literals in them. */
function literalAt(code: string, begin: number): { readonly text: string; readonly end: number } {
  const quote = code[begin];
  let text = "";
  let at = begin + 1;
  while (at < code.length && code[at] !== quote) {
    if (quote === "`" && code.startsWith("${", at)) {
      const from = at + 2;
      for (let depth = 1, place = from; ; place += 1) {
        if (code[place] === "`" || code[place] === '"') place = literalAt(code, place).end;
        else if (code[place] === "{") depth += 1;
        else if (code[place] === "}") depth -= 1;
        if (depth > 0 && place < code.length) continue;
        text += valueFor(code.slice(from, place));
        at = place + 1;
        break;
      }
    } else {
      if (code[at] === "\\") at += 1;
      text += code[at];
      at += 1;
    }
  }
  return { text, end: at };
}

/** The texts that the calls of `finding`, `ok` and `skipped` and of `NotPossible` have as they stand in the code. */
function findingsIn(code: string): readonly string[] {
  return [...code.matchAll(/(?:finding|ok|skipped|NotPossible|Broken)\(\s*(?=["`])/g)].flatMap(({ index, 0: call }) => {
    const texts: string[] = [];
    for (let at = index + call.length; code[at] === '"' || code[at] === "`"; ) {
      const { text, end } = literalAt(code, at);
      texts.push(text);
      at = end + 1 + (/^,\s*/.exec(code.slice(end + 1))?.[0].length ?? 0);
    }
    return texts.filter((text) => text.includes(" "));
  });
}

describe("page texts: sentences of homesec in German", () => {
  it("page texts: each English sentence with a German one is still written by homesec", () => {
    const folder = join(import.meta.dirname, "../../src");
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const code = sources
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n")
      .replace(/[\s.,:;()]+/g, " ")
      .toLowerCase();
    // Three words in a row: the code writes a sentence in parts
    const gone = sentences.filter(([english]) => {
      const runs = english.split(/\{[a-z]\d?\}|[‹›$`]/).flatMap((part) => {
        const words = part.split(/[\s.,:;()]+/).filter((word) => word !== "");
        return words.slice(2).map((_, at) => words.slice(at, at + 3).join(" "));
      });
      return runs.length > 2 && runs.filter((run) => code.includes(run.toLowerCase())).length < runs.length / 3;
    });
    expect(gone).toEqual([]);
  });

  it("page texts: each German sentence has only parts of the English one", () => {
    const wrong = sentences.filter(([english, translated]) => places(translated).some((place) => !english.includes(place)));
    expect(wrong).toEqual([]);
  });

  it("page texts: each finding of doctor, and what helps, has a German sentence", () => {
    const folder = join(import.meta.dirname, "../../src/admin/doctor/checks");
    const missing = readdirSync(folder).flatMap((name) =>
      findingsIn(readFileSync(join(folder, name), "utf8")).filter((text) => {
        const unknown: string[] = [];
        german(text, (part) => unknown.push(part));
        return unknown.some((part) => !isCommand.test(part));
      }),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    [
      'Event 3 raised no alert. Rule "Cars" did not match: the risk score is 12, and the rule needs 40 or more; sat 07:48 is not within mon-fri 22:00-06:00 UTC. 2 other rules raised no alert either.',
      "Ereignis 3 hat keinen Alarm ausgelöst. Die Regel „Cars“ traf nicht zu: 12 Punkte, mindestens 40 verlangt; Sa 07:48, gilt nur Mo-Fr 22:00-06:00 UTC. 2 andere Regeln haben auch keinen ausgelöst.",
    ],
    [
      "The notification by email, attempt 2, failed and will be retried after 1.5 s: mail.example:587: nothing listens there (ECONNREFUSED).",
      "Die Nachricht über email, Versuch 2, ist nach 1,5 s fehlgeschlagen und wird wiederholt: mail.example:587: dort antwortet nichts (ECONNREFUSED).",
    ],
    [
      'Rule "A" matched (the risk score is 40 or more, a person, a car or a dog was seen, it was at camera gate or yard), but the silence ("Work") muted it.',
      "Die Regel „A“ traf zu (mindestens 40 Punkte, Person, Auto oder Hund gesehen, an der Kamera gate oder yard), aber die Stummschaltung („Work“) unterdrückte den Alarm.",
    ],
    [
      'Rule "A" did not match: only a dog and a cat were seen, and the rule needs a person; it stood at 0.42, 0.81, which is not in driveway; the confidence of the dog is 40.5 %, and the rule needs 60 % or more.',
      "Die Regel „A“ traf nicht zu: nur Hund und Katze gesehen, Person verlangt; es stand bei 0,42, 0,81, nicht in driveway; Hund mit 40,5 % Sicherheit, mindestens 60 % verlangt.",
    ],
    [
      "The detector http://a:1 processed it (5 ms of inference) and found nothing that the second detector saw too. homesec left out detections: 1 that the second detector did not see, such as cat 55 %. The second detector http://b:2 saw none of it.",
      "Der Detektor http://a:1 hat es verarbeitet (5 ms gerechnet) und fand nichts, was auch der zweite Detektor sah. homesec ließ Erkennungen weg: 1, die der zweite Detektor nicht sah, etwa cat 55 %. Der zweite Detektor http://b:2 sah nichts davon.",
    ],
    [
      "The second detector http://b:2 also saw: person 80 %, cat 55 %.",
      "Der zweite Detektor http://b:2 sah auch: Person 80 %, Katze 55 %.",
    ],
    ["2 people and 1 car at Front door, for 12 s.", "2 Personen und 1 Auto, Front door, 12 s lang."],
    ["A person is at the door. It rings.", "A person is at the door. It rings."],
    [
      'Rule "It is $& {x} ‹y›" was not evaluated: it is disabled.',
      "Die Regel „It is $& {x} ‹y›“ wurde nicht geprüft: Sie ist ausgeschaltet.",
    ],
  ])("page texts: %s", (english, translated) => {
    expect(german(english)).toBe(translated);
  });

  it("page texts: identifiers are left out, and times are written as the page writes them", () => {
    const id = "f5ba72ed-bd34-4fad-854e-120c855bc460";
    const text = `Rule "A" matched, but the cooldown of alert ${id}, raised 2026-11-28T07:47:42.458Z for event 2, suppressed it. Alerts were silenced: ${id}, ${id}.`;
    expect(withTimes(withoutIdentifiers(text), () => "08:47")).toBe(
      'Rule "A" matched, but the cooldown of an alert, raised 08:47 for event 2, suppressed it. Alerts were silenced.',
    );
  });
});
