import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createDetector } from "../../src/monitoring/upstream/detector.ts";
import { createEmbedder } from "../../src/monitoring/upstream/embedder.ts";
import { createEnricher } from "../../src/monitoring/upstream/enricher.ts";
import { maxAnswerBytes } from "../../src/monitoring/upstream/http.ts";
import { createLanguageModel } from "../../src/monitoring/upstream/language-model.ts";
import { probeHealth } from "../../src/monitoring/upstream/probe.ts";
import { createVision } from "../../src/monitoring/upstream/vision.ts";
import { eventFacts } from "../monitoring/upstream/event-facts.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { onePerson, verdictText } from "../support/upstream.ts";
import { anyJsonText, mutatedJson } from "./json.ts";
import { jsonAnswer, type RawAnswer, rawService } from "./raw-service.ts";
import { cpuMsOf, holds, isLong, testTimeoutMs } from "./support.ts";

/* Tests the clients of all services over real HTTP with arbitrary answers. */

const timeoutMs = 400;
let service: Awaited<ReturnType<typeof rawService>>;
let database: TestDatabase;
beforeAll(async () => {
  service = await rawService();
  database = await testDatabase({ max: 1 });
});
afterAll(async () => {
  await service.close();
  await database.close();
});

type Name = ConstructorParameters<typeof Breaker>[0];
const options = (name: Name, url = service.url) => ({
  url: () => url,
  // an open breaker would prevent further requests
  breaker: new Breaker(name, { clock: systemClock, failureThreshold: Number.POSITIVE_INFINITY }),
  clock: systemClock,
  log: silentLog,
  timeoutMs,
});
const picture = { bytes: Buffer.from("no picture"), fileName: "a.jpg", mediaType: "image/jpeg" };
const box = { x: 1, y: 2, width: 3, height: 4 };
const question = {
  detection: { id: 1, camera_id: "door", object_type: "person", confidence: 0.9, detected_at: new Date(0), bbox: box },
  attributes: { jacket: "red" },
  embedding_match: null,
};

/** A good answer of each service, and how to request one. The results must be storable. */
const services = {
  detector: {
    good: onePerson(),
    open: (url?: string) => createDetector(options("detector", url)),
    ask: (client: ReturnType<typeof createDetector>) => client.detect(picture),
  },
  language_model: {
    good: { content: verdictText(42), model: "a model" },
    open: (url?: string) => createLanguageModel(options("language_model", url)),
    ask: (client: ReturnType<typeof createLanguageModel>) => client.judge(eventFacts()),
  },
  vision: {
    good: { attributes: { jacket: "red", count: 2, words: ["a", 1] }, ocr: [{ text: "ACME", confidence: 0.5 }], caption: "Somebody." },
    open: (url?: string) => createVision(options("vision", url)),
    ask: (client: ReturnType<typeof createVision>) => client.extract(picture, box),
  },
  embedder: {
    good: { embedding: [0.6, 0.8, 0] },
    open: (url?: string) => createEmbedder(options("embedder", url)),
    ask: (client: ReturnType<typeof createEmbedder>) => client.embed(picture, box),
  },
  enrichment: {
    good: { attributes: { jacket: "red", list: ["a"] } },
    open: (url?: string) => createEnricher(options("enrichment", url)),
    ask: (client: ReturnType<typeof createEnricher>) => client.enrich(question),
  },
} as const;
const names = Object.keys(services) as (keyof typeof services)[];

interface Outcome {
  readonly kind: string;
  readonly [field: string]: unknown;
}

async function asking<T>(name: keyof typeof services, work: (ask: () => Promise<Outcome>) => Promise<T>, url?: string): Promise<T> {
  const { open, ask } = services[name] as unknown as {
    readonly open: (url?: string) => { close(): Promise<void> };
    readonly ask: (client: { close(): Promise<void> }) => Promise<Outcome>;
  };
  const client = open(url);
  try {
    return await work(() => ask(client));
  } finally {
    await client.close();
  }
}

const kinds = new Set(["detected", "refused", "unavailable", "judged", "unreadable", "rejected", "answered"]);

/** The fault in a client's result, if there is one. */
function complaint(outcome: Outcome): string | undefined {
  if (!kinds.has(outcome.kind)) return `kind ${outcome.kind}`;
  const texts: string[] = [];
  const numbers: number[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number") numbers.push(value);
    else if (value instanceof Float32Array) numbers.push(...value);
    else if (typeof value === "object" && value !== null && !(value instanceof Date)) {
      texts.push(...Object.keys(value));
      for (const field of Object.values(value)) walk(field);
    }
  };
  walk(outcome);
  if (numbers.some((number) => !Number.isFinite(number))) return "a number that is none";
  if (texts.some((text) => /[\0\p{Cs}]/u.test(text))) return "a text that cannot be stored";
  if (texts.some((text) => text.length > 9_000)) return "a text without an end";
  return specific(outcome);
}

interface SeenBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function specific(outcome: Outcome): string | undefined {
  if (outcome.kind === "detected") {
    const { detections, inferenceMs } = outcome as unknown as {
      readonly detections: readonly { readonly confidence: number; readonly box: SeenBox | null }[];
      readonly inferenceMs: number | null;
    };
    if (detections.length > 500) return "too many detections";
    if (detections.some(({ confidence }) => !(confidence >= 0 && confidence <= 1))) return "a confidence that is none";
    if (inferenceMs !== null && inferenceMs > 86_400_000) return "longer than a day";
    const isBox = ({ x, y, width, height }: SeenBox) =>
      [x, y, width, height].every(Number.isInteger) &&
      x >= 0 &&
      y >= 0 &&
      width > 0 &&
      height > 0 &&
      x + width <= 65_535 &&
      y + height <= 65_535;
    return detections.every((one) => one.box === null || isBox(one.box)) ? undefined : "a box that is none";
  }
  if (outcome.kind === "judged") {
    const { riskScore } = outcome["verdict"] as { readonly riskScore: number };
    return Number.isInteger(riskScore) && riskScore >= 0 && riskScore <= 100 ? undefined : `score ${riskScore}`;
  }
  return outcome.kind === "unavailable" && !(outcome["retryAt"] instanceof Date) ? "no time to try again" : undefined;
}

/** Results go into records and to live clients, so PostgreSQL must accept them as JSON. */
async function storable(outcome: Outcome): Promise<void> {
  const { detail, error } = outcome as { readonly detail?: string; readonly error?: string };
  await database.db.query((sql) => sql`select ${JSON.stringify({ ...outcome, detail, error })}::text::jsonb`);
}

const status = fc.oneof(
  { weight: 8, arbitrary: fc.constant("200 OK") },
  { weight: 2, arbitrary: fc.constantFrom("400 Bad Request", "404 x", "413 x", "429 x", "500 x", "503 x", "204 x", "206 x", "302 x") },
);

/** Texts that a message may cut in the middle of a character. */
const longTexts = fc.nat({ max: 12 }).map((shift) => `${"x".repeat(190 + shift)}${"😀".repeat(20)}`);

test.each(names)(
  "fuzz service answers: any JSON or near-JSON from %s leads to a known result",
  async (name) => {
    const { good } = services[name];
    const body = fc.oneof(
      { weight: 4, arbitrary: mutatedJson([good]) },
      { weight: 2, arbitrary: anyJsonText },
      { weight: 1, arbitrary: longTexts },
    );
    await asking(name, async (ask) => {
      await holds(fc.record({ body, status }), { few: 40, many: 6_000 }, async (given) => {
        service.answerWith(jsonAnswer(given.body, given));
        const outcome = await ask();
        expect(complaint(outcome)).toBeUndefined();
        await storable(outcome);
      });
      service.answerWith(jsonAnswer(JSON.stringify(good)));
      expect(["detected", "judged", "answered"]).toContain((await ask()).kind);
    });
  },
  testTimeoutMs,
);

test(
  "fuzz service answers: any text of the language model leads to a known result",
  async () => {
    const words = fc.array(
      fc.constantFrom(
        ...[
          "{",
          "}",
          "[",
          "]",
          ":",
          ",",
          '"',
          "'",
          "\\",
          "`",
          "```json\n",
          "\n",
          "<think>",
          "</think>",
          "risk_score",
          '"risk_score"',
          "0",
          "42",
          "-1",
        ],
        ...[
          "1e9",
          "0.5",
          "null",
          "NaN",
          '"summary"',
          '"reasoning"',
          '"risk_factors"',
          "//",
          "/*",
          "*/",
          "\0",
          "\ud83d",
          "😀",
          verdictText(7),
          verdictText(99),
        ],
      ),
      { maxLength: 60 },
    );
    await asking("language_model", async (ask) => {
      await holds(words, { few: 100, many: 10_000 }, async (parts) => {
        service.answerWith(jsonAnswer(JSON.stringify({ content: parts.join("") })));
        const outcome = await ask();
        expect(complaint(outcome)).toBeUndefined();
        await storable(outcome);
      });
    });
  },
  testTimeoutMs,
);

const good = JSON.stringify(onePerson());
const head = (lines: readonly string[], first = "HTTP/1.1 200 OK"): string => [first, ...lines, "", ""].join("\r\n");
const bomb = gzipSync(Buffer.alloc(40_000_000));

/** Services that break HTTP or never finish. */
const unruly: Readonly<Record<string, RawAnswer>> = {
  "nothing at all": { pieces: [] },
  "no HTTP": { pieces: ["SSH-2.0-OpenSSH_9.2\r\n"] },
  "HTTP/0.9": { pieces: [good] },
  bytes: { pieces: [Buffer.from([0, 255, 22, 3, 1, 2, 0])] },
  "a status that is none": { pieces: [head([], "HTTP/1.1 9999 x")] },
  "status 101": { pieces: [head(["upgrade: websocket", "connection: upgrade"], "HTTP/1.1 101 x")], stays: true },
  "endless 100": { pieces: ["HTTP/1.1 100 Continue\r\n\r\n"], endless: true },
  "endless 103": { pieces: ["HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"], endless: true, pauseMs: 1 },
  "endless headers": { pieces: ["HTTP/1.1 200 OK\r\n", `x: ${"y".repeat(1_000)}\r\n`], endless: true },
  "one endless header": { pieces: ["HTTP/1.1 200 OK\r\nx: ", "y".repeat(10_000)], endless: true },
  "headers byte by byte": { pieces: ["HTTP/1.1 200 OK\r\nx: ", "y"], endless: true, pauseMs: 20 },
  "a negative length": { pieces: [`${head(["content-length: -1"])}${good}`] },
  "two lengths": { pieces: [`${head(["content-length: 5", "content-length: 6"])}${good}`] },
  "a length beyond all numbers": { pieces: [`${head(["content-length: 99999999999999999999999"])}${good}`] },
  "a length of gigabytes": { pieces: [`${head(["content-length: 9999999999"])}${good}`], stays: true },
  "shorter than it says": { pieces: [`${head(["content-length: 5000"])}${good}`] },
  "longer than it says": { pieces: [`${head(["content-length: 5"])}${good}`] },
  "a bad chunk": { pieces: [`${head(["transfer-encoding: chunked"])}zz\r\n${good}\r\n0\r\n\r\n`] },
  "a chunk of gigabytes": { pieces: [`${head(["transfer-encoding: chunked"])}ffffffff\r\n${good}`], stays: true },
  "endless chunks": { pieces: [head(["transfer-encoding: chunked"]), `10000\r\n${" ".repeat(65_536)}\r\n`], endless: true },
  "endless small chunks": { pieces: [head(["transfer-encoding: chunked"]), "1\r\n \r\n"], endless: true, pauseMs: 5 },
  "a body without an end": { pieces: [head(["content-type: application/json"]), " ".repeat(65_536)], endless: true },
  "a body byte by byte": { pieces: [head(["content-type: application/json"]), " "], endless: true, pauseMs: 20 },
  "a gzip bomb": { pieces: [Buffer.concat([Buffer.from(head(["content-encoding: gzip", `content-length: ${bomb.length}`])), bomb])] },
  "gzip that was not asked for": jsonAnswer(gzipSync(good), { headers: ["content-encoding: gzip"] }),
  "another charset": jsonAnswer(Buffer.from(good, "utf16le")),
  "invalid UTF-8": jsonAnswer(Buffer.concat([Buffer.from('{"content":"'), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from('"}')])),
  "a redirect to itself": { pieces: [head(["location: /detect", "content-length: 0"], "HTTP/1.1 307 x")], stays: true },
};

test(
  "fuzz service answers: a service that breaks HTTP or never finishes blocks nothing and is asked again",
  async () => {
    const before = process.memoryUsage().rss;
    await Promise.all(
      Object.entries(unruly).map(async ([what, answer]) => {
        const wild = await rawService();
        wild.answerWith(answer);
        const startedAt = performance.now();
        const outcomes = await Promise.all(names.map((name) => asking(name, (ask) => ask(), wild.url)));
        for (const outcome of outcomes) expect(complaint(outcome), what).toBeUndefined();
        expect(typeof (await probeHealth(wild.url, timeoutMs)).healthy).toBe("boolean");
        // many requests run at once, and the language model is asked twice
        expect(performance.now() - startedAt, what).toBeLessThan(50 * timeoutMs);
        wild.answerWith(jsonAnswer(good));
        // under this load an answer may come too late
        await asking(
          "detector",
          (ask) => eventually(async () => (await ask()).kind === "detected", { what: `an answer after ${what}` }),
          wild.url,
        );
        await wild.close();
      }),
    );
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(600);
  },
  testTimeoutMs,
);

const bytes = maxAnswerBytes - 1_000;
const filled = (before: string, item: string, after: string): string =>
  `${before}${Array.from({ length: Math.floor(bytes / (item.length + 1)) }, () => item).join(",")}${after}`;
const named = (before: string, after: string): string =>
  `${before}${Array.from({ length: Math.floor(bytes / 14) }, (_, n) => `"a${n}":1`).join(",")}${after}`;

/** Wrong answers of the maximum size that clients read. */
const crowded: Readonly<Record<keyof typeof services, readonly (() => string)[]>> = {
  detector: [
    () => filled('{"detections":[', "{}", "]}"),
    () => filled('{"detections":[', '{"class":"car","confidence":NaN}', "]}"),
    () => "[".repeat(bytes),
  ],
  language_model: [
    () => JSON.stringify({ content: '{"risk_score":'.repeat(bytes / 20) }),
    () => JSON.stringify({ content: "{".repeat(bytes - 100) }),
    () => JSON.stringify({ content: `<think>${"<".repeat(bytes - 100)}` }),
    () => JSON.stringify({ content: `{"risk_score": ${"/* ".repeat(bytes / 4)}` }),
  ],
  vision: [() => filled('{"ocr":[', "1", "]}"), () => named('{"attributes":{', "}}"), () => filled('{"ocr":[', '{"text":1}', "]}")],
  embedder: [
    () => filled('{"embedding":[', '""', "]}"),
    () => filled('{"embedding":[', "1", "]}"),
    () => filled('{"embedding":[', "null", "]}"),
  ],
  enrichment: [() => named('{"attributes":{', "}}"), () => filled('{"attributes":[', "1", "]}")],
};

test.each(names)(
  "fuzz service answers: a wrong answer of maximum size from %s blocks nothing",
  async (name) => {
    for (const make of isLong ? crowded[name] : crowded[name].slice(0, 1)) {
      const body = make();
      service.answerWith(jsonAnswer(body));
      await asking(name, async (ask) => {
        const cpuMs = await cpuMsOf(async () => {
          expect(complaint(await ask())).toBeUndefined();
        });
        expect(cpuMs, body.slice(0, 60)).toBeLessThan(3_000);
      });
    }
  },
  testTimeoutMs,
);
