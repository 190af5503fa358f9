import { Check, CircleDashed, FlaskConical, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { z } from "zod";
import { type SelftestReply, selftestRoutes } from "../../../src/contract/routes/system-selftest.ts";
import { useAction } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { useFormat } from "../../texts/format.tsx";

type Report = z.output<typeof SelftestReply>;

const icons = { passed: Check, failed: X, not_reached: CircleDashed } as const;
const colours = { passed: "text-good", failed: "text-critical", not_reached: "text-soft" } as const;

/** Sends a picture through all stages and shows how far it came. */
export function Selftest() {
  const { system } = useAdminTexts();
  const [report, setReport] = useState<Report>();
  const { run, isRunning, error } = useAction(selftestRoutes.runSelftest, []);
  const start = (): void => {
    setReport(undefined);
    run({}).then(setReport, () => {});
  };
  return (
    <Section title={system.selftest}>
      <div className="rounded-xl border border-line bg-card p-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p
            role="status"
            className={report ? `font-medium ${report.status === "passed" ? "text-good" : "text-critical"}` : "text-sm text-soft"}
          >
            {isRunning ? <Running text={system.selftestRuns} /> : report ? <DaemonText>{report.message}</DaemonText> : system.selftestHint}
          </p>
          <Button look="main" className="min-h-11" isBusy={isRunning} onClick={start}>
            <FlaskConical aria-hidden size={18} /> {system.selftestRun}
          </Button>
        </div>
        <Fault error={error} className="mt-2" />
        {report && <Stages report={report} />}
      </div>
    </Section>
  );
}

/** Says for how long a test has been running. */
export function Running({ text }: { readonly text: (duration: string) => string }) {
  const format = useFormat();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <>{text(format.duration(seconds * 1_000))}</>;
}

function Stages({ report }: { readonly report: Report }) {
  const { system } = useAdminTexts();
  const format = useFormat();
  return (
    <ol className="mt-3 grid gap-1">
      {report.stages.map(({ name, status, took_ms, detail }) => {
        const Icon = icons[status];
        return (
          <li key={name} className="flex items-start gap-2">
            <Icon aria-hidden size={18} className={`mt-0.5 shrink-0 ${colours[status]}`} />
            <span className="min-w-0">
              {system.selftestStage[name]}: <span className={colours[status]}>{system.selftestState[status]}</span>
              {took_ms !== null && <span className="text-sm text-soft"> · {format.number(Math.round(took_ms))} ms</span>}
              {detail !== null && (
                <span className="block text-sm break-words text-soft">
                  <DaemonText>{detail}</DaemonText>
                </span>
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
