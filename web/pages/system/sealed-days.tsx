import { CircleAlert, FileCheck } from "lucide-react";
import { type SubmitEvent, useState } from "react";
import type { ClientReply } from "../../../src/contract/client.ts";
import { evidenceRoutes } from "../../../src/contract/routes/evidence.ts";
import { useAction } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Fault } from "../../parts/fault.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";

type Chain = ClientReply<typeof evidenceRoutes.checkEvidenceChain>;

/** A time of a day that is on the same day in most zones. */
const noonOf = (day: string): Date => new Date(`${day}T12:00:00Z`);

/** Few enough for a page: the terminal checks all. */
const days = 30;

/** Compares the days of the last month with their seals, on request: it reads all of their records. */
export function SealedDays() {
  const { system } = useAdminTexts();
  const { sealed } = system;
  const format = useFormat();
  const [noted, setNoted] = useState("");
  const [result, setResult] = useState<{ readonly chain: Chain; readonly at: Date }>();
  const { run, isRunning, error } = useAction(evidenceRoutes.checkEvidenceChain, []);
  const check = (submitted: SubmitEvent): void => {
    submitted.preventDefault();
    const against = noted.replaceAll(/\s/g, "");
    run({ query: { days, ...(against !== "" && { against }) } }).then(
      (chain) => setResult({ chain, at: new Date() }),
      () => {},
    );
  };
  const said = (): string => {
    if (isRunning) return system.checking;
    if (!result) return sealed.hint;
    const { chain, at } = result;
    if (!chain.is_unchanged) return sealed.changed(chain.findings.length, format.time(at));
    return chain.head ? sealed.unchanged(chain.days, format.day(noonOf(chain.head.day)), format.time(at)) : sealed.none;
  };
  return (
    <Section title={sealed.title}>
      <form onSubmit={check} className="rounded-xl border border-line bg-card p-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p
            role="status"
            className={`min-w-0 flex-1 basis-64 text-sm ${result && !isRunning ? `font-medium ${result.chain.is_unchanged ? "text-good" : "text-critical"}` : "text-soft"}`}
          >
            {said()}
          </p>
          <Button type="submit" look="main" className="min-h-11" isBusy={isRunning}>
            <FileCheck aria-hidden size={18} /> {result ? system.checkAgain : system.check}
          </Button>
        </div>
        <Fault error={error} className="mt-2" />
        {result && !isRunning && <Findings chain={result.chain} />}
        <details className="mt-3">
          <summary className="min-h-11 py-2 text-sm font-medium">{sealed.noted}</summary>
          <TextField name="against" label={sealed.noted} hint={sealed.notedHint} value={noted} onText={setNoted} maxLength={100} />
        </details>
      </form>
    </Section>
  );
}

function Findings({ chain }: { readonly chain: Chain }) {
  const { sealed } = useAdminTexts().system;
  const format = useFormat();
  return (
    <>
      <ul className="mt-3 grid gap-2">
        {chain.findings.map(({ day, table, kind, expected, present }) => (
          <li key={`${day} ${table} ${kind}`} className="flex items-start gap-2 text-sm">
            <CircleAlert aria-hidden size={18} className="mt-0.5 shrink-0 text-critical" />
            <span className="min-w-0 break-words">
              <span className="font-semibold">
                {format.day(noonOf(day))}
                {table !== null && `, ${sealed.tables[table] ?? table}`}
              </span>
              : {sealed.finding[kind](expected ?? 0, present ?? 0)}
            </span>
          </li>
        ))}
      </ul>
      {chain.noted_day !== null && <p className="mt-2 text-sm">{sealed.fits(format.day(noonOf(chain.noted_day)))}</p>}
      {chain.unreadable_days > 0 && <p className="mt-2 text-sm text-soft">{sealed.unreadable(chain.unreadable_days)}</p>}
      {chain.head && (
        <div className="mt-3 text-sm">
          <p className="font-medium">{sealed.newest}</p>
          <CopyText label={sealed.newest} text={chain.head.hash} />
        </div>
      )}
    </>
  );
}
