import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Command } from "../command.ts";
import { rowsCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { seconds } from "../input/options.ts";
import { fieldsOf, type RowView } from "../output/view.ts";

type Model = ReplyOf<"probeModels">["models"][number];

const yesOrNo = (value: boolean | null) =>
  ({ text: value === null ? "" : value ? "yes" : "no", paint: value === false ? "yellow" : undefined }) as const;
const count = (value: number | null, unit = "") => ({ text: value === null ? "unknown" : `${value}${unit}` });

const modelView: RowView<Model> = {
  plural: "models",
  fields: fieldsOf("probeModels", "models"),
  id: ({ place }) => place,
  columns: [
    { title: "ASKED", keep: true, cell: ({ place }) => ({ text: place }) },
    { title: "MODEL", keep: true, cell: ({ model, url }) => ({ text: model ?? url }) },
    { title: "API", cell: ({ api }) => ({ text: api ?? "unknown" }) },
    { title: "ANSWERS", keep: true, cell: ({ answers }) => yesOrNo(answers) },
    { title: "SEES", cell: ({ sees }) => yesOrNo(sees) },
    { title: "JSON", cell: ({ json_mode }) => ({ text: json_mode ?? "" }) },
    { title: "CONTEXT", align: "right", cell: ({ context_tokens }) => count(context_tokens) },
    { title: "PER EVENT", align: "right", cell: ({ seconds_per_event }) => count(seconds_per_event, " s") },
  ],
};

export const commands: readonly Command[] = [
  rowsCommand({
    name: "models probe",
    summary: "Test what the language models can do",
    description: `Asks each configured language model to judge an example event, to read a number in a picture, and for the size of its context. The
example shows nothing of your home, and nothing is stored. Exits with 0 if every model is fit, with 7 if one has a problem or does not
answer, and with 6 if no daemon answers.`,
    options: { timeout: seconds(5, 900, "Time limit for each model (default 180s)") },
    examples: [
      { command: "homesec models probe", note: "both models, with what to fix" },
      { command: "homesec models probe --timeout 10m -o json", note: "a large model that loads, for a script" },
    ],
    view: modelView,
    body: (io, { options: { timeout } }) => io.call("probeModels", { query: { timeout_seconds: timeout } }),
    rows: ({ models }) => models,
    after: async (io, { models }) => {
      if (models.length === 0) io.output.note("no language model is configured, so the built-in scorer judges; set LANGUAGE_MODEL_URL");
      for (const { place, findings } of models)
        for (const { severity, text, fix } of findings) io.output.note(`${place}: ${severity}: ${text}\n  ${fix}`);
      if (io.global.direct) return;
      // The models of .env are not those that were asked until homesec restarts
      const { recent_events: events } = await io.call("getHealth", {});
      for (const { event_type: type, message } of events) if (type === "restart_needed") io.output.note(`homesec: ${message}`);
    },
    exitCode: ({ models }) =>
      models.some(({ findings }) => findings.some(({ severity }) => severity !== "note")) ? exitCodes.findings : exitCodes.ok,
  }),
];
