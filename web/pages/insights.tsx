import { useMemo, useState } from "react";
import { Page, Section } from "../parts/page.tsx";
import { ParamChoice, useParam } from "../parts/param-choice.tsx";
import { Failure } from "../parts/states.tsx";
import { useFormat } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { Alerts } from "./insights/alerts.tsx";
import { Cameras } from "./insights/cameras.tsx";
import { Changes } from "./insights/changes.tsx";
import { Download } from "./insights/download.tsx";
import { DetectionFigures, EventFigures } from "./insights/figures.tsx";
import { type Period, periodLengths, periodOf } from "./insights/period.ts";
import { useInsights } from "./insights/use-insights.ts";
import { useWeek, WeekTable } from "./insights/week.tsx";

/** The last days in numbers, sentences and charts. The length of the period stands in the address. */
export default function InsightsPage() {
  const more = useMoreTexts();
  const { zone } = useFormat();
  const [asked] = useParam("days");
  const days = periodLengths.find((each) => String(each) === asked) ?? 7;
  // one moment for all requests, so that their numbers fit each other
  const [now] = useState(() => new Date());
  const period = useMemo(() => periodOf(days, now, zone), [days, now, zone]);
  const options = periodLengths.filter((each) => each !== 7).map((each) => [String(each), more.insights.days(each)] as const);
  const choice = <ParamChoice name="days" label={more.insights.period} first={more.insights.days(7)} options={options} />;
  return (
    <Page title={more.insights.title} actions={choice}>
      <Shown key={`${days} ${zone}`} period={period} />
    </Page>
  );
}

function Shown({ period }: { readonly period: Period }) {
  const more = useMoreTexts();
  const insights = useInsights(period);
  const week = useWeek(period);
  const failed = Object.values(insights).find((reply) => typeof reply === "object" && "error" in reply && reply.error && !reply.data);
  const hasFailed = typeof failed === "object" && "error" in failed;
  return (
    <>
      {hasFailed && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
      <Changes insights={insights} week={week} period={period} />
      <Section title={more.insights.eventsTitle}>
        <div className="grid gap-4 lg:grid-cols-2">
          <EventFigures insights={insights} />
          <WeekTable week={week} />
        </div>
      </Section>
      <Section title={more.insights.detectionsTitle}>
        <div className="grid gap-4 lg:grid-cols-2">
          <DetectionFigures insights={insights} />
        </div>
      </Section>
      <Section title={more.insights.camerasTitle}>
        <Cameras insights={insights} />
      </Section>
      <Section title={more.insights.alertsTitle}>
        <Alerts insights={insights} />
      </Section>
      <Download period={period} />
    </>
  );
}
