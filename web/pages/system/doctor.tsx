import { CircleAlert, Stethoscope, TriangleAlert } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import type { z } from "zod";
import { type DoctorReply, doctorRoutes } from "../../../src/contract/routes/system-doctor.ts";
import { useAction } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { useFormat } from "../../texts/format.tsx";

type Report = z.output<typeof DoctorReply>;
type Check = Report["checks"][number];

/** Checks the installation and says how to fix what it finds. `?check=1` in the address starts it. */
export function Doctor() {
  const { system } = useAdminTexts();
  const format = useFormat();
  const [address, setAddress] = useSearchParams();
  const [report, setReport] = useState<Report>();
  const { run, isRunning, error } = useAction(doctorRoutes.getDoctorReport, []);
  const check = useCallback(() => void run({}).then(setReport, () => {}), [run]);
  const isAsked = address.get("check") === "1";
  useEffect(() => {
    if (isAsked) check();
  }, [isAsked, check]);
  return (
    <Section title={system.doctor}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status" className="text-sm text-soft">
          {isRunning
            ? system.checking
            : report
              ? system.checked(report.ok, report.findings, format.time(report.checked_at))
              : system.doctorHint}
        </p>
        <Button
          look="main"
          isBusy={isRunning}
          className="min-h-11"
          onClick={() => (isAsked ? check() : setAddress({ check: "1" }, { replace: true }))}
        >
          <Stethoscope aria-hidden size={18} /> {report ? system.checkAgain : system.check}
        </Button>
      </div>
      <Fault error={error} className="mt-2" />
      {report && <Findings checks={report.checks} />}
    </Section>
  );
}

function Findings({ checks }: { readonly checks: readonly Check[] }) {
  const { system } = useAdminTexts();
  const found = checks.flatMap(({ id, title, findings }) => findings.map((finding, at) => ({ ...finding, id: `${id} ${at}`, title })));
  const sorted = found.toSorted((a, b) => Number(b.severity === "error") - Number(a.severity === "error"));
  return (
    <div className="mt-4">
      <ul className="grid gap-3 lg:grid-cols-2">
        {sorted.map(({ id, title, severity, finding, remedy }) => (
          <li key={id} className={`rounded-xl border bg-card p-4 ${severity === "error" ? "border-critical" : "border-line"}`}>
            <p className={`flex items-center gap-2 font-semibold ${severity === "error" ? "text-critical" : "text-medium"}`}>
              {severity === "error" ? <CircleAlert aria-hidden size={18} /> : <TriangleAlert aria-hidden size={18} />}
              {system.severity[severity]}: <DaemonText>{title}</DaemonText>
            </p>
            <p className="mt-1 break-words">
              <DaemonText>{finding}</DaemonText>
            </p>
            <p className="mt-2 text-sm break-words">
              <span className="font-semibold">{system.fix}</span> <DaemonText>{remedy}</DaemonText>
            </p>
          </li>
        ))}
      </ul>
      <Others title={system.okChecks} checks={checks.filter(({ status }) => status === "ok")} />
      <Others title={system.skippedChecks} checks={checks.filter(({ status }) => status === "skipped")} />
    </div>
  );
}

/** Checks that found nothing, folded. */
function Others({ title, checks }: { readonly title: (count: number) => string; readonly checks: readonly Check[] }) {
  if (checks.length === 0) return null;
  return (
    <details className="mt-3">
      <summary className="min-h-11 py-2 font-medium">{title(checks.length)}</summary>
      <dl className="rounded-xl border border-line bg-card px-4">
        {checks.map(({ id, title: name, detail }) => (
          <div key={id} className="border-b border-line py-2 last:border-0">
            <dt className="font-medium">
              <DaemonText>{name}</DaemonText>
            </dt>
            {detail !== null && (
              <dd className="text-sm break-words text-soft">
                <DaemonText>{detail}</DaemonText>
              </dd>
            )}
          </div>
        ))}
      </dl>
    </details>
  );
}
