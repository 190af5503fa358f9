import type { EventFacts } from "../../../monitoring/upstream/facts.ts";
import {
  createLanguageModel,
  type Judgement,
  type LanguageModel,
  type LanguageModelOptions,
} from "../../../monitoring/upstream/language-model.ts";
import { homeLanguage, type ModelPlace, modelSettings } from "../../../monitoring/upstream/model-settings.ts";
import { isNearModel } from "../../../monitoring/upstream/picture-rule.ts";
import { referenceFacts } from "../../../monitoring/upstream/reference.ts";
import { type Check, finding, NotPossible, type Outcome, ok, skipped } from "../check.ts";
import type { Examination } from "../examination.ts";
import { resolveWithGetent } from "../names.ts";
import { answered, answerTimeoutMs, faulty, probeService, type Service } from "../upstreams.ts";

const languageModel: Check = {
  id: "language-model",
  group: "upstream",
  title: "Language model",
  severity: "error",
  finds: "The language model cannot be reached, or its answer to an example holds no risk assessment",
  run: async (examination, signal) => await conversation("first", examination, signal),
};

const secondModel: Check = {
  id: "language-model-fallback",
  group: "upstream",
  title: "Second language model",
  severity: "warning",
  finds: "The model at LANGUAGE_MODEL_FALLBACK_URL cannot be reached, or its answer to an example holds no risk assessment",
  run: async (examination, signal) => {
    if (examination.config().languageModelFallbackUrl === undefined) throw new NotPossible("LANGUAGE_MODEL_FALLBACK_URL is not set");
    return await conversation("fallback", examination, signal);
  },
};

/** Has a model judge an example. */
async function conversation(place: ModelPlace, examination: Examination, signal: AbortSignal): Promise<Outcome> {
  return await probeService(
    examination,
    {
      name: upstreamOf[place],
      url: modelSettings(examination.config(), place).url,
      create: (options) => createLanguageModel({ ...accessTo(examination, place), ...options }),
      healthOf: (client, timeoutMs) => client.health(timeoutMs),
    },
    async (client) => {
      const result = await withinTime(signal, (limited) => client.judge(exampleFacts, limited));
      return result.kind === "rejected" ? ({ kind: "refused", detail: result.error } as const) : result;
    },
    outcomeOf,
  );
}

const upstreamOf = { first: "language_model", fallback: "language_model_fallback" } as const;

function outcomeOf(result: Extract<Judgement, { kind: "judged" | "unreadable" }>, service: Service): Outcome | Promise<Outcome> {
  if (result.kind === "unreadable")
    return finding(
      `The language model (${result.analyzedBy}) answers, but without a risk assessment: ${result.error}. It wrote: ${result.answer.replace(/\s+/g, " ").slice(0, 120)}`,
      "Use a model that follows instructions, or supports JSON output; its answers must contain risk_score, summary and reasoning",
    );
  if (result.note) return faulty(service, result.note);
  return answered(service, `${result.analyzedBy} scored the example ${result.verdict.riskScore}`);
}

/** How to talk to the configured model; the built-in scorer has the API of docs/services.md. */
function accessTo(examination: Examination, place: ModelPlace): Pick<LanguageModelOptions, "api" | "name" | "key" | "prefix" | "language"> {
  const config = examination.config();
  const { url, ...access } = modelSettings(config, place);
  return url === undefined ? { api: "completion" } : { ...access, language: homeLanguage(config) };
}

/** An invented event for the language model to assess. It is stored nowhere. */
const exampleFacts: EventFacts = { ...referenceFacts, camera: { id: "homesec-doctor", name: "Example of homesec doctor" } };

/** The client may send several requests; all together get the time limit of one. */
async function withinTime<T>(signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>) {
  const overdue = AbortSignal.timeout(answerTimeoutMs);
  try {
    return await work(AbortSignal.any([signal, overdue]));
  } catch (error) {
    if (!overdue.aborted) throw error;
    const detail = `no assessment within ${answerTimeoutMs / 1000} s`;
    return { kind: "unavailable", reason: "timeout", detail, retryAt: new Date(0) } as const;
  }
}

const pictures: Check = {
  id: "model-pictures",
  group: "upstream",
  title: "Pictures to language models",
  severity: "warning",
  finds: "Pictures of events go to an address outside of your network, or to a model that does not see",
  run: async (examination, signal) => {
    const { languageModelPictures: rule, languageModelUrl } = examination.config();
    if (rule === "off") throw new NotPossible("no pictures are shown to language models (LANGUAGE_MODEL_PICTURES=off)");
    if (languageModelUrl === undefined) throw new NotPossible("the built-in scorer sees no pictures");
    return await Promise.all((["first", "fallback"] as const).map((place) => picturesTo(place, examination, signal)));
  },
};

/** Where the pictures for one model go, and whether it sees them. */
async function picturesTo(place: ModelPlace, examination: Examination, signal: AbortSignal): Promise<Outcome> {
  const config = examination.config();
  const { url, name } = modelSettings(config, place);
  if (url === undefined) return skipped("");
  const { host } = new URL(url);
  if (!(await isNearModel(url, name, resolveWithGetent(examination.machine)))) {
    if (config.languageModelPictures === "local") return ok(`${host} is outside of your network and gets none`);
    return finding(
      `Pictures of events go to ${host}, outside of your network`,
      "LANGUAGE_MODEL_PICTURES=local keeps them at home; if you want this, --skip model-pictures hides the warning",
    );
  }
  return await probeService(
    examination,
    {
      name: upstreamOf[place],
      url,
      create: (options) => createLanguageModel({ ...accessTo(examination, place), ...options, pictures: "local" }),
      healthOf: (client, timeoutMs) => client.health(timeoutMs),
    },
    async (client: LanguageModel) => await withinTime(signal, (limited) => client.look(limited)),
    (sight) =>
      sight.kind === "sees"
        ? ok(`the model at ${host} sees`)
        : finding(
            `The language model at ${host} does not see pictures, so it judges by text: ${sight.detail}`,
            "Use a model with vision, such as qwen2.5vl:7b, or set LANGUAGE_MODEL_PICTURES=off; homesec models probe says more",
          ),
  );
}

export const languageModelChecks: readonly Check[] = [languageModel, secondModel, pictures];
