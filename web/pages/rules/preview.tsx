import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type { z } from "zod";

import { draftDays, ruleDraftRoutes } from "../../../src/contract/routes/rule-drafts.ts";
import { useReply } from "../../api/use-reply.ts";
import { EventRow } from "../../parts/event-row.tsx";
import { useModeNames } from "../../parts/names.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import { type Draft, restMs, useSettled } from "./draft.ts";

type Trial = z.output<typeof ruleDraftRoutes.backtestDefinition.reply>;

/** What the rule would have done, as the form stands. */
export interface Preview {
  readonly reply: UseQueryResult<Trial>;
  /** The mode that the trial assumes; undefined for the modes as they were. */
  readonly mode: string | undefined;
  /** The reply is about an earlier state of the form. */
  readonly isOld: boolean;
}

/** Maximum number of alerts and of near misses with their pictures. */
const listed = 12;

/** Tries the draft on the last month whenever it has rested for a moment. A run that is no longer wanted is cancelled. */
export function usePreview(draft: Draft): Preview {
  const format = useFormat();
  // to the hour, so that a draft that was tried before is found again
  const start = useMemo(() => new Date(Math.floor(Date.now() / 3_600_000 - draftDays * 24) * 3_600_000), []);
  // the name changes nothing, and a rule that is off would alert if it were on
  const tried = JSON.stringify({ ...draft, name: "draft", enabled: true });
  const settled = useSettled(tried, restMs);
  const definition = JSON.parse(settled) as Draft;
  // The history of modes says little about a rule for a mode that was seldom chosen
  const mode = definition.modes?.[0];
  const body = { definition, mode, start_date: start, timezone: format.zone, limit: listed };
  const reply = useReply(ruleDraftRoutes.backtestDefinition, { body }, { keepsPrevious: true });
  return { reply, mode, isOld: settled !== tried || reply.isPlaceholderData };
}

/** The alerts that the rule would have raised, and the events that it just missed. */
export function PreviewResult({ preview: { reply, isOld, mode }, kind }: { readonly preview: Preview; readonly kind: Draft["kind"] }) {
  const texts = useTexts();
  const modeName = useModeNames();
  const { rules } = useMoreTexts();
  const { data, error } = reply;
  return (
    <section
      aria-labelledby="preview"
      aria-busy={isOld}
      className="scroll-mt-4 lg:sticky lg:top-4 lg:-mx-2 lg:max-h-[calc(100dvh-2rem)] lg:overflow-y-auto lg:px-2"
    >
      <h2 id="preview" className="mb-2 text-lg font-semibold">
        {rules.tested(draftDays)}
      </h2>
      {error && !isOld ? (
        <p className="rounded-xl border border-line bg-card p-4">
          {rules.cannotTry}: <span className="text-soft">{texts.fault(error)}</span>
        </p>
      ) : data ? (
        <div className={isOld ? "opacity-60" : ""}>
          <Result trial={data} kind={kind} />
          {mode !== undefined && <p className="mt-2 text-sm text-soft">{rules.triedIn(modeName(mode))}</p>}
        </div>
      ) : (
        <p className="min-h-40 text-soft">{rules.testing}</p>
      )}
    </section>
  );
}

/** More alerts a day than this are more than a person reads. */
const manyPerDay = 10;

function Result({ trial, kind }: { readonly trial: Trial; readonly kind: Draft["kind"] }) {
  const { rules } = useMoreTexts();
  const format = useFormat();
  const { alerts_after_cooldown: count, events_matched: matched } = trial.tested;
  const perDay = Math.round(count / draftDays);
  if (trial.events_tested === 0) return <p className="text-soft">{kind === "event" ? rules.noHistory : rules.noTrouble}</p>;
  return (
    <>
      <p className="text-xl font-semibold">{rules.wouldHave(count, draftDays)}</p>
      {matched > count && <p className="mt-1 text-sm text-soft">{rules.heldBack(matched - count)}</p>}
      {!trial.complete && <p className="mt-1 text-sm text-soft">{rules.onlyNewest(format.number(trial.events_tested))}</p>}
      {perDay >= manyPerDay && <p className="mt-1 text-sm font-medium text-medium">{rules.tooMany(perDay)}</p>}
      {count > 0 && <Days trial={trial} />}
      <div className="mt-3 grid gap-1">
        {trial.alerts.map(({ event, raised_at }) => (
          <EventRow key={`${event.id} ${raised_at.getTime()}`} event={event} />
        ))}
      </div>
      {count > trial.alerts.length && <p className="mt-1 px-2 text-sm text-soft">{rules.moreAlerts(count - trial.alerts.length)}</p>}
      <NearMisses misses={trial.near_misses} />
    </>
  );
}

/** A bar for each day. */
function Days({ trial }: { readonly trial: Trial }) {
  const { rules } = useMoreTexts();
  const format = useFormat();
  const counts = new Map(trial.tested.days.map(({ date, alerts }) => [date, alerts]));
  const most = Math.max(1, ...counts.values());
  const days = Array.from({ length: draftDays }, (_, index) => new Date(trial.end_date.getTime() - (draftDays - 1 - index) * 86_400_000));
  const busiest = [...counts].toSorted(([, one], [, other]) => other - one)[0];
  const label = busiest ? `${rules.perDay}. ${rules.onDay(format.day(new Date(`${busiest[0]}T12:00:00Z`)), busiest[1])}` : rules.perDay;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${draftDays * 10} 44`}
      preserveAspectRatio="none"
      className="mt-3 h-14 w-full text-accent"
    >
      <line x1="0" x2={draftDays * 10} y1="43.5" y2="43.5" stroke="currentColor" strokeOpacity="0.4" vectorEffect="non-scaling-stroke" />
      {days.map((day, index) => {
        const alerts = counts.get(format.dayCode(day)) ?? 0;
        const height = (alerts / most) * 40;
        return (
          <rect key={day.getTime()} x={index * 10 + 1.5} y={43 - height} width="7" height={height} fill="currentColor">
            <title>{rules.onDay(format.day(day), alerts)}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** The events that fail only one condition: what a change of the rule would add. */
function NearMisses({ misses }: { readonly misses: Trial["near_misses"] }) {
  const { rules } = useMoreTexts();
  if (misses.count === 0) return null;
  return (
    <details className="mt-4 rounded-xl border border-line bg-card p-3">
      <summary className="py-1 font-medium">
        {rules.nearMisses(misses.count)}
        <span className="block text-sm font-normal text-soft">
          {misses.fields.map(({ field, count }) => rules.missed[field](count)).join(", ")}
        </span>
      </summary>
      <p className="mt-2 text-sm text-soft">{rules.nearMissesHint}</p>
      {misses.events.map(({ event, field }) => (
        <div key={event.id}>
          <EventRow event={event} />
          <p className="px-2 pb-2 text-sm text-soft">{rules.why[field]}</p>
        </div>
      ))}
    </details>
  );
}
