import { baselineRoutes } from "../../../src/contract/routes/baselines.ts";
import { useReply } from "../../api/use-reply.ts";
import { Loaded } from "../../parts/states.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useLocale, useTexts } from "../../texts/texts.tsx";

/** Monday, 5 January 2026: the week begins with it. */
const monday = Date.UTC(2026, 0, 5);

const days = Array.from({ length: 7 }, (_, day) => day);
const hours = Array.from({ length: 24 }, (_, hour) => hour);

/** What is usual at a camera, by hour of the week. */
export function Activity({ cameraId }: { readonly cameraId: string }) {
  const texts = useTexts();
  const format = useFormat();
  const activity = useReply(baselineRoutes.getActivityBaseline, { params: { camera_id: cameraId } });
  const weekday = new Intl.DateTimeFormat(useLocale(), { weekday: "short", timeZone: "UTC" });
  return (
    <Loaded reply={activity}>
      {({ entries }) => {
        const most = Math.max(0, ...entries.map(({ avg_count }) => avg_count));
        if (most === 0) return <p className="text-soft">{texts.camera.notLearned}</p>;
        const countAt = new Map(entries.map(({ day_of_week, hour, avg_count }) => [day_of_week * 24 + hour, avg_count]));
        return (
          <>
            <p className="mb-2 text-sm text-soft">{texts.camera.activityHint}</p>
            <table className="w-full table-fixed border-separate border-spacing-px text-xs">
              <tbody>
                {days.map((day) => (
                  <tr key={day}>
                    <th scope="row" className="w-8 text-left font-normal text-soft">
                      {weekday.format(monday + day * 86_400_000)}
                    </th>
                    {hours.map((hour) => {
                      const count = countAt.get(day * 24 + hour) ?? 0;
                      return (
                        <td key={hour} title={`${hour}:00: ${format.number(count)}`} className="bg-raised p-0">
                          <span className="block h-5 bg-accent" style={{ opacity: count / most }}>
                            <span className="sr-only">{format.number(Math.round(count * 10) / 10)}</span>
                          </span>
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        );
      }}
    </Loaded>
  );
}
