import { Link } from "wouter";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import type { Insights } from "./use-insights.ts";

/** Each camera: its events now and before, on how many days it saw something, and how long it sent no pictures. */
export function Cameras({ insights }: { readonly insights: Insights }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const format = useFormat();
  const { uptime, events, eventsBefore, gaps, gapDays } = insights;
  const countOf = (reply: typeof events, id: string): number =>
    reply.data?.events_by_camera.find(({ camera_id }) => camera_id === id)?.event_count ?? 0;
  const head = "px-2 py-1 text-right font-normal first:pl-0 first:text-left";
  const cell = "px-2 py-2 text-right tabular-nums";
  return (
    <div className="overflow-x-auto rounded-xl border border-line bg-card p-4">
      <table className="w-full min-w-[34rem] text-sm">
        <thead>
          <tr className="text-soft">
            <th className={head}>{texts.review.camera}</th>
            <th className={head}>{more.insights.eventsTitle}</th>
            <th className={head}>{more.insights.before}</th>
            <th className={head}>{more.insights.detectionsTitle}</th>
            <th className={head}>{more.insights.activeDays}</th>
            <th className={head}>{more.insights.silentTime(gapDays)}</th>
          </tr>
        </thead>
        <tbody>
          {uptime.data?.cameras.map(({ camera_id, camera_name, uptime_percentage, detection_count }) => {
            const own = gaps.data?.cameras.find((each) => each.camera_id === camera_id)?.gaps ?? [];
            const silentMs = own.reduce((sum, gap) => sum + gap.ended_at.getTime() - gap.started_at.getTime(), 0);
            return (
              <tr key={camera_id} className="border-t border-line">
                <th scope="row" className="py-2 text-left font-medium">
                  <Link href={`/cameras/${encodeURIComponent(camera_id)}`} className="text-accent underline-offset-4 hover:underline">
                    {camera_name}
                  </Link>
                </th>
                <td className={cell}>{format.number(countOf(events, camera_id))}</td>
                <td className={`${cell} text-soft`}>{format.number(countOf(eventsBefore, camera_id))}</td>
                <td className={cell}>{format.number(detection_count)}</td>
                <td className={cell}>{format.percent(uptime_percentage / 100)}</td>
                <td className={`${cell} ${silentMs > 0 ? "text-medium" : "text-soft"}`}>
                  {silentMs > 0 ? `${format.duration(silentMs)} (${own.length})` : "–"}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
