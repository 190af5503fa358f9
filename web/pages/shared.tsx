import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { ClientReply } from "../../src/contract/client.ts";
import { Problem } from "../../src/contract/problem.ts";
import { shareEnds, shareRoutes } from "../../src/contract/routes/shares.ts";
import { call } from "../api/client.ts";
import { classNames } from "../parts/names.tsx";
import { OpenPage } from "../parts/open-page.tsx";
import { Risk } from "../parts/risk.tsx";
import { Failure } from "../parts/states.tsx";
import { DaemonText } from "../texts/daemon-text.tsx";
import { Ago, FormatIn, useFormat } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";
import { Filmstrip, useChosen } from "./event/filmstrip.tsx";
import type { Picture } from "./event/pictures.ts";

type SharedEvent = ClientReply<typeof shareRoutes.getShared>;

/** One event for a visitor without an account: its pictures, verdict, summary and times, and nothing else of the home. */
export default function SharedPage() {
  const texts = useTexts();
  const { shared } = useMoreTexts();
  const token = useParams()["token"] ?? "";
  const { data, error, refetch } = useQuery({
    queryKey: [shareRoutes.getShared.path, token],
    queryFn: ({ signal }) => call(shareRoutes.getShared, { params: { token } }, signal),
    // each request counts as a view
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data) {
    return (
      <FormatIn zone={data.time_zone}>
        <Shown event={data} />
      </FormatIn>
    );
  }
  if (!error) return <OpenPage title="homesec">{texts.common.loading}</OpenPage>;
  const end = endOf(error);
  if (end === undefined) {
    return (
      <OpenPage title="homesec">
        <Failure error={error} onRetry={() => void refetch()} />
      </OpenPage>
    );
  }
  return (
    <OpenPage title={shared.ends[end]}>
      <p className="text-soft">{end === "unknown" ? shared.incomplete : shared.askAgain}</p>
    </OpenPage>
  );
}

/** Why a link shows nothing; undefined for other errors. */
function endOf(error: Error): keyof typeof shareEnds | "unknown" | undefined {
  if (!(error instanceof Problem)) return undefined;
  if (error.kind === "not_found" || error.kind === "invalid") return "unknown";
  return (["revoked", "expired", "deleted"] as const).find((end) => error.message.startsWith(shareEnds[end]));
}

function Shown({ event }: { readonly event: SharedEvent }) {
  const texts = useTexts();
  const { shared } = useMoreTexts();
  const format = useFormat();
  const what = event.kind === "event" ? classNames(texts, event.object_types) : texts.event.incident;
  const ms = event.ended_at.getTime() - event.started_at.getTime();
  const pictures = event.pictures.map(
    ({ taken_at, image_url, thumbnail_url, video_url, objects }): Picture => ({
      ...{ key: image_url, at: taken_at, image: image_url, thumbnail: thumbnail_url, blurHash: null, video: video_url, objects },
    }),
  );
  const chosen = useChosen(pictures);
  return (
    <OpenPage title={`${what.charAt(0).toUpperCase()}${what.slice(1)} ${texts.event.at(event.camera)}`.trim()} isWide>
      <p className="text-lg">{event.summary === "" ? texts.event.summaryPending : <DaemonText>{event.summary}</DaemonText>}</p>
      <p className="mt-1 mb-4 flex flex-wrap items-center gap-x-3">
        {event.kind === "event" && <Risk level={event.risk_level} score={event.risk_score} failed={event.analysis_status === "failed"} />}
        <span className="text-sm">{format.exact(event.started_at)}</span>
        <Ago time={event.started_at} className="text-sm text-soft" />
        {ms >= 1000 && <span className="text-sm text-soft">{texts.event.lasted(format.duration(ms))}</span>}
      </p>
      {pictures.length > 0 ? (
        <Filmstrip pictures={pictures} chosen={chosen} />
      ) : (
        event.kind === "event" && <p className="text-soft">{shared.noPictures}</p>
      )}
      <p className="mt-6 border-t border-line pt-3 text-sm text-soft">{shared.until(format.time(event.expires_at))}</p>
    </OpenPage>
  );
}
