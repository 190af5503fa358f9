import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sharp from "sharp";
import { afterEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector } from "../../../src/monitoring/upstream/detector.ts";
import { createEmbedder } from "../../../src/monitoring/upstream/embedder.ts";
import { createEnricher } from "../../../src/monitoring/upstream/enricher.ts";
import { createLanguageModel } from "../../../src/monitoring/upstream/language-model.ts";
import { readFacts, writePrompt } from "../../../src/monitoring/upstream/prompt.ts";
import { referenceFacts, referencePicture } from "../../../src/monitoring/upstream/reference.ts";
import { createVision } from "../../../src/monitoring/upstream/vision.ts";
import {
  detectorStandIn,
  embedderStandIn,
  enrichmentStandIn,
  languageModelStandIn,
  type StandInAnswer,
  visionStandIn,
} from "../../support/upstream.ts";
import { eventFacts } from "./event-facts.ts";
import { virtualClock } from "./virtual-clock.ts";

/* A refusal costs a picture or an event only if the service accepts others; everything else is the fault of the service. */

const picture = { bytes: Buffer.from([0xff, 0xd8, 0xff, 0xd9]), fileName: "a.jpg", mediaType: "image/jpeg" };
const box = { x: 1, y: 2, width: 3, height: 4 };
const question = {
  detection: { id: 1, camera_id: "door", object_type: "person", confidence: 0.9, detected_at: new Date(0), bbox: box },
  attributes: {},
  embedding_match: null,
};
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

interface Answer {
  readonly kind: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly error?: string;
}

const clock = virtualClock();
const options = (name: Breaker["name"], url: string) => {
  const breaker = new Breaker(name, { clock });
  return { breaker, options: { url: () => url, breaker, clock, log: silentLog, timeoutMs: 1_000 } };
};

/** How to open and call each service, and what a refusal and a good answer are. */
const services = {
  detector: {
    standIn: detectorStandIn,
    create: createDetector,
    ask: (client: ReturnType<typeof createDetector>) => client.detect(picture),
  },
  language_model: {
    standIn: languageModelStandIn,
    create: createLanguageModel,
    ask: (client: ReturnType<typeof createLanguageModel>) => client.judge(eventFacts()),
  },
  vision: { standIn: visionStandIn, create: createVision, ask: (client: ReturnType<typeof createVision>) => client.extract(picture, box) },
  embedder: {
    standIn: embedderStandIn,
    create: createEmbedder,
    ask: (client: ReturnType<typeof createEmbedder>) => client.embed(picture, box),
  },
  enrichment: {
    standIn: enrichmentStandIn,
    create: createEnricher,
    ask: (client: ReturnType<typeof createEnricher>) => client.enrich(question),
  },
} as const;
type Name = keyof typeof services;
const names = Object.keys(services) as Name[];

async function bench(name: Name) {
  const {
    standIn: open,
    create,
    ask,
  } = services[name] as unknown as {
    readonly standIn: typeof detectorStandIn;
    readonly create: (options: object) => { close(): Promise<void> };
    readonly ask: (client: object) => Promise<Answer>;
  };
  const standIn = await open();
  const { breaker, options: given } = options(name, standIn.url);
  const client = create(given);
  opened.push(standIn, client);
  return { standIn, breaker, ask: () => ask(client) };
}

const statuses = [
  201, 202, 204, 206, 300, 301, 302, 307, 308, 401, 402, 403, 404, 405, 406, 407, 409, 410, 418, 421, 426, 451, 500, 502, 503,
];

describe.each(names)("refusals: %s", (name) => {
  test("a status that is not about the request waits, opens the breaker, and names status and fix", async () => {
    const { standIn, breaker, ask } = await bench(name);
    for (const status of statuses) {
      await standIn.setMode(status);
      for (let n = 1; n <= 3; n += 1) {
        expect(await ask()).toMatchObject({ kind: "unavailable", reason: "status", detail: expect.stringMatching(`^status ${status}: `) });
        expect(breaker.state().failure_count).toBe(n);
      }
      expect(breaker.state().state).toBe("open");
      expect(breaker.fault()?.message).toMatch(new RegExp(`^status ${status}: .*(${name.toUpperCase()}_URL|log)`));
      expect(await ask()).toMatchObject({
        kind: "unavailable",
        reason: "breaker_open",
        detail: expect.stringContaining(`status ${status}: `),
      });
      await standIn.setMode("ok");
      clock.advance(30_000);
      expect((await ask()).kind).not.toBe("unavailable");
      expect(breaker.fault()).toBeNull();
    }
  });

  test("a refusal is final if the service accepts another request", async () => {
    const { standIn, breaker, ask } = await bench(name);
    await standIn.setMode("refuse");
    for (let n = 0; n < 4; n += 1) {
      const answer = await ask();
      expect(["refused", "rejected"]).toContain(answer.kind);
      expect(answer.detail ?? answer.error).toBe('status 400: {"detail":"the picture cannot be read"}');
    }
    expect(breaker.state()).toMatchObject({ state: "closed", failure_count: 0 });
  });

  test.each<[StandInAnswer, number]>([
    ["refuse_all", 400],
    [413, 413],
    [415, 415],
    [422, 422],
  ])("a service that refuses everything (%s) waits and opens the breaker", async (mode, status) => {
    const { standIn, breaker, ask } = await bench(name);
    await standIn.setMode(mode);
    for (let n = 0; n < 3; n += 1) {
      const detail = expect.stringMatching(
        `^status ${status}, and ${status} for a test request: the service refuses everything; read its log, or correct ${name.toUpperCase()}_URL: {"detail"`,
      );
      expect(await ask()).toMatchObject({ kind: "unavailable", reason: "status", detail });
    }
    expect(breaker.state().state).toBe("open");
    await standIn.setMode("ok");
    clock.advance(30_000);
    expect((await ask()).kind).not.toBe("unavailable");
  });
});

test("refusals: a service that fails between the refusal and the reference request waits", async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    request.resume().on("end", () => response.writeHead(asked === 1 ? 422 : 503).end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { breaker, options: given } = options("detector", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const client = createDetector(given);
  opened.push({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) }, client);
  expect(await client.detect(picture)).toMatchObject({
    kind: "unavailable",
    reason: "status",
    detail: expect.stringContaining("status 503"),
  });
  expect([asked, breaker.state().failure_count]).toEqual([2, 1]);
});

test("reference requests: the picture is a grey JPEG, and the facts are an event that can be judged", async () => {
  const { data, info } = await sharp(referencePicture.bytes).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 160, height: 120, channels: 3 });
  expect(new Set(data)).toEqual(new Set([128]));
  expect(readFacts(writePrompt(referenceFacts))).toEqual(referenceFacts);
});
