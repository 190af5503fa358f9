import { afterEach, expect, test, vi } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector } from "../../../src/monitoring/upstream/detector.ts";
import { createEmbedder } from "../../../src/monitoring/upstream/embedder.ts";
import { createEnricher } from "../../../src/monitoring/upstream/enricher.ts";
import { createLanguageModel } from "../../../src/monitoring/upstream/language-model.ts";
import { createVision } from "../../../src/monitoring/upstream/vision.ts";
import type { UpstreamName } from "../../../src/work/operations/upstream-state.ts";
import {
  detectorStandIn,
  embedderStandIn,
  enrichmentStandIn,
  languageModelStandIn,
  type StandInOptions,
  visionStandIn,
} from "../../support/upstream.ts";
import { eventFacts } from "./event-facts.ts";
import { virtualClock } from "./virtual-clock.ts";

/** A service with slow answers was down and is back: it recovers without a manual reset. */

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const each of opened.splice(0).reverse()) await each.close();
});

const readTimeoutMs = 30_000;
const neededMs = 25_000;

const picture = { bytes: Buffer.from("a picture"), fileName: "a.jpg", mediaType: "image/jpeg" };
const box = { x: 0, y: 0, width: 10, height: 10 };
const detection = { id: 1, camera_id: "yard", object_type: "person", confidence: 0.9, detected_at: new Date(0), bbox: box };

type Options = Parameters<typeof createVision>[0] & { readonly url: () => string };
type Client = { readonly ask: () => Promise<{ readonly kind: string }>; close(): Promise<void> };

const clients = {
  detector: (options: Options): Client => {
    const client = createDetector(options);
    return { ask: () => client.detect(picture), close: () => client.close() };
  },
  language_model: (options: Options): Client => {
    const client = createLanguageModel(options);
    return { ask: () => client.judge(eventFacts()), close: () => client.close() };
  },
  vision: (options: Options): Client => {
    const client = createVision(options);
    return { ask: () => client.extract(picture, box), close: () => client.close() };
  },
  embedder: (options: Options): Client => {
    const client = createEmbedder(options);
    return { ask: () => client.embed(picture, box), close: () => client.close() };
  },
  enrichment: (options: Options): Client => {
    const client = createEnricher(options);
    return { ask: () => client.enrich({ detection, attributes: {}, embedding_match: null }), close: () => client.close() };
  },
} satisfies Record<Exclude<UpstreamName, "language_model_fallback">, unknown>;

test.each([
  ["detector", detectorStandIn, JSON.stringify({ detections: [] })],
  [
    "language_model",
    languageModelStandIn,
    JSON.stringify({ content: '{"risk_score": 1, "summary": "a", "reasoning": "b", "risk_factors": []}' }),
  ],
  ["vision", visionStandIn, JSON.stringify({ attributes: {} })],
  ["embedder", embedderStandIn, JSON.stringify({ embedding: [0.6, 0.8] })],
  ["enrichment", enrichmentStandIn, JSON.stringify({ attributes: {} })],
] as const)("%s: the trial has all the time that every other call has", async (name, standIn, answer) => {
  let reached = (): void => {};
  const asked = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let ready = (): void => {};
  const needed = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const options: StandInOptions = {
    answer: async () => {
      reached();
      await needed;
      return answer;
    },
  };
  const service = await standIn(options);
  const clock = virtualClock();
  const breaker = new Breaker(name, { clock });
  const client = clients[name]({ url: () => service.url, breaker, clock, log: silentLog, timeoutMs: readTimeoutMs });
  opened.push(service, client);

  await service.setMode("down");
  for (let n = 0; n < 3; n += 1) await client.ask();
  expect(breaker.state().state).toBe("open");
  await service.setMode("ok");
  clock.advance(30_000);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answered = client.ask();
  await asked;
  vi.advanceTimersByTime(neededMs);
  ready();
  expect((await answered).kind).toMatch(/^(detected|judged|answered)$/);
  expect(breaker.state().state).toBe("closed");
});
