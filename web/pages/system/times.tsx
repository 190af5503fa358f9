import { pipelineRoutes } from "../../../src/contract/routes/system-pipeline.ts";
import { useReply } from "../../api/use-reply.ts";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { Row, Rows } from "./frame.tsx";

interface Latency {
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly sample_count: number;
}

/** How long each stage took in the last hour. */
export function Times() {
  const { system } = useAdminTexts();
  const between = useReply(pipelineRoutes.getPipelineLatency, {}, { everyMs: 30_000 });
  const { data } = useReply(pipelineRoutes.getTelemetry, {}, { everyMs: 3_000 });
  return (
    <Section title={system.times}>
      <Loaded reply={between} waiting={<div className="h-72" />}>
        {({ watch_to_detect, total_pipeline }) => (
          <Rows>
            <Row name={system.time.detect}>
              <Duration latency={data?.latencies.detect ?? null} />
            </Row>
            <Row name={system.time.found}>
              <Duration latency={watch_to_detect} />
            </Row>
            <Row name={system.time.analyze}>
              <Duration latency={data?.latencies.analyze ?? null} />
            </Row>
            <Row name={system.time.total}>
              <Duration latency={total_pipeline} />
            </Row>
            <Row name={system.time.requests}>
              <Duration latency={data && requestTimes(data.api_requests)} />
            </Row>
          </Rows>
        )}
      </Loaded>
    </Section>
  );
}

/** The times of requests have the median and the 99th percentile only. */
function requestTimes({ total, p50_ms, p99_ms }: { total: number; p50_ms: number | null; p99_ms: number | null }): Latency | null {
  return p50_ms === null || p99_ms === null ? null : { p50_ms, p95_ms: p99_ms, sample_count: total };
}

function Duration({ latency }: { readonly latency: Latency | null | undefined }) {
  const { system } = useAdminTexts();
  const format = useFormat();
  if (!latency) return <span className="text-soft">{system.noTimes}</span>;
  const said = (ms: number): string => (ms < 10_000 ? `${format.number(Math.round(ms))} ms` : format.duration(ms));
  return (
    <>
      {system.usually(said(latency.p50_ms))}
      <span className="block text-sm text-soft">{system.slowest(said(latency.p95_ms), format.number(latency.sample_count))}</span>
    </>
  );
}
