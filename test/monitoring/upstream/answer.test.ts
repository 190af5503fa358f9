import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAnswer } from "../../../src/monitoring/upstream/answer.ts";
import { parseLenient } from "../../../src/monitoring/upstream/lenient-json.ts";

/** The reply of a well-behaved model. */
function verdict(score: unknown = 75, more: object = {}): string {
  return JSON.stringify({ risk_score: score, summary: "A man at the door.", reasoning: "It is night.", ...more });
}
const plain = verdict();
const draft = verdict(10);

/** Name, reply, and the expected score or error. */
const answers: [name: string, answer: string, expected: number | RegExp][] = [
  // position of the object
  ["the object alone", plain, 75],
  ["pretty printed", JSON.stringify(JSON.parse(plain), null, 2), 75],
  ["prose before and after", `Sure! Here is my verdict:\n${plain}\nLet me know if you need more.`, 75],
  ["a code fence", `\`\`\`json\n${plain}\n\`\`\``, 75],
  ["a code fence without a language", `\`\`\`\n${plain}\n\`\`\``, 75],
  ["an unclosed code fence", `\`\`\`json\n${plain}`, 75],
  ["backticks", `\`${plain}\``, 75],
  ["a byte order mark", `\uFEFF${plain}`, 75],
  ["white space around", `\n\n\t ${plain} \r\n`, 75],
  ["in a list", `[${plain}]`, 75],
  ["in a wrapper", `{"result": ${plain}}`, 75],
  ["in two wrappers", `{"status": "ok", "data": {"verdict": ${plain}}, "usage": {"tokens": 5}}`, 75],
  ["twice", `${plain}\n${plain}`, 75],
  ["draft, then answer", `First idea: ${draft}. On reflection: ${plain}`, /different scores \(10, 75\)/],
  ["answer, echo, then another answer", `${verdict(85)}\n<facts>\n{"camera": {}}\n</facts>\n${verdict(5)}`, /different scores \(85, 5\)/],
  ["different texts with the same score", `${verdict(75, { summary: "A woman." })}\n${plain}`, 75],
  ["drafts in a list, then the answer", `{"drafts": [${draft}, ${verdict(20)}], "final": ${plain}}`, /different scores \(10, 20, 75\)/],
  ["answer, then an object that is no verdict", `${plain}\n{"note": "done"}`, 75],
  ["answer, then an incomplete second one", `${plain}\n{"risk_score": 99, "summary": "A`, 75],
  ["answer, then an invalid second one", `${plain}\n${verdict(900)}`, 75],
  ["an example inside of the verdict", verdict(75, { example: JSON.parse(draft) }), 75],
  ["a stray brace before", `Use { as the start. ${plain}`, 75],
  ["a stray closing brace before", `} ${plain}`, 75],
  ["stray braces after", `${plain} }}}`, 75],
  ["a stray quotation mark behind a stray brace", `Like { this " one: ${plain}`, 75],
  ["an apostrophe in the prose", `It's my verdict: ${plain} That's all.`, 75],
  ["prose with a set of braces", `Given {camera, hour} I say ${plain}`, 75],
  ["markdown heading and list", `## Verdict\n- **Score**\n\n${plain}\n\n---`, 75],
  ["XML-like tags", `<answer>${plain}</answer>`, 75],
  ["CRLF", JSON.stringify(JSON.parse(plain), null, 2).replaceAll("\n", "\r\n"), 75],
  // reasoning around it
  ["a think block before", `<think>Maybe ${draft}?</think>\n${plain}`, 75],
  ["a think block after", `${plain}<think>Was ${draft} better?</think>`, 75],
  ["only drafts in a think block", `<think>${draft}</think> I am done.`, /no complete JSON object/],
  ["two different drafts in a think block", `<think>${draft} ${verdict(90)}</think>${plain}`, 75],
  ["two think blocks", `<think>${draft}</think>${plain}<think>${verdict(5)}</think>`, 75],
  ["upper case tags", `<THINK>${draft}</THINK>${plain}`, 75],
  ["other names of the tag", `<thinking>${draft}</thinking><reasoning>${draft}</reasoning>${plain}`, 75],
  ["a closing tag alone: what stands before it was thought", `I think ${draft}\n</think>\n${plain}`, 75],
  ["a closing tag alone and nothing behind it", `I think ${draft}\n</think>\n`, /no complete JSON object/],
  ["an unclosed think block that breaks off", `<think>Perhaps ${draft}, but then`, /no complete JSON object/],
  ["an unclosed think block that ends in the answer", `<think>Perhaps ${draft}, no:\n\`\`\`json\n${plain}\n\`\`\`\n`, 75],
  ["an answer before an unclosed think block", `${plain}\n<think>Or should I`, 75],
  ["braces and quotes in the thoughts", `<think>{"a": "{ it's \\" so</think>${plain}`, 75],
  ["a think tag inside of a string", verdict(75, { summary: "The sign says <think> twice" }), 75],
  ["a closing think tag inside of a string", verdict(75, { summary: "The sign says </think>" }), 75],
  // notation
  ["braces in strings", verdict(75, { summary: "A sign {with} a } and {{" }), 75],
  ["quotes in strings", verdict(75, { summary: 'The "boss" said \\ no' }), 75],
  ["trailing commas", '{"risk_score": 75, "summary": "s", "reasoning": "r", "risk_factors": [{"name": "a", "contribution": 1,},],}', 75],
  ["single quotes", "{'risk_score': 75, 'summary': 'It\\'s a man', 'reasoning': 'r'}", 75],
  ["names without quotes", '{risk_score: 75, summary: "s", reasoning: "r"}', 75],
  ["comments", '{ // verdict\n"risk_score": 75, /* high */ "summary": "see http://x", "reasoning": "r"}', 75],
  ["Python's literals", '{"risk_score": 75, "summary": "s", "reasoning": "r", "certain": True, "other": None, "no": False}', 75],
  ["line breaks in strings", '{"risk_score": 75, "summary": "one\ntwo", "reasoning": "tab\there"}', 75],
  ["unknown escapes", '{"risk_score": 75, "summary": "a\\_b \\d", "reasoning": "r"}', 75],
  ["unicode", verdict(75, { summary: "Ein Mann 🚶 vor der Tür – 門" }), 75],
  ["unicode escapes", '{"risk_score": 75, "summary": "\\u00e4\\ud83d\\udeb6", "reasoning": "r"}', 75],
  ["a name twice: the last counts", '{"risk_score": 5, "risk_score": 75, "summary": "s", "reasoning": "r"}', 75],
  ["camel case", '{"riskScore": 75, "Summary": "s", "reasoning": "r"}', 75],
  ["additional fields", verdict(75, { confidence: 0.5, __proto__: null, tags: ["a"] }), 75],
  ["quotes that are not escaped", '{"risk_score": 75, "summary": "He said "hi" to me", "reasoning": "r"}', /missing/],
  ["missing commas", '{"risk_score": 75 "summary": "s" "reasoning": "r"}', /missing/],
  ["a second try inside of HTML", `<p>${plain}</p>`, 75],
  ["curly quotes", '{“risk_score”: 75, “summary”: “It’s a man”, “reasoning”: “He said "hi" {twice}”}', 75],
  ["German quotes", "{„risk_score“: 75, „summary“: „Ein Mann“, „reasoning“: „Nacht“}", 75],
  ["single curly quotes", "{‘risk_score’: ‘75’, ‘summary’: ‘It’s a man, isn’t it’, ‘reasoning’: ‘r’}", 75],
  ["curly quotes in strings", verdict(75, { summary: "The sign says “closed”, and ‘no {entry}’" }), 75],
  ["full width", "｛＂risk_score＂：７５，＂summary＂：＂有人在门口：一名男子＂，＂reasoning＂：＂夜间＂｝", 75],
  ["full-width punctuation with plain quotes", '{"risk_score"：７５，"summary"："门口有人，夜间"，"reasoning"："夜间"}', 75],
  ["a full-width number as text", verdict("７５％"), 75],
  ["a full-width fraction of a hundred", verdict("７５／１００"), 75],
  ["full-width digits out of range", '{"risk_score": ９００, "summary": "s", "reasoning": "r"}', /not 900/],
  ["a name with a space", '{"risk score": 75, "summary": "s", "reasoning": "r"}', 75],
  ["a name with a hyphen", '{"risk-score": 75, "summary": "s", "reasoning": "r"}', 75],
  ["the arguments of a tool call", JSON.stringify({ name: "judge", arguments: verdict(75, { summary: "a } and a {" }) }), 75],
  ["nested arguments", JSON.stringify({ tool_calls: [{ function: { name: "f", arguments: `Here: ${plain}` } }] }), 75],
  ["arguments in arguments", JSON.stringify({ arguments: JSON.stringify({ input: plain }) }), 75],
  ["arguments with different scores", JSON.stringify({ arguments: `${plain} ${draft}` }), /different scores \(75, 10\)/],
  ["the whole answer as a JSON string", JSON.stringify(plain), 75],
  ["escaped quotes without a string around them", plain.replaceAll('"', '\\"'), 75],
  // scores
  ["zero", verdict(0), 0],
  ["a hundred", verdict(100), 100],
  ["a fraction is rounded", verdict(74.6), 75],
  ["a number as text", verdict("75"), 75],
  ["of a hundred", verdict("75/100"), 75],
  ["per cent", verdict(" 75 % "), 75],
  ["1.0", '{"risk_score": 1.0, "summary": "s", "reasoning": "r"}', 1],
  ["with an exponent", '{"risk_score": 7.5e1, "summary": "s", "reasoning": "r"}', 75],
  ["a plus sign", '{"risk_score": +75, "summary": "s", "reasoning": "r"}', 75],
  ["over a hundred", verdict(101), /risk_score must be a whole number from 0 to 100, not 101/],
  ["negative", verdict(-1), /not -1/],
  ["a fraction of one", verdict(0.75), /not 0.75/],
  ["of ten", verdict("7/10"), /not "7\/10"/],
  ["a word", verdict("high"), /not "high"/],
  ["a range", verdict("70-80"), /not "70-80"/],
  ["empty text", verdict(""), /not ""/],
  ["null", verdict(null), /not null/],
  ["true", verdict(true), /not a boolean/],
  ["a list", verdict([75]), /not a list/],
  ["an object", verdict({ value: 75 }), /not an object/],
  ["NaN", '{"risk_score": NaN, "summary": "s", "reasoning": "r"}', /not NaN/],
  ["infinite", '{"risk_score": 1e999, "summary": "s", "reasoning": "r"}', /not Infinity/],
  ["negative infinity", '{"risk_score": -Infinity, "summary": "s", "reasoning": "r"}', /risk_score must be/],
  // incomplete replies
  ["nothing", "", /empty/],
  ["white space", " \n\t", /empty/],
  ["only NUL", "\0\0", /empty/],
  ["a refusal", "I'm sorry, but I can't help with that.", /no JSON object with a risk_score/],
  ["an empty object", "{}", /no JSON object with a risk_score/],
  ["another object", '{"score": 75, "summary": "s", "reasoning": "r"}', /no JSON object with a risk_score/],
  ["the score in prose only", "risk_score: 75, since it is night", /no complete JSON object/],
  ["a list of numbers", "[75, 80]", /no JSON object with a risk_score/],
  ["a number", "75", /no JSON object with a risk_score/],
  ["no summary", '{"risk_score": 75, "reasoning": "r"}', /summary is missing/],
  ["no reasoning", '{"risk_score": 75, "summary": "s"}', /reasoning is missing/],
  ["an empty reasoning", verdict(75, { reasoning: " \u0000 " }), /reasoning is empty/],
  ["a summary that is no text", verdict(75, { summary: { text: "s" } }), /summary must be a text, not an object/],
  ["a reasoning that is a list", verdict(75, { reasoning: ["a", "b"] }), /reasoning must be a text, not a list/],
  ["cut off in a string", plain.slice(0, -10), /cut off/],
  ["cut off before the last brace", plain.slice(0, -1), /cut off/],
  ["the template given back", '{"risk_score": <whole number>, "summary": "...", "reasoning": "..."}', /value is missing/],
];

test.each(answers)("%s", (_, answer, expected) => {
  const reading = readAnswer(answer);
  if (typeof expected === "number") expect(reading).toMatchObject({ ok: true, verdict: { riskScore: expected } });
  else expect(reading).toMatchObject({ ok: false, error: expect.stringMatching(expected) });
});

test("the table is long enough to be worth its name", () => {
  expect(answers.length).toBeGreaterThanOrEqual(60);
});

/** Name, answer, and the fallback. */
const fallbacks: [name: string, answer: string, fallback: object | undefined][] = [
  ["the highest of different scores", `${verdict(85, { summary: "high" })} ${draft}`, { riskScore: 85, summary: "high" }],
  ["the last one of the highest", `${verdict(85, { summary: "a" })} ${draft} ${verdict(85, { summary: "b" })}`, { summary: "b" }],
  ["no reasoning", '{"risk_score": 75, "summary": "s"}', { riskScore: 75, summary: "s", reasoning: "" }],
  ["no summary: the reasoning stands in", '{"risk_score": 75, "reasoning": "r"}', { riskScore: 75, summary: "r", reasoning: "r" }],
  ["neither", '{"risk_score": 75}', { riskScore: 75, summary: "", reasoning: "" }],
  ["lists of texts", verdict(75, { summary: ["a", "b"], reasoning: ["c", 5, "d"] }), { summary: "a b", reasoning: "c d" }],
  ["an object as summary", verdict(75, { summary: { text: "s" } }), { riskScore: 75, summary: "It is night." }],
  ["the highest of incomplete ones", '{"risk_score": 20} {"risk_score": 60} {"risk_score": 10}', { riskScore: 60 }],
  ["cut off in a text", '{"risk_score": 75, "summary": "A man at', { riskScore: 75, summary: "" }],
  ["cut off in the last text", plain.slice(0, -10), { riskScore: 75, summary: "A man at the door." }],
  ["cut off in the score", '{"summary": "s", "reasoning": "r", "risk_score": 7', undefined],
  ["cut off after the score", '{"summary": "s", "reasoning": "r", "risk_score": 75', undefined],
  ["quotes that are not escaped", '{"risk_score": 75, "summary": "He said "hi" to me", "reasoning": "r"}', { riskScore: 75, summary: "" }],
  ["an example with dots", 'Write {"risk_score": 50, ...}, please', undefined],
  ["the score in prose", "Given {risk_score: 5, and the hour} I would say", undefined],
  ["a score that is none", verdict(900), undefined],
  ["a draft in unfinished thoughts", `<think>Perhaps ${draft} {"risk_score": 5, "summary": "s`, undefined],
];

describe("the fallback if the model gives no better answer", () => {
  test.each(fallbacks)("%s", (_, answer, fallback) => {
    const reading = readAnswer(answer);
    expect(reading.ok).toBe(false);
    const kept = reading.ok ? undefined : reading.fallback;
    if (fallback === undefined) expect(kept).toBeUndefined();
    else expect(kept).toMatchObject(fallback);
  });

  test.each([
    ["in an object", plain.slice(0, -10), true],
    ["in thoughts", `<think>Let me see: ${draft}, or`, true],
    ["not at all", "I cannot say", false],
    ["not at all, with an invalid score", verdict(900), false],
  ])("a text that breaks off %s", (_, answer, isCut) => {
    expect(readAnswer(answer)).toMatchObject({ ok: false, isCut });
  });
});

function read(more: object) {
  const reading = readAnswer(verdict(75, more));
  if (!reading.ok) throw new Error(reading.error);
  return reading.verdict;
}

describe("stored values", () => {
  test("texts without what a database or a terminal would stumble over", () => {
    const { summary, reasoning } = read({ summary: " a\u0000b\u001b[31mc\u202Ed\r\ne ", reasoning: "half \ud83d pair" });
    expect(summary).toBe("ab[31mcd\ne");
    expect(reasoning).toBe("half \uFFFD pair");
  });

  test("texts cut to a sane length", () => {
    const { summary, reasoning } = read({ summary: "🚶".repeat(5_000), reasoning: "x".repeat(1_000_000) });
    expect(summary).toHaveLength(500);
    expect(Buffer.from(summary).toString()).toBe(summary);
    expect(reasoning).toBe(`${"x".repeat(3_999)}…`);
  });

  test("factors with a name and a number, the others left out", () => {
    const factors = [
      { name: "night", contribution: 30, detail: "03:00" },
      { name: "cat", contribution: "-5" },
      "a word",
      { name: "no number" },
      { name: "", contribution: 1 },
      { contribution: 1 },
      { name: "absurd", contribution: 1e12 },
      null,
    ];
    expect(read({ risk_factors: factors }).riskFactors).toEqual([
      { name: "night", contribution: 30, detail: "03:00" },
      { name: "cat", contribution: -5 },
    ]);
    expect(read({ risk_factors: { night: 30, word: "much" } }).riskFactors).toEqual([{ name: "night", contribution: 30 }]);
    for (const none of [undefined, null, "night", 5, []]) expect(read({ risk_factors: none }).riskFactors).toEqual([]);
    expect(read({ risk_factors: Array.from({ length: 500 }, () => ({ name: "n", contribution: 1 })) }).riskFactors).toHaveLength(20);
  });
});

/** `npm run degraded` takes ten megabytes, as long as an answer may be. */
const longest = process.env["DEGRADED_MATRIX"] === "all" ? 10_000_000 : 2_500_000;

describe("an answer of megabytes takes linear time", () => {
  const hugeOf = (size: number): [string, string, boolean][] => [
    ["prose and then the answer", "Well, reason by reason. ".repeat(size / 24) + plain, true],
    ["the answer and then prose", plain + "r".repeat(size), true],
    ["a text of that length in the answer", verdict(75, { reasoning: "x".repeat(size) }), true],
    ["open braces", "{".repeat(size), false],
    ["nested verdicts", '{"risk_score":'.repeat(size / 14), false],
    ["nested and closed", `${'{"risk_score":'.repeat(size / 20)}1${"}".repeat(size / 20)}`, false],
    ["many invalid verdicts", '{"risk_score": 900}\n'.repeat(size / 20), false],
    ["quotation marks", '{"'.repeat(size / 2), false],
    ["backslashes", `{"risk_score": "${"\\".repeat(size)}`, false],
    ["think tags", "<think>".repeat(size / 7), false],
    ["closing think tags", "</think>".repeat(size / 8), false],
    ["comments", `{"risk_score": ${"/* */".repeat(size / 5)} 75, "summary": "s", "reasoning": "r"}`, true],
    ["open comments", `{"risk_score": ${"/*".repeat(size / 2)}}`, false],
    ["white space", `{"risk_score": 75,${" ".repeat(size)}'summary': "s", "reasoning": "r"}`, true],
  ];
  /** CPU time in milliseconds, because the load of the machine says nothing about the parser. */
  const timeOf = (answer: string, ok: boolean): number => {
    const before = process.cpuUsage();
    expect(readAnswer(answer).ok).toBe(ok);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const quarters = hugeOf(longest / 4);
  test.each(hugeOf(longest))("%s", (name, answer, ok) => {
    const ms = timeOf(answer, ok);
    // on a processor that others share, even CPU time doubles: then four times the length takes about four times as long
    if (ms >= longest / 2_000) expect(ms).toBeLessThan(8 * timeOf(quarters.find(([each]) => each === name)?.[1] ?? "", ok));
  });
});

test("never throws, whatever it is given", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "{",
      "}",
      '"',
      "'",
      "\\",
      ",",
      ":",
      "[",
      "]",
      "<think>",
      "</think>",
      "/*",
      "*/",
      "//",
      "\n",
      "\0",
      "\ud800",
      "```json",
      "NaN",
      "-",
    ),
    fc.constantFrom('"risk_score"', "75", '"summary"', '"reasoning"', '"risk_factors"', plain, draft),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const reading = readAnswer(pieces.join(""));
      if (reading.ok) {
        const { riskScore, summary, reasoning } = reading.verdict;
        expect(Number.isInteger(riskScore) && riskScore >= 0 && riskScore <= 100).toBe(true);
        expect(summary.length > 0 && summary.length <= 500 && reasoning.length > 0 && !/\0/.test(summary + reasoning)).toBe(true);
      } else expect(reading.error).not.toBe("");
    }),
    { numRuns: 5_000 },
  );
});

test("valid JSON is read as JSON, with prose around it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), fc.string({ unit: "grapheme", minLength: 1 }), fc.jsonValue(), (score, text, extra) => {
      const answer = JSON.stringify({ risk_score: score, summary: `s ${text}`, reasoning: "r", extra: { extra } });
      expect(readAnswer(`Here: ${answer} Done.`)).toMatchObject({ ok: true, verdict: { riskScore: score } });
    }),
    { numRuns: 2_000 },
  );
});

test("any number of verdicts is read if they agree, and otherwise the highest is the fallback", () => {
  const prose = fc.constantFrom("", " ", "\n\n", "On reflection: ", "```json\n", "\n```\n", "It's done. ", "<think>no</think>", "{ this }");
  const one = fc.record({ score: fc.integer({ min: 0, max: 100 }), before: prose });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), prose, (all, after) => {
      const reading = readAnswer(all.map(({ score, before }) => before + verdict(score)).join("") + after);
      const scores = all.map(({ score }) => score);
      if (new Set(scores).size === 1) expect(reading).toMatchObject({ ok: true, verdict: { riskScore: scores[0] } });
      else expect(reading).toMatchObject({ ok: false, fallback: { riskScore: Math.max(...scores) } });
    }),
    { numRuns: 2_000 },
  );
});

/** Ways to write the quotes of an object; none of them is in the texts of the next test. */
const quotes = fc.constantFrom(["“", "”"], ["„", "“"], ["＂", "＂"], ["‘", "’"], ['"', '"'], ["'", "'"]);
const widths = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
);
const wrapped = fc.constantFrom(
  (text: string) => text,
  (text: string) => `Here: ${text} Done.`,
  (text: string) => JSON.stringify(text),
  (text: string) => JSON.stringify({ name: "judge", arguments: text }),
  (text: string) => JSON.stringify([{ function: { arguments: JSON.stringify({ input: text }) } }]),
);

test("any quotes, widths of signs and strings around it give the same verdict", () => {
  const words = fc.string({ unit: fc.constantFrom(..."ab1 {}[],:：，（人🚶"), minLength: 1 }).filter((text) => text.trim() !== "");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), words, words, quotes, widths, wrapped, (score, summary, reasoning, pair, wide, wrap) => {
      // Braces in strings differ from others by their double quotes only.
      const isSingle = "‘'".includes(pair[0] as string);
      const quoted = (text: string) => `${pair[0]}${isSingle ? text.replace(/[{}]/g, "()") : text}${pair[1]}`;
      const field = (name: string, value: string) => `${quoted(name)}${wide(":")}${value}`;
      const fields = [field("risk_score", wide(String(score))), field("summary", quoted(summary)), field("reasoning", quoted(reasoning))];
      const reading = readAnswer(wrap(wide("{") + fields.join(wide(",")) + wide("}")));
      expect(reading).toMatchObject({ ok: true, verdict: { riskScore: score } });
      if (!isSingle && reading.ok) expect([reading.verdict.summary, reading.verdict.reasoning]).toEqual([summary.trim(), reasoning.trim()]);
    }),
    { numRuns: 3_000 },
  );
});

test("an answer that breaks off anywhere gives its score or none", () => {
  const whole = verdict(75, { risk_factors: [{ name: "night", contribution: 30 }] });
  fc.assert(
    fc.property(fc.nat({ max: whole.length - 1 }), (length) => {
      const reading = readAnswer(whole.slice(0, length));
      expect(reading.ok).toBe(false);
      expect([75, undefined]).toContain(reading.ok ? -1 : reading.fallback?.riskScore);
    }),
  );
});

test("the lenient parser reads all JSON as JSON does", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(parseLenient(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 3_000 },
  );
});
