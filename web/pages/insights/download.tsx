import { Download as DownloadIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ClientRequest } from "../../../src/contract/client.ts";
import { exportFormats, riskLevels } from "../../../src/contract/constants.ts";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { eventRoutes } from "../../../src/contract/routes/events.ts";
import { type AnyRequest, encodeRequest } from "../../../src/contract/validate.ts";
import { useReply } from "../../api/use-reply.ts";
import { everyCamera } from "../../parts/names.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import { daySpan } from "../day/span.ts";
import type { Period } from "./period.ts";

const field = "min-h-11 rounded-lg border border-line bg-card px-2";

/** Saves the events of a range of days, in the home's zone, as a spreadsheet. */
export function Download({ period }: { readonly period: Period }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const format = useFormat();
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const [from, setFrom] = useState(format.dayCode(period.start));
  const [to, setTo] = useState(format.dayCode(period.end));
  const [camera, setCamera] = useState("");
  const [level, setLevel] = useState("");
  const [kind, setKind] = useState<(typeof exportFormats)[number]>("xlsx");
  const [start, end] = [daySpan(from, format.zone)?.start, daySpan(to, format.zone)?.end];
  const risk = riskLevels.find((each) => each === level);
  const query = {
    format: kind,
    ...(start && { start_date: start }),
    ...(end && { end_date: new Date(end.getTime() - 1) }),
    ...(camera !== "" && { camera_id: [camera] }),
    ...(risk && { risk_level: [risk] }),
    timezone: format.zone,
  };
  return (
    <section aria-label={more.insights.download} className="rounded-xl border border-line bg-card p-4">
      <h2 className="font-semibold">{more.insights.download}</h2>
      <p className="mb-3 text-sm text-soft">{more.insights.downloadNote}</p>
      <div className="flex flex-wrap items-end gap-3">
        <Labelled label={more.people.from}>
          <input type="date" value={from} onChange={({ target }) => setFrom(target.value)} className={field} />
        </Labelled>
        <Labelled label={more.people.to}>
          <input type="date" value={to} onChange={({ target }) => setTo(target.value)} className={field} />
        </Labelled>
        <Labelled label={texts.review.camera}>
          <select value={camera} onChange={({ target }) => setCamera(target.value)} className={`${field} max-w-44`}>
            <option value="">{texts.common.allCameras}</option>
            {data?.cameras.map(({ camera_id, name }) => (
              <option key={camera_id} value={camera_id}>
                {name}
              </option>
            ))}
          </select>
        </Labelled>
        <Labelled label={texts.review.level}>
          <select value={level} onChange={({ target }) => setLevel(target.value)} className={field}>
            <option value="">{texts.common.all}</option>
            {riskLevels.map((each) => (
              <option key={each} value={each}>
                {texts.event.risk[each]}
              </option>
            ))}
          </select>
        </Labelled>
        <Labelled label={more.insights.fileType}>
          <select
            value={kind}
            onChange={({ target }) => setKind(exportFormats.find((each) => each === target.value) ?? "xlsx")}
            className={field}
          >
            <option value="xlsx">{more.insights.excel}</option>
            <option value="csv">CSV</option>
          </select>
        </Labelled>
        <Save query={query} fileName={`homesec-events-${from}-${to}.${kind}`} />
      </div>
    </section>
  );
}

function Labelled({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label className="flex flex-col gap-1 text-sm">
      {label}
      {children}
    </label>
  );
}

interface SaveProps {
  readonly query: NonNullable<ClientRequest<typeof eventRoutes.exportEvents>["query"]>;
  readonly fileName: string;
}

/** A link that the browser saves while it arrives. */
function Save({ query, fileName }: SaveProps) {
  const more = useMoreTexts();
  const { path, query: encoded } = encodeRequest(eventRoutes.exportEvents, { query } as AnyRequest);
  return (
    <a
      href={`${path}?${encoded}`}
      download={fileName}
      className="inline-flex min-h-11 items-center gap-2 rounded-lg bg-accent px-4 font-medium text-on-accent hover:underline"
    >
      <DownloadIcon aria-hidden size={18} /> {more.insights.save}
    </a>
  );
}
