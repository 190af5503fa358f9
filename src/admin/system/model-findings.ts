import type { z } from "zod";
import type { ModelsProbeReply } from "../../contract/routes/system-models.ts";
import type { Unavailable } from "../../monitoring/upstream/call.ts";
import type { Refused } from "../../monitoring/upstream/model-server.ts";
import type { Config } from "../../platform/config/config.ts";

export type ProbedModel = z.output<typeof ModelsProbeReply>["models"][number];
type Finding = ProbedModel["findings"][number];

/** Observations of a probe that decide on its findings. */
export interface Observed {
  readonly streams: boolean;
  /** The text that held no verdict; undefined if one did. */
  readonly unreadable: string | undefined;
  /** Why the model does not see; undefined if it does. */
  readonly blindness: string | undefined;
  /** Why an event with pictures was not judged; undefined if it was. */
  readonly failure: string | undefined;
}

/** A question with many texts and three pictures, and its answer, in tokens. */
const enoughTokens = 8_192;
/** An alert of a rule with a threshold waits for the judgement. */
const slowSeconds = 60;

/** Says why a model does not answer, and what to do. */
export function unanswered(answer: Refused | Unavailable, prefix: string, { languageModelReadTimeout }: Config): Finding {
  const finding = (text: string, fix: string): Finding => ({ severity: "error", text, fix });
  if (answer.kind === "refused") {
    return finding(
      `It refuses the question: ${answer.detail}`,
      "Give it a larger context, or use a model for chats that follows instructions",
    );
  }
  const { reason, detail } = answer;
  // Such a message has its fix behind a semicolon.
  const [text = "", ...advice] = detail.split("; ");
  if (reason === "status" && advice.length > 0) return finding(capital(text), capital(advice.join("; ")));
  if (/loading its model/.test(detail)) {
    return finding(capital(detail), "Wait until the model is loaded and probe again, or use a smaller model; --timeout waits longer");
  }
  const fixes: Readonly<Record<Unavailable["reason"], string>> = {
    unreachable: `Start the server, or correct ${prefix}_URL`,
    broke_off: "Read the log of the server: it may be out of memory",
    timeout: `Use a smaller model, or raise LANGUAGE_MODEL_READ_TIMEOUT (now ${languageModelReadTimeout} s)`,
    status: `Do what the message says, or correct ${prefix}_URL`,
    unreadable: `Correct ${prefix}_URL or ${prefix}_API: another kind of service answers there`,
    busy: "Give the server more resources, or check the limits of its account",
    breaker_open: "Fix what the message says, and probe again",
  };
  return finding(capital(detail), fixes[reason]);
}

/** The problems and notes about a model that answers. */
export function findingsOf(probed: Omit<ProbedModel, "findings">, observed: Observed, prefix: string, config: Config): readonly Finding[] {
  return [
    ...verdictFindings(observed),
    ...pictureFindings(probed, observed, config),
    ...paceFindings(probed, config),
    ...contextFindings(probed, prefix),
    ...(observed.streams
      ? [note("The server streams its answers although homesec asks for whole ones", "Nothing: homesec joins them")]
      : []),
  ];
}

function verdictFindings({ unreadable, failure }: Observed): readonly Finding[] {
  const said = unreadable?.replace(/\s+/g, " ").trim().slice(0, 120);
  return [
    ...(said === undefined
      ? []
      : [
          error(
            `It answers without a risk assessment. It wrote: ${said}`,
            "Use a model that follows instructions, or supports JSON output",
          ),
        ]),
    ...(failure === undefined ? [] : [error(`It did not judge the example event: ${failure}`, "Do what the message says")]),
  ];
}

function pictureFindings({ sees }: Pick<ProbedModel, "sees">, { blindness }: Observed, config: Config): readonly Finding[] {
  if (config.languageModelPictures === "off") {
    return sees ? [note("It sees pictures, and gets none", "Set LANGUAGE_MODEL_PICTURES=local to show it those of events")] : [];
  }
  if (sees) return [];
  const fix = "Use a model with vision, such as qwen2.5vl:7b, or set LANGUAGE_MODEL_PICTURES=off";
  return [warning(`It does not see pictures, so it judges by text: ${blindness ?? ""}`, fix)];
}

function paceFindings(
  { seconds_per_event: seconds, load_seconds: load }: Omit<ProbedModel, "findings">,
  config: Config,
): readonly Finding[] {
  const { languageModelReadTimeout: limit } = config;
  return [
    ...(load === null
      ? []
      : [
          warning(
            `Loading took ${load} s, longer than LANGUAGE_MODEL_READ_TIMEOUT (${limit} s); events wait meanwhile`,
            "Keep the model in memory (for Ollama: OLLAMA_KEEP_ALIVE=-1), or raise LANGUAGE_MODEL_READ_TIMEOUT",
          ),
        ]),
    ...(seconds === null || seconds <= slowSeconds
      ? []
      : [warning(`An event takes ${seconds} s, and alerts by score wait for it`, "Use a smaller model, or a machine with a GPU")]),
  ];
}

function contextFindings({ context_tokens: context, api }: Omit<ProbedModel, "findings">, prefix: string): readonly Finding[] {
  if (context === null || context >= enoughTokens) return [];
  const fix =
    api === "ollama"
      ? `Use a model with a larger context, and name it in ${prefix}_NAME`
      : "Start the server with a larger context: llama-server -c 16384, vllm serve --max-model-len 16384, or Context Length in LM Studio";
  return [warning(`Its context of ${context} tokens is too small for events with many texts or pictures, so homesec shortens them`, fix)];
}

const error = (text: string, fix: string): Finding => ({ severity: "error", text, fix });
const warning = (text: string, fix: string): Finding => ({ severity: "warning", text, fix });
const note = (text: string, fix: string): Finding => ({ severity: "note", text, fix });
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
