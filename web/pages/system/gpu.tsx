import { gpuRoutes } from "../../../src/contract/routes/system-gpu.ts";
import { useReply } from "../../api/use-reply.ts";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { Row, Rows } from "./frame.tsx";

/** The graphics card now, and its load over the last day. */
export function Gpu() {
  const { system } = useAdminTexts();
  const format = useFormat();
  const stats = useReply(gpuRoutes.getGpuStats, {}, { everyMs: 10_000 });
  const said = (value: number | null, unit: string): string => (value === null ? system.unknown : `${format.number(value)} ${unit}`);
  return (
    <Section title={system.gpu}>
      <Loaded reply={stats}>
        {(gpu) =>
          gpu.gpu_name === null ? (
            <p className="text-soft">{system.noGpu}</p>
          ) : (
            <>
              <Rows>
                <Row name={system.gpuName}>{gpu.gpu_name}</Row>
                <Row name={system.load}>{said(gpu.utilization, "%")}</Row>
                <Row name={system.memory}>
                  {gpu.memory_used === null ? system.unknown : `${format.number(gpu.memory_used)} / ${said(gpu.memory_total, "MiB")}`}
                </Row>
                <Row name={system.temperature}>{said(gpu.temperature, "°C")}</Row>
                <Row name={system.power}>{said(gpu.power_usage, "W")}</Row>
                <Row name={system.speed}>{said(gpu.inference_fps, system.perSecond)}</Row>
                {(gpu.throttle_reasons ?? []).length > 0 && <Row name={system.throttled}>{gpu.throttle_reasons?.join(", ")}</Row>}
              </Rows>
              <Load />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

const height = 40;

/** The load of the last 24 hours as a line. */
function Load() {
  const { system } = useAdminTexts();
  const { data } = useReply(gpuRoutes.getGpuHistory, { query: { hours: 24, interval: "15m" } }, { everyMs: 60_000 });
  const loads = data?.items.flatMap(({ utilization }) => (utilization === null ? [] : [utilization])) ?? [];
  if (loads.length < 2) return null;
  const points = loads.map((load, at) => `${(at * 100) / (loads.length - 1)},${height - (load * height) / 100}`).join(" ");
  return (
    <figure className="mt-3">
      <figcaption className="text-sm text-soft">{system.dayLoad(Math.round(Math.max(...loads)))}</figcaption>
      <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden className="h-24 w-full rounded-lg bg-raised">
        <polyline points={points} fill="none" stroke="var(--color-accent)" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
      </svg>
    </figure>
  );
}
