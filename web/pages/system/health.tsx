import { healthRoutes } from "../../../src/contract/routes/system-health.ts";
import { pipelineRoutes } from "../../../src/contract/routes/system-pipeline.ts";
import { For } from "../../api/use-may.tsx";
import { useReply } from "../../api/use-reply.ts";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Doctor } from "./doctor.tsx";
import { Row, Rows, SystemFrame } from "./frame.tsx";
import { Models } from "./models.tsx";
import { Daemons, ReceivedAlerts, RecentChanges } from "./recent.tsx";
import { SealedDays } from "./sealed-days.tsx";

const colours = { healthy: "text-good", degraded: "text-medium", unhealthy: "text-critical", unknown: "text-soft" } as const;

/** Whether homesec itself works, part by part, and what is wrong with the installation. */
export default function HealthPage() {
  return (
    <SystemFrame>
      <div className="gap-6 lg:grid lg:grid-cols-2">
        <div>
          <Health />
          <Workers />
        </div>
        <RecentChanges />
      </div>
      <For who="owner">
        <Doctor />
        <SealedDays />
        <Models />
      </For>
      <ReceivedAlerts />
      <Daemons />
    </SystemFrame>
  );
}

function State({ state, message }: { readonly state: keyof typeof colours; readonly message?: string | null }) {
  const { system } = useAdminTexts();
  return (
    <>
      <span className={`font-semibold ${colours[state]}`}>{system.state[state]}</span>
      {state !== "healthy" && message && (
        <span className="block text-sm text-soft">
          <DaemonText>{message}</DaemonText>
        </span>
      )}
    </>
  );
}

function Health() {
  const { system } = useAdminTexts();
  const health = useReply(healthRoutes.getFullHealth, {}, { everyMs: 10_000 });
  return (
    <Section title={system.health}>
      <Loaded reply={health} waiting={<div className="h-96" />}>
        {({ status, message, database, store, ai_services, version }) => (
          <Rows>
            <Row name="homesec">
              <State state={status} message={message} />
              <span className="block text-sm text-soft">{system.version(version)}</span>
            </Row>
            <Row name={system.database}>
              <State state={database.status} message={database.message} />
            </Row>
            <Row name={system.store}>
              <State state={store.status} message={store.message} />
            </Row>
            {ai_services.map(({ name, display_name, status: its, error, note }) => (
              <Row key={name} name={system.service[name as keyof typeof system.service] ?? display_name}>
                <State state={its} message={error ?? note} />
                {its === "healthy" && note && (
                  <span className="block text-sm break-words text-soft">
                    <DaemonText>{note}</DaemonText>
                  </span>
                )}
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
    </Section>
  );
}

/** The parts that run in the background. They are folded as long as all run. */
function Workers() {
  const { system } = useAdminTexts();
  const { data } = useReply(pipelineRoutes.listWorkers, {}, { everyMs: 10_000 });
  if (!data) return null;
  const stopped = data.workers.filter(({ running }) => !running);
  return (
    <details open={stopped.length > 0} className="mb-8">
      <summary className={`min-h-11 py-2 font-medium ${stopped.length > 0 ? "text-critical" : ""}`}>
        {system.workers(data.workers.length - stopped.length, data.workers.length)}
      </summary>
      <Rows>
        {[...stopped, ...data.workers.filter(({ running }) => running)].map(({ name, running, message }) => (
          <Row key={name} name={system.workerNames[name] ?? name.replaceAll("_", " ")}>
            <span className={running ? "text-good" : "text-critical"}>{running ? system.running : system.stopped}</span>
            {message && (
              <span className="block text-sm text-soft">
                <DaemonText>{message}</DaemonText>
              </span>
            )}
          </Row>
        ))}
      </Rows>
    </details>
  );
}
