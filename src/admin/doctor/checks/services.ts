import { pluralize } from "../../../base/text/format.ts";
import { createEmbedder } from "../../../monitoring/upstream/embedder.ts";
import { createEnricher } from "../../../monitoring/upstream/enricher.ts";
import type { EventFacts } from "../../../monitoring/upstream/facts.ts";
import {
  createLanguageModel,
  type Judgement,
  type LanguageModel,
  type LanguageModelOptions,
} from "../../../monitoring/upstream/language-model.ts";
import { homeLanguage, modelSettings } from "../../../monitoring/upstream/model-settings.ts";
import { referenceFacts } from "../../../monitoring/upstream/reference.ts";
import { createVision } from "../../../monitoring/upstream/vision.ts";
import { type Check, finding, NotPossible } from "../check.ts";
import type { Examination } from "../examination.ts";
import { answered, answerTimeoutMs, examplePicture, faulty, probeService } from "../upstreams.ts";

const box = { x: 40, y: 40, width: 80, height: 120 } as const;

const languageModel: Check = {
  id: "language-model",
  group: "upstream",
  title: "Language model",
  severity: "error",
  finds: "The language model cannot be reached, or its answer to an example holds no risk assessment",
  run: (examination, signal) =>
    probeService(
      examination,
      {
        ...{ name: "language_model", url: examination.config().languageModelUrl },
        create: (options) => createLanguageModel({ ...accessTo(examination), ...options }),
        healthOf: (client, timeoutMs) => client.health(timeoutMs),
      },
      async (client) => {
        const result = await judgeExample(client, signal);
        return result.kind === "rejected" ? ({ kind: "refused", detail: result.error } as const) : result;
      },
      (result, service) =>
        result.kind === "judged"
          ? result.note
            ? faulty(service, result.note)
            : answered(service, `${result.analyzedBy} scored the example ${result.verdict.riskScore}`)
          : finding(
              `The language model (${result.analyzedBy}) answers, but without a risk assessment: ${result.error}. It wrote: ${result.answer.replace(/\s+/g, " ").slice(0, 120)}`,
              "Use a model that follows instructions, or supports JSON output; its answers must contain risk_score, summary and reasoning",
            ),
    ),
};

/** How to talk to the configured model; the built-in scorer has the API of docs/services.md. */
function accessTo(examination: Examination): Pick<LanguageModelOptions, "api" | "name" | "key" | "language"> {
  const config = examination.config();
  const { url, ...access } = modelSettings(config, "first");
  return url === undefined ? { api: "completion" } : { ...access, language: homeLanguage(config) };
}

/** An invented event for the language model to assess. It is stored nowhere. */
const exampleFacts: EventFacts = { ...referenceFacts, camera: { id: "homesec-doctor", name: "Example of homesec doctor" } };

/** The client may send two requests; both together get the time limit of one. */
async function judgeExample(client: LanguageModel, signal: AbortSignal): Promise<Judgement> {
  const overdue = AbortSignal.timeout(answerTimeoutMs);
  try {
    return await client.judge(exampleFacts, AbortSignal.any([signal, overdue]));
  } catch (error) {
    if (!overdue.aborted) throw error;
    const detail = `no assessment within ${answerTimeoutMs / 1000} s`;
    return { kind: "unavailable", reason: "timeout", detail, retryAt: new Date(0) };
  }
}

const vision: Check = {
  id: "vision",
  group: "upstream",
  title: "Vision service",
  severity: "warning",
  finds: "The vision service cannot be reached, or its answer to a small picture is wrong",
  run: async (examination, signal) =>
    probeService(
      examination,
      { name: "vision", url: (await extraction(examination)).visionUrl, create: createVision },
      async (client) => client.extract(await examplePicture(), box, signal),
      ({ value }, service) => answered(service, attributesText(value.attributes)),
    ),
};

const embedder: Check = {
  id: "embedder",
  group: "upstream",
  title: "Embedder",
  severity: "warning",
  finds: "The embedder cannot be reached, or answers without a vector",
  run: async (examination, signal) => {
    const { reidEnabled, embedderUrl } = await examination.settings();
    if (!reidEnabled) throw new NotPossible("switched off (REID_ENABLED=false)");
    return await probeService(
      examination,
      { name: "embedder", url: embedderUrl, create: createEmbedder },
      async (client) => client.embed(await examplePicture(), box, signal),
      ({ value }, service) => answered(service, `vectors of ${value.length} numbers`),
    );
  },
};

/** An invented detection for the enrichment service. */
const exampleDetection = { id: 0, camera_id: "homesec-doctor", object_type: "person", confidence: 0.9, bbox: box };

const enrichment: Check = {
  id: "enrichment",
  group: "upstream",
  title: "Enrichment service",
  severity: "warning",
  finds: "The enrichment service cannot be reached, or its answer to an example is wrong",
  run: async (examination, signal) => {
    const detection = { ...exampleDetection, detected_at: examination.clock.now() };
    return await probeService(
      examination,
      { name: "enrichment", url: (await extraction(examination)).enrichmentUrl, create: createEnricher },
      (client) => client.enrich({ detection, attributes: { colour: "grey" }, embedding_match: null }, signal),
      ({ value }, service) => answered(service, attributesText(value)),
    );
  },
};

async function extraction(examination: Examination) {
  const settings = await examination.settings();
  if (!settings.visionExtractionEnabled) throw new NotPossible("switched off (VISION_EXTRACTION_ENABLED=false)");
  return settings;
}

function attributesText(attributes: object): string {
  return pluralize(Object.keys(attributes).length, "attribute");
}

export const serviceChecks: readonly Check[] = [languageModel, vision, embedder, enrichment];
