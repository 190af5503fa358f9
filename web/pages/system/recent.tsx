import { alertReceiverRoutes } from "../../../src/contract/routes/alert-receiver.ts";
import { healthRoutes } from "../../../src/contract/routes/system-health.ts";
import { pipelineRoutes } from "../../../src/contract/routes/system-pipeline.ts";
import { useReply } from "../../api/use-reply.ts";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Ago } from "../../texts/format.tsx";
import { Row, Rows } from "./frame.tsx";

/** What changed lately: services that went away and came back, and problems outside of them. */
export function RecentChanges() {
  const { system } = useAdminTexts();
  const { data } = useReply(healthRoutes.getHealth, {}, { everyMs: 10_000 });
  if (!data || data.recent_events.length === 0) return null;
  return (
    <Section title={system.recent}>
      <ul className="rounded-xl border border-line bg-card px-4">
        {data.recent_events.map(({ timestamp, service, event_type, message }) => (
          <li key={`${timestamp.getTime()} ${service} ${event_type}`} className="border-b border-line py-2 last:border-0">
            <p className="break-words">
              <DaemonText>{message}</DaemonText>
            </p>
            <p className="text-sm text-soft">
              {service.replaceAll("_", " ")} · <Ago time={timestamp} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The daemons that share the database. */
export function Daemons() {
  const { system } = useAdminTexts();
  const daemons = useReply(pipelineRoutes.listDaemons, {}, { everyMs: 30_000 });
  return (
    <Section title={system.daemons}>
      <Loaded reply={daemons}>
        {({ daemons: all }) => (
          <Rows>
            {all.map(({ daemon_id, host, pid, version, started_at, roles }) => (
              <Row key={daemon_id} name={host}>
                homesec {version} · {system.started} <Ago time={started_at} />
                <span className="block text-sm text-soft">
                  {system.process(pid)} · {roles.join(", ")}
                </span>
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
    </Section>
  );
}

/** Alerts that another monitoring system sent; nothing where none does. */
export function ReceivedAlerts() {
  const { system } = useAdminTexts();
  const { data } = useReply(alertReceiverRoutes.listReceivedAlerts, { query: { limit: 20 } });
  if (!data || data.items.length === 0) return null;
  return (
    <Section title={system.received}>
      <ul className="rounded-xl border border-line bg-card px-4">
        {data.items.map(({ fingerprint, status, alertname, severity, summary, started_at }) => (
          <li key={`${fingerprint} ${status} ${started_at.getTime()}`} className="border-b border-line py-2 last:border-0">
            <p>
              <span className={`font-semibold ${status === "firing" ? "text-high" : "text-good"}`}>{system.receivedState[status]}</span>
              {` · ${alertname} · ${severity}`}
            </p>
            <p className="text-sm break-words text-soft">
              {summary} · <Ago time={started_at} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
