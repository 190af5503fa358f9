import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { objectTypes } from "../../../src/contract/constants.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector } from "../../../src/monitoring/upstream/detector.ts";
import { createEmbedder } from "../../../src/monitoring/upstream/embedder.ts";
import { createEnricher } from "../../../src/monitoring/upstream/enricher.ts";
import { createLanguageModel } from "../../../src/monitoring/upstream/language-model.ts";
import { probeHealth } from "../../../src/monitoring/upstream/probe.ts";
import { createVision } from "../../../src/monitoring/upstream/vision.ts";
import { eventFacts } from "../../monitoring/upstream/event-facts.ts";
import { deepStackStandIn } from "../../support/deepstack.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import {
  detectorStandIn,
  embedderStandIn,
  enrichmentStandIn,
  languageModelStandIn,
  type StandIn,
  type StandInOptions,
  verdictText,
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

test("services page: its translator connects a server with /v1/chat/completions", async () => {
  const asked: unknown[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.url === "/v1/models") {
      response.end("{}");
      return;
    }
    asked.push({ url: request.url, ...JSON.parse(Buffer.concat(chunks).toString()) });
    response
      .writeHead(status)
      .end(JSON.stringify({ model: "llama3.1:8b", choices: [{ message: { role: "assistant", content: verdictText(64) } }] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push(() => server.close());
  const script = join(folder.path, "translator.mjs");
  writeFileSync(script, /^```js\n(.*?)^```/ms.exec(page)?.[1] ?? "");
  const port = await freePort();
  const env = { SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, MODEL: "llama3.1", PORT: String(port) };
  const translator = spawn(process.execPath, [script], { env, stdio: "inherit" });
  opened.push(() => translator.kill());
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await probeHealth(url)).healthy);
  const model = createLanguageModel({
    url,
    breaker: new Breaker("language_model", { clock: systemClock }),
    clock: systemClock,
    log: silentLog,
  });
  opened.push(() => model.close());
  expect(await model.judge(eventFacts())).toMatchObject({ kind: "judged", analyzedBy: "llama3.1:8b", verdict: { riskScore: 64 } });
  expect(asked).toMatchObject([{ url: "/v1/chat/completions", model: "llama3.1", max_tokens: 2048, messages: [{ role: "user" }] }]);
  // Events wait with a wrong key, and after too many requests
  for (const [given, reason] of [
    [401, "status"],
    [429, "busy"],
  ] as const) {
    status = given;
    expect(await model.judge(eventFacts())).toMatchObject({ kind: "unavailable", reason });
  }
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
