import { readFileSync } from "node:fs";
import { afterAll, afterEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { objectTypes } from "../../../src/contract/constants.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector } from "../../../src/monitoring/upstream/detector.ts";
import { createEmbedder } from "../../../src/monitoring/upstream/embedder.ts";
import { createEnricher } from "../../../src/monitoring/upstream/enricher.ts";
import { createLanguageModel } from "../../../src/monitoring/upstream/language-model.ts";
import { createVision } from "../../../src/monitoring/upstream/vision.ts";
import { eventFacts } from "../../monitoring/upstream/event-facts.ts";
import { deepStackStandIn } from "../../support/deepstack.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import {
  detectorStandIn,
  embedderStandIn,
  enrichmentStandIn,
  languageModelStandIn,
  type StandIn,
  type StandInOptions,
  visionStandIn,
} from "../../support/upstream.ts";

/** The requests and answers in docs/services.md match the clients of homesec. */

const page = readFileSync(new URL("../../../docs/services.md", import.meta.url), "utf8");
const folder = temporaryFolder("services");
afterAll(() => folder.remove());
const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A section of the page with its JSON examples: the answer last, the request before it. */
function section(name: string) {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? "";
  const blocks = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([, block = ""]) => block);
  return { text, path: /^`POST (\/\w+)`/m.exec(text)?.[1], request: blocks.at(-2), answer: blocks.at(-1) ?? "" };
}

/** A service that answers like the page, and the options for its client. */
async function service(
  name: "detector" | "language_model" | "vision" | "embedder" | "enrichment",
  make: (options: StandInOptions) => Promise<StandIn>,
  answer: string,
) {
  const standIn = await make({ answer: () => answer });
  opened.push(() => standIn.close());
  const breaker = new Breaker(name, { clock: systemClock });
  return { standIn, options: { url: standIn.url, breaker, clock: systemClock, log: silentLog, timeoutMs: 5_000 } };
}

const picture = { bytes: Buffer.from("a picture"), fileName: "picture.jpg", mediaType: "image/jpeg" };
const box = { x: 412, y: 120, width: 88, height: 240 };

/** The fields of a form that was sent, in alphabetical order. */
const fieldsOf = (body: Buffer | undefined) =>
  [...(body?.toString() ?? "").matchAll(/form-data; name="(\w+)"/g)].map(([, name]) => name).sort();

test("services page: detector", async () => {
  const { text, path, answer } = section("Detector");
  const { standIn, options } = await service("detector", detectorStandIn, answer);
  const detector = createDetector(options);
  opened.push(() => detector.close());
  expect(await detector.detect(picture)).toMatchObject({
    ...{ kind: "detected", leftOut: [], inferenceMs: 41.7, width: 1280, height: 720 },
    detections: [
      { objectType: "person", confidence: 0.91, box: { ...box, y: 121 } },
      { objectType: "dog", confidence: 0.64, box: null },
    ],
  });
  expect(standIn.last).toMatchObject({ path, contentType: expect.stringContaining("multipart/form-data") });
  expect(fieldsOf(standIn.last?.body)).toEqual(["file"]);
  expect(text).toContain(objectTypes.map((type) => `\`${type}\``).join(", "));
});

test("services page: detectors with the API of DeepStack", async () => {
  const { answer } = section("CodeProject.AI, Blue Onyx and DeepStack");
  const standIn = await deepStackStandIn("codeproject", () => ({ body: answer }));
  const breaker = new Breaker("detector", { clock: systemClock });
  const detector = createDetector({ url: standIn.url, breaker, clock: systemClock, log: silentLog });
  opened.push(
    () => standIn.close(),
    () => detector.close(),
  );
  expect(await detector.detect(picture)).toMatchObject({
    ...{ kind: "detected", leftOut: [] },
    detections: [{ objectType: "person", confidence: 0.91, box }],
  });
  expect(section("CodeProject.AI, Blue Onyx and DeepStack").text).toContain(
    `\`image\`, with \`min_confidence=${standIn.lastForm?.get("min_confidence")}\``,
  );
});

test("services page: language model", async () => {
  const { path, request, answer } = section("Language model");
  const { standIn, options } = await service("language_model", languageModelStandIn, answer);
  const model = createLanguageModel(options);
  opened.push(() => model.close());
  expect(await model.judge(eventFacts())).toMatchObject({
    ...{ kind: "judged", analyzedBy: "my-model" },
    verdict: { riskScore: 35, summary: "A person came to the door.", riskFactors: [{ name: "person near", contribution: 25 }] },
  });
  const { prompt, ...given } = JSON.parse(request ?? "");
  const sent = JSON.parse(standIn.last?.body.toString() ?? "");
  expect({ path: standIn.last?.path, ...sent }).toEqual({ path, prompt: expect.stringContaining(prompt.replace(" ...", "")), ...given });
});

test("services page: vision", async () => {
  const { path, answer } = section("Vision");
  const { standIn, options } = await service("vision", visionStandIn, answer);
  const vision = createVision({ ...options, url: () => options.url });
  opened.push(() => vision.close());
  expect(await vision.extract(picture, box)).toEqual({ kind: "answered", value: JSON.parse(answer) });
  expect(standIn.last?.path).toBe(path);
  expect(fieldsOf(standIn.last?.body)).toEqual(["bbox", "file"]);
  expect(standIn.last?.body.toString()).toContain(/'bbox=(\{.*?\})'/.exec(page)?.[1]);
});

test("services page: embedder", async () => {
  const { path, answer } = section("Embedder");
  const { standIn, options } = await service("embedder", embedderStandIn, answer);
  const embedder = createEmbedder({ ...options, url: () => options.url });
  opened.push(() => embedder.close());
  expect(await embedder.embed(picture, box)).toMatchObject({ kind: "answered", value: { length: 4 } });
  expect([standIn.last?.path, fieldsOf(standIn.last?.body)]).toEqual([path, ["bbox", "file"]]);
});

test("services page: enrichment", async () => {
  const { path, request, answer } = section("Enrichment");
  const { standIn, options } = await service("enrichment", enrichmentStandIn, answer);
  const enricher = createEnricher({ ...options, url: () => options.url });
  opened.push(() => enricher.close());
  const question = JSON.parse(request ?? "");
  const detection = { ...question.detection, detected_at: new Date(question.detection.detected_at) };
  expect(await enricher.enrich({ ...question, detection })).toEqual({ kind: "answered", value: JSON.parse(answer).attributes });
  expect(standIn.last?.path).toBe(path);
  expect(JSON.parse(standIn.last?.body.toString() ?? "")).toEqual(question);
});
