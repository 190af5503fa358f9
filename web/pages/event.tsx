import { Link, useLocation, useParams } from "wouter";
import type { z } from "zod";
import { alertRoutes } from "../../src/contract/routes/alerts.ts";
import { type EventWithDetections, eventRoutes } from "../../src/contract/routes/events.ts";
import { For, useMay } from "../api/use-may.tsx";
import { useAction, useReply } from "../api/use-reply.ts";
import { useKeys } from "../keys/keys.tsx";
import { type AlertRecord, AlertRow } from "../parts/alert-row.tsx";
import { Button } from "../parts/button.tsx";
import { MuteButton } from "../parts/mute.tsx";
import { classNames, useCameraNames } from "../parts/names.tsx";
import { isOpen, useAlertActions } from "../parts/open-alerts.ts";
import { Page, Section } from "../parts/page.tsx";
import { Risk } from "../parts/risk.tsx";
import { Empty, Loaded, Missing } from "../parts/states.tsx";
import { useToast } from "../parts/toast.tsx";
import { DaemonText } from "../texts/daemon-text.tsx";
import { Ago, useFormat } from "../texts/format.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Described } from "./event/described.tsx";
import { Explanation } from "./event/explanation.tsx";
import { Filmstrip, useChosen } from "./event/filmstrip.tsx";
import { IgnoreButton } from "./event/ignore.tsx";
import { Neighbours, useNeighbours } from "./event/neighbours.tsx";
import { Notes } from "./event/notes.tsx";
import { picturesOf } from "./event/pictures.ts";
import { RuleLink } from "./event/rule-link.tsx";
import { ShareButton } from "./event/share.tsx";
import { useSilence } from "./silence-hour.ts";

/** An event with its detections, as the API returns it. */
export type FullEvent = z.output<typeof EventWithDetections>;

/** One event or incident: its pictures first, then the verdict, then why. */
export default function EventPage() {
  const id = Number(useParams()["id"]);
  const event = useReply(eventRoutes.getEvent, { params: { event_id: id } }, { enabled: Number.isSafeInteger(id) });
  if (!Number.isSafeInteger(id)) return <Missing />;
  return <Loaded reply={event}>{(data) => <Shown key={data.id} event={data} />}</Loaded>;
}

function Shown({ event }: { readonly event: FullEvent }) {
  const texts = useTexts();
  const nameOf = useCameraNames();
  const actions = useEventActions(event);
  const neighbours = useNeighbours(event);
  const [, go] = useLocation();
  const silence = useSilence();
  const alerts = useEventAlerts(event);
  const { acknowledge } = useAlertActions();
  const mayReview = useMay("resident");
  const mayRemove = useMay("owner");
  const pictures = picturesOf(event.detections);
  const chosen = useChosen(pictures);
  useKeys({
    acknowledge: () => {
      const open = alerts.filter(isOpen).map(({ id }) => id);
      if (open.length > 0) void acknowledge(open);
    },
    next: () => neighbours.later && go(`/events/${neighbours.later.id}`),
    previous: () => neighbours.earlier && go(`/events/${neighbours.earlier.id}`),
    ...(mayReview && { reviewed: actions.toggleReviewed, silence: () => void silence(event.camera_id) }),
    ...(mayRemove && { dismiss: actions.remove }),
  });
  const what = event.kind === "event" ? classNames(texts, event.object_types) : texts.event.incident;
  const title = `${what ? `${what.charAt(0).toUpperCase()}${what.slice(1)} ` : ""}${texts.event.at(nameOf(event.camera_id))}`;
  return (
    <Page title={title} hideTitle>
      {event.deleted_at && <Empty title={texts.event.deleted} />}
      <div className="gap-x-6 lg:grid lg:grid-cols-[3fr_2fr] lg:grid-rows-[auto_1fr]">
        <div className="min-w-0">
          {event.detections.length > 0 && <Filmstrip pictures={pictures} chosen={chosen} />}
          <Verdict event={event} what={what} />
          <div className="mb-6 flex flex-wrap gap-2">
            <For who="resident">
              <Button look={event.reviewed ? "plain" : "main"} onClick={actions.toggleReviewed}>
                {event.reviewed ? texts.event.markUnreviewed : texts.event.markReviewed}
              </Button>
            </For>
            <For who="resident">
              {!event.deleted_at && <Button onClick={actions.togglePinned}>{event.pinned ? texts.event.unpin : texts.event.pin}</Button>}
            </For>
            <For who="owner">{event.kind === "event" && <Button onClick={actions.reanalyse}>{texts.event.reanalyse}</Button>}</For>
            <MuteButton cameraId={event.camera_id} />
            {!event.deleted_at && <ShareButton eventId={event.id} />}
            {!event.deleted_at && <IgnoreButton picture={chosen.picture} />}
            <For who="owner">
              <Button look="danger" onClick={actions.remove}>
                {texts.event.remove}
              </Button>
            </For>
          </div>
        </div>
        <div className="min-w-0 lg:col-start-2 lg:row-span-2 lg:row-start-1">
          <EventAlerts alerts={alerts} />
          <Described picture={chosen.picture} />
          <Reasons event={event} />
          <For who="resident">
            <Notes event={event} />
            <Explanation eventId={event.id} />
          </For>
          <RuleLink event={event} name={title} />
        </div>
        <Neighbours neighbours={neighbours} />
      </div>
    </Page>
  );
}

function useEventActions(event: FullEvent) {
  const texts = useTexts();
  const toast = useToast();
  const [, go] = useLocation();
  const params = { params: { event_id: event.id } };
  const changed = [eventRoutes.getEvent, eventRoutes.listEvents];
  const update = useAction(eventRoutes.updateEvent, changed);
  const remove = useAction(eventRoutes.deleteEvent, changed);
  const restore = useAction(eventRoutes.restoreEvent, changed);
  const reanalyse = useAction(eventRoutes.reanalyzeEvent, [eventRoutes.getEvent]);
  const say = (error: unknown): void => toast(texts.fault(error));
  const setReviewed = (reviewed: boolean): void => {
    const text = reviewed ? texts.review.marked(1) : texts.review.unmarked(1);
    update.run({ ...params, body: { reviewed } }).then(() => toast(text, () => setReviewed(!reviewed)), say);
  };
  const setPinned = (pinned: boolean): void => {
    const text = pinned ? texts.event.pinnedNow : texts.event.unpinnedNow;
    update.run({ ...params, body: { pinned } }).then(() => toast(text, () => setPinned(!pinned)), say);
  };
  return {
    toggleReviewed: () => setReviewed(!event.reviewed),
    togglePinned: () => setPinned(!event.pinned),
    remove: () =>
      void remove.run(params).then(() => {
        toast(texts.review.removed(1), () => void restore.run(params).then(() => go(`/events/${event.id}`), say));
        go("/review");
      }, say),
    reanalyse: () => void reanalyse.run(params).then(() => toast(texts.event.reanalysing), say),
  };
}

/** What happened, where, when and how bad, in one glance. */
function Verdict({ event, what }: { readonly event: FullEvent; readonly what: string }) {
  const texts = useTexts();
  const format = useFormat();
  const nameOf = useCameraNames();
  const ms = event.ended_at.getTime() - event.started_at.getTime();
  return (
    <div className="my-4">
      <p className="text-xl font-semibold">
        <Link href={`/cameras/${encodeURIComponent(event.camera_id)}`} className="underline-offset-4 hover:underline">
          {nameOf(event.camera_id)}
        </Link>
        {what && <span className="font-normal text-soft"> · {what}</span>}
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-3">
        {event.kind === "event" && <Risk level={event.risk_level} score={event.risk_score} failed={event.analysis_status === "failed"} />}
        <span className="text-sm">{format.exact(event.started_at)}</span>
        <Ago time={event.started_at} className="text-sm text-soft" />
        {ms >= 1000 && <span className="text-sm text-soft">{texts.event.lasted(format.duration(ms))}</span>}
      </p>
      {event.pinned_at && (
        <p className="mt-1 text-sm text-soft">{texts.event.pinnedBy(event.pinned_by ?? "", format.exact(event.pinned_at))}</p>
      )}
      <p className="mt-2">{event.summary === "" ? texts.event.summaryPending : <DaemonText>{event.summary}</DaemonText>}</p>
    </div>
  );
}

function useEventAlerts(event: FullEvent): readonly AlertRecord[] {
  const enabled = useMay("resident");
  return useReply(alertRoutes.listAlerts, { query: { event_id: event.id, limit: 20 } }, { enabled }).data?.items ?? [];
}

function EventAlerts({ alerts }: { readonly alerts: readonly AlertRecord[] }) {
  const texts = useTexts();
  if (alerts.length === 0) return null;
  return (
    <Section title={texts.alerts.title}>
      {alerts.map((alert) => (
        <AlertRow key={alert.id} alert={alert} isOnEvent />
      ))}
    </Section>
  );
}

function Reasons({ event }: { readonly event: FullEvent }) {
  const texts = useTexts();
  const format = useFormat();
  if (event.reasoning === "" && event.risk_factors.length === 0) return null;
  return (
    <Section title={texts.event.reasons}>
      <ul className="grid gap-1">
        {event.risk_factors.map(({ name, contribution, detail }) => (
          <li key={name} className="flex justify-between gap-3">
            <span>
              <DaemonText>{name}</DaemonText>{" "}
              {detail !== undefined && (
                <span className="text-sm text-soft">
                  <DaemonText>{detail}</DaemonText>
                </span>
              )}
            </span>
            <span className="shrink-0 tabular-nums">{`${contribution > 0 ? "+" : ""}${format.number(contribution)}`}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-sm text-soft">
        <DaemonText>{event.reasoning}</DaemonText>
      </p>
      {event.analyzed_by !== null && <p className="mt-1 text-sm text-soft">{texts.event.by(event.analyzed_by)}</p>}
    </Section>
  );
}
