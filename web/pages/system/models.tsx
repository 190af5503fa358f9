import { CircleAlert, Eye, Info, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { z } from "zod";
import { type ModelsProbeReply, modelRoutes } from "../../../src/contract/routes/system-models.ts";
import { useAction } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { useFormat } from "../../texts/format.tsx";
import { Running } from "./selftest.tsx";

type Report = z.output<typeof ModelsProbeReply>;
type Model = Report["models"][number];

const marks = { error: CircleAlert, warning: TriangleAlert, note: Info } as const;
const colours = { error: "text-critical", warning: "text-medium", note: "text-soft" } as const;

/** Asks the language models to judge an example, and says what they can do. */
export function Models() {
  const { models } = useAdminTexts();
  const [report, setReport] = useState<Report>();
  const { run, isRunning, error } = useAction(modelRoutes.probeModels, []);
  const probe = (): void => {
    setReport(undefined);
    run({ query: {} }).then(setReport, () => {});
  };
  return (
    <Section title={models.title}>
      <div className="rounded-xl border border-line bg-card p-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p role="status" className="min-w-0 flex-1 basis-60 text-sm text-soft">
            {isRunning ? <Running text={models.runs} /> : report ? <Summary report={report} /> : models.hint}
          </p>
          <Button look="main" className="min-h-11" isBusy={isRunning} onClick={probe}>
            <Eye aria-hidden size={18} /> {report ? models.again : models.probe}
          </Button>
        </div>
        <Fault error={error} className="mt-2" />
        <ul>
          {report?.models.map((model) => (
            <li key={model.place} className="mt-4 border-t border-line pt-4">
              <Facts model={model} />
              <Findings findings={model.findings} />
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}

function Summary({ report: { models: probed } }: { readonly report: Report }) {
  const { models } = useAdminTexts();
  const isFit = probed.every(({ findings }) => findings.every(({ severity }) => severity === "note"));
  return <>{probed.length === 0 ? models.none : isFit ? models.fit(probed.length) : models.unfit}</>;
}

/** What a model can do, in sentences. */
function Facts({ model }: { readonly model: Model }) {
  const { models } = useAdminTexts();
  const format = useFormat();
  const { place, url, model: name, answers, sees, json_mode, context_tokens, seconds_per_event } = model;
  const facts = [
    seconds_per_event !== null ? models.pace(format.number(seconds_per_event)) : answers ? undefined : models.silent,
    sees === null ? undefined : sees ? models.sees : models.blind,
    json_mode === null ? undefined : models.json[json_mode],
    context_tokens === null ? undefined : models.context(format.number(context_tokens)),
  ];
  return (
    <>
      <p className="font-semibold break-words">
        {models.place[place]}: {name ?? url}
      </p>
      {name !== null && <p className="text-sm break-all text-soft">{url}</p>}
      <p className="mt-1 text-sm">{facts.filter(Boolean).join(" ")}</p>
    </>
  );
}

function Findings({ findings }: { readonly findings: Model["findings"] }) {
  const { models, system } = useAdminTexts();
  return (
    <ul className="mt-2 grid gap-2">
      {findings.map(({ severity, text, fix }) => {
        const Mark = marks[severity];
        return (
          <li key={text}>
            <p className={`flex items-start gap-2 font-medium ${colours[severity]}`}>
              <Mark aria-hidden size={18} className="mt-0.5 shrink-0" />
              <span className="min-w-0 break-words">
                {models.severity[severity]}: <DaemonText>{text}</DaemonText>
              </span>
            </p>
            <p className="pl-6.5 text-sm break-words">
              <span className="font-semibold">{system.fix}</span> <DaemonText>{fix}</DaemonText>
            </p>
          </li>
        );
      })}
    </ul>
  );
}
