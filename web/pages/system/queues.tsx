import { pipelineRoutes } from "../../../src/contract/routes/system-pipeline.ts";
import { useReply } from "../../api/use-reply.ts";
import { useCameraNames } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Ago, useFormat } from "../../texts/format.tsx";
import { Row, Rows } from "./frame.tsx";

/** What waits in each stage. */
export function Queues() {
  const { system } = useAdminTexts();
  const format = useFormat();
  const nameOf = useCameraNames();
  const pipeline = useReply(pipelineRoutes.getPipeline, {}, { everyMs: 3_000 });
  const telemetry = useReply(pipelineRoutes.getTelemetry, {}, { everyMs: 3_000 });
  return (
    <Section title={system.queues}>
      <Loaded reply={pipeline} waiting={<div className="h-72" />}>
        {({ detection_worker, analysis_worker, batch_aggregator }) => (
          <Rows>
            <Row name={system.stage.detect}>
              <Counts {...detection_worker} />
            </Row>
            <Row name={system.stage.batch}>
              {system.openEvents(batch_aggregator.active_batches)}
              {batch_aggregator.batches.map(({ batch_id, camera_id, detection_count, age_seconds }) => (
                <span key={batch_id} className="block text-sm text-soft">
                  {system.openEvent(nameOf(camera_id), detection_count, format.duration(age_seconds * 1000))}
                </span>
              ))}
            </Row>
            <Row name={system.stage.analyze}>
              <Counts {...analysis_worker} />
            </Row>
            <Row name={system.stage.deliver}>{telemetry.data && system.waiting(telemetry.data.queues.delivery_queue)}</Row>
            <Row name={system.live}>{telemetry.data && system.clients(telemetry.data.websocket.connected_clients)}</Row>
          </Rows>
        )}
      </Loaded>
    </Section>
  );
}

interface CountsProps {
  readonly running: boolean;
  readonly waiting: number;
  readonly deferred: number;
  readonly in_progress: number;
  readonly dead: number;
  readonly oldest_waiting_seconds: number | null;
}

function Counts({ running, waiting, deferred, in_progress, dead, oldest_waiting_seconds }: CountsProps) {
  const { system } = useAdminTexts();
  const format = useFormat();
  const parts = [
    system.waiting(waiting),
    in_progress > 0 && system.inProgress(in_progress),
    deferred > 0 && system.deferred(deferred),
    oldest_waiting_seconds !== null && oldest_waiting_seconds >= 1 && system.oldest(format.duration(oldest_waiting_seconds * 1000)),
  ];
  return (
    <>
      {!running && <span className="block font-semibold text-critical">{system.stopped}</span>}
      {parts.filter(Boolean).join(" · ")}
      {dead > 0 && <span className="block text-sm text-high">{system.dead(dead)}</span>}
    </>
  );
}

/** Where pictures are expected, and the files and folders that homesec does not read, with the reason of each. */
export function Watcher() {
  const { system } = useAdminTexts();
  const nameOf = useCameraNames();
  const pipeline = useReply(pipelineRoutes.getPipeline, {}, { everyMs: 3_000 });
  return (
    <Section title={system.folders}>
      <Loaded reply={pipeline} waiting={<div className="h-40" />}>
        {({ file_watcher: { camera_root, pending, stuck, passed_over = [] } }) => (
          <>
            <p className="text-sm">
              {system.root} <code className="font-mono break-all">{camera_root}</code>
            </p>
            <p className="mb-2 text-sm text-soft">{system.pending(pending)}</p>
            <ul className="grid gap-2">
              {stuck.map(({ path, reason, since }) => (
                <li key={path} className="rounded-xl border border-line bg-card p-3">
                  <p className="font-mono text-sm break-all">{path}</p>
                  <p className="text-sm break-words">
                    <DaemonText>{reason}</DaemonText>
                  </p>
                  <p className="text-sm text-soft">
                    {system.since} <Ago time={since} />
                  </p>
                </li>
              ))}
              {passed_over.map(({ kind, camera_id, count, path, reason }) => (
                <li key={`${kind} ${camera_id}`} className="rounded-xl border border-line bg-card p-3">
                  <p className="font-medium">
                    {system.passedOver(count)}
                    {camera_id !== null && ` · ${nameOf(camera_id)}`}
                  </p>
                  <p className="font-mono text-sm break-all">{path}</p>
                  <p className="text-sm break-words text-soft">
                    <DaemonText>{reason}</DaemonText>
                  </p>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Section>
  );
}
