import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { silentLog } from "../../base/log/log.ts";
import { packageRoot } from "../../base/version.ts";
import type { ModelsProbeReply } from "../../contract/routes/system-models.ts";
import { cropAround } from "../../monitoring/detections/crop.ts";
import { readAnswer } from "../../monitoring/upstream/answer.ts";
import { Breaker } from "../../monitoring/upstream/breaker.ts";
import type { Unavailable } from "../../monitoring/upstream/call.ts";
import type { EventFacts } from "../../monitoring/upstream/facts.ts";
import { type Completed, ModelServer, type Refused } from "../../monitoring/upstream/model-server.ts";
import { homeLanguage, type ModelPlace, type ModelSettings, modelSettings } from "../../monitoring/upstream/model-settings.ts";
import type { Picture } from "../../monitoring/upstream/multipart.ts";
import { writePrompt } from "../../monitoring/upstream/prompt.ts";
import { referenceFacts } from "../../monitoring/upstream/reference.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { findingsOf, type Observed, type ProbedModel, unanswered } from "./model-findings.ts";

type Reply = z.output<typeof ModelsProbeReply>;

/** An invented event. It is stored nowhere. */
const exampleFacts: EventFacts = { ...referenceFacts, camera: { id: "homesec-probe", name: "Example of homesec" } };
const tokens = 2_048;
/** Between two questions to a server that loads its model. */
const loadPollMs = 2_000;
/** People in a picture of the demo. */
const boxes = [
  { x: 350, y: 130, width: 60, height: 140 },
  { x: 560, y: 180, width: 60, height: 140 },
] as const;

/** Asks each configured model an example event, and what it can do. Nothing is stored, and no breaker counts it. */
export async function probeModels(context: OperationContext, timeoutMs: number): Promise<Reply> {
  const { config } = context;
  const models: ProbedModel[] = [];
  // One after the other: they may share a machine, and the seconds count.
  for (const place of ["first", "fallback"] as const) {
    const settings = modelSettings(config, place);
    if (settings.url !== undefined) models.push(await probeModel(context, place, { ...settings, url: settings.url }, timeoutMs));
  }
  return { pictures: config.languageModelPictures, models };
}

async function probeModel(
  { config, clock, caller }: OperationContext,
  place: ModelPlace,
  settings: ModelSettings & { readonly url: string },
  timeoutMs: number,
): Promise<ProbedModel> {
  const breaker = new Breaker(place === "first" ? "language_model" : "language_model_fallback", { clock });
  // The example shows nothing of this home, so it may go anywhere.
  const server = new ModelServer({ ...settings, pictures: "anywhere", breaker, clock, log: silentLog });
  const end = performance.now() + timeoutMs;
  const limitMs = config.languageModelReadTimeout * 1_000;
  const language = homeLanguage(config);
  const signal = caller?.gone;
  const ask = async (pictures: readonly Picture[]) => {
    const question = {
      ...{
        prompt: (shortness: number, shown: number) =>
          shortness > 0 ? undefined : writePrompt(exampleFacts, { language, pictures: shown }),
      },
      ...{ tokens, pictures, isVerdict: true, timeoutMs: Math.max(1_000, Math.min(limitMs, end - performance.now())) },
    };
    return await server.ask(question, writePrompt(referenceFacts), signal);
  };
  try {
    const { answer, loadSeconds } = await untilLoaded(server, () => ask([]), end, signal);
    const { api = null, model } = server.facts() ?? {};
    const known = { place, url: settings.url, api, model: model ?? null, load_seconds: loadSeconds };
    if (answer.kind !== "completed") {
      const nothing = { answers: false, sees: null, json_mode: null, context_tokens: null, seconds_per_event: null };
      return { ...known, ...nothing, findings: [unanswered(answer, settings.prefix, config)] };
    }
    return await abilities({ server, ask, first: answer, known, prefix: settings.prefix, limitMs, config, ...(signal && { signal }) });
  } finally {
    await server.close();
  }
}

/** Asks until the server has loaded its model, or the time is over. */
async function untilLoaded(
  server: ModelServer,
  ask: () => Promise<Completed | Refused | Unavailable>,
  end: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly answer: Completed | Refused | Unavailable; readonly loadSeconds: number | null }> {
  const startedAt = performance.now();
  const first = await ask();
  if (server.loadingMs() === undefined) return { answer: first, loadSeconds: null };
  while (server.loadingMs() !== undefined && performance.now() < end) {
    await sleep(Math.min(loadPollMs, Math.max(50, end - performance.now())), undefined, { ...(signal && { signal }) });
  }
  const loadSeconds = Math.round((performance.now() - startedAt) / 100) / 10;
  return { answer: server.loadingMs() === undefined ? await ask() : first, loadSeconds };
}

interface Abilities {
  readonly server: ModelServer;
  readonly ask: (pictures: readonly Picture[]) => Promise<Completed | Refused | Unavailable>;
  /** The answer to the first question. */
  readonly first: Completed;
  readonly known: Pick<ProbedModel, "place" | "url" | "api" | "model" | "load_seconds">;
  readonly prefix: string;
  readonly limitMs: number;
  readonly config: OperationContext["config"];
  readonly signal?: AbortSignal;
}

/** Finds out what a model can do that answers. */
async function abilities({ server, ask, first, known, prefix, limitMs, config, signal }: Abilities): Promise<ProbedModel> {
  const reading = readAnswer(first.content);
  const sight = await server.look(limitMs, writePrompt(referenceFacts), signal);
  const startedAt = performance.now();
  const event = await ask(sight.kind === "sees" ? await examplePictures() : []);
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  const facts = server.facts();
  const probed: Omit<ProbedModel, "findings"> = {
    ...known,
    model: facts?.model ?? (first.model || known.model),
    answers: reading.ok,
    sees: sight.kind === "sees",
    json_mode: facts?.api === "completion" ? "text" : (facts?.traits.format ?? null),
    context_tokens: (await server.context(limitMs, signal)) ?? null,
    seconds_per_event: event.kind === "completed" ? seconds : null,
  };
  const observed: Observed = {
    streams: first.isStreamed,
    unreadable: reading.ok ? undefined : first.content,
    blindness: sight.kind === "sees" ? undefined : (server.blindness() ?? ("detail" in sight ? sight.detail : "")),
    failure: event.kind === "completed" ? undefined : event.detail,
  };
  return { ...probed, findings: [...findingsOf(probed, observed, prefix, config)] };
}

/** Two parts of a picture of the demo, as large as those of a real event. */
async function examplePictures(): Promise<readonly Picture[]> {
  const whole = await readFile(join(packageRoot(), "demo", "pictures", "walkway-0060.jpg"));
  const crops: Picture[] = [];
  for (const box of boxes) crops.push({ ...(await cropAround(whole, box)), fileName: "homesec-example.jpg", mediaType: "image/jpeg" });
  return crops;
}
