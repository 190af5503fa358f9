import { z } from "zod";
import { routesOf } from "../route.ts";
import { IntText } from "../values.ts";

const route = routesOf("system");

/** Something about a model that a person should know. A note needs no action. */
const ModelFinding = z
  .object({
    severity: z.enum(["error", "warning", "note"]).meta({ description: "How much it matters" }),
    text: z.string().meta({ description: "What is wrong" }),
    fix: z.string().meta({ description: "What to do" }),
  })
  .meta({
    id: "ModelFinding",
    description: "A problem of a language model",
    example: { severity: "warning", text: "The model does not see pictures: it refuses pictures", fix: "Use a model with vision" },
  });

const ProbedModel = z
  .object({
    place: z.enum(["first", "fallback"]).meta({ description: "`first`, or `fallback`: asked while the first does not answer" }),
    url: z.string().meta({ description: "Its address", example: "http://192.168.1.20:11434" }),
    api: z.string().nullable().meta({ description: "API, as configured or found out; null if unknown", example: "ollama" }),
    model: z.string().nullable().meta({ description: "Name of the model; null if unknown", example: "qwen2.5vl:7b" }),
    answers: z.boolean().meta({ description: "Whether it judges an example event", example: true }),
    sees: z.boolean().nullable().meta({ description: "Whether it reads a number in a picture; null if it does not answer", example: true }),
    json_mode: z
      .enum(["schema", "object", "text"])
      .nullable()
      .meta({ description: "How its answers are bound to JSON: by a schema, as any object, or by the prompt alone; null if unknown" }),
    context_tokens: z
      .int()
      .nullable()
      .meta({ description: "Size of its context in tokens; null if the server does not say", example: 8192 }),
    seconds_per_event: z
      .number()
      .nullable()
      .meta({ description: "Seconds for an example event, with two pictures if it sees; null without an answer", example: 4.2 }),
    load_seconds: z
      .number()
      .nullable()
      .meta({ description: "Seconds that it loaded beyond the time limit of an answer; null for most", example: null }),
    findings: z.array(ModelFinding).meta({ description: "Problems and notes" }),
  })
  .meta({ id: "ProbedModel", description: "What a language model can do" });

export const ModelsProbeReply = z
  .object({
    pictures: z.enum(["off", "local", "anywhere"]).meta({ description: "`LANGUAGE_MODEL_PICTURES`", example: "local" }),
    models: z.array(ProbedModel).meta({ description: "The configured models; empty while the built-in scorer judges" }),
  })
  .meta({ id: "ModelsProbe", description: "What the configured language models can do" });

export const modelRoutes = {
  probeModels: route.post("/api/system/models/probe", "Ask the configured language models what they can do", {
    slow: true,
    query: z.object({
      timeout_seconds: IntText(5, 900).default(180).meta({ description: "Time limit for each model, in seconds" }),
    }),
    reply: ModelsProbeReply,
  }),
};
