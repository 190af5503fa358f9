import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { BarTable } from "./bar-table.tsx";
import { type AlertRecord, type Insights, medianAnswerMs } from "./use-insights.ts";

/** Alerts by rule, with the time until someone answered them. */
export function Alerts({ insights: { alerts } }: { readonly insights: Insights }) {
  const more = useMoreTexts();
  const format = useFormat();
  const byRule = new Map<string, AlertRecord[]>();
  for (const alert of alerts.items) {
    // a deleted rule is known by the name it had
    const key = alert.rule_id ?? alert.alert_metadata.rule_name;
    byRule.set(key, [...(byRule.get(key) ?? []), alert]);
  }
  const rows = [...byRule].map(([key, items]) => {
    const answer = medianAnswerMs(items);
    const closed = items.filter(({ status }) => status === "acknowledged" || status === "dismissed").length;
    const detail = more.insights.answers(closed, answer === undefined ? undefined : format.duration(Math.max(1_000, answer)));
    return { key, name: items[0]?.alert_metadata.rule_name ?? key, value: items.length, detail };
  });
  return (
    <BarTable
      title={more.insights.byRule}
      note={alerts.total > alerts.items.length && !alerts.isLoading ? more.insights.newestAlerts(alerts.items.length) : undefined}
      columns={[more.insights.rule, more.insights.alertsTitle]}
      empty={more.insights.noAlerts}
      rows={rows.toSorted((one, other) => other.value - one.value)}
    />
  );
}
