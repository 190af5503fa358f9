import { Fragment, useCallback, useState } from "react";
import { Link, Redirect } from "wouter";
import type { JournalMessage } from "../../src/contract/live.ts";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { eventRoutes } from "../../src/contract/routes/events.ts";
import { keyRoutes } from "../../src/contract/routes/keys.ts";
import { healthRoutes } from "../../src/contract/routes/system-health.ts";
import { For } from "../api/use-may.tsx";
import { useReply } from "../api/use-reply.ts";
import { useMessages } from "../live/live.tsx";
import { AlertRow } from "../parts/alert-row.tsx";
import { type CameraRecord, CameraTile } from "../parts/camera-tile.tsx";
import { EventRow } from "../parts/event-row.tsx";
import { ModeButton } from "../parts/mode-button.tsx";
import { everyCamera } from "../parts/names.tsx";
import { NewPill } from "../parts/new-pill.tsx";
import { useOpenAlerts } from "../parts/open-alerts.ts";
import { Page, Section } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { DaemonText } from "../texts/daemon-text.tsx";
import { useTexts } from "../texts/texts.tsx";

/** The request for the newest events. */
export const latest = { query: { limit: 6 } };
/** The request for the number of events to review. */
export const unreviewed = { query: { reviewed: false, limit: 1 } };

/** The start page, which leads to the first steps while there is no camera: what needs attention first, then what is new, then every camera. */
export function NowPage() {
  const texts = useTexts();
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const session = useReply(keyRoutes.getSession, {});
  const isOwner = session.data?.role === "owner";
  if (isOwner && data?.cameras.length === 0 && localStorage.getItem("homesec-welcome") === null) return <Redirect to="/welcome" replace />;
  return (
    <Page title={texts.nav.now} hideTitle>
      <ModeButton className="mb-4 md:hidden" />
      <For who="resident">
        <OwnHealth />
        <OpenAlerts />
      </For>
      <Latest />
      <Cameras />
    </Page>
  );
}

function OwnHealth() {
  const texts = useTexts();
  const { data } = useReply(healthRoutes.getMonitoringHealth, {}, { everyMs: 30_000 });
  const unwell = Object.values(data?.checks ?? {}).filter(({ status }) => status !== "healthy");
  if (unwell.length === 0) return null;
  return (
    <Link href="/system" className="mb-4 block rounded-xl border border-high bg-card p-3">
      <span className="block font-semibold text-high">{texts.now.health}</span>
      <span className="text-sm">
        {unwell.map(({ error }, at) => (
          <Fragment key={error}>
            {at > 0 && " · "}
            <DaemonText>{error ?? ""}</DaemonText>
          </Fragment>
        ))}
      </span>
    </Link>
  );
}

function OpenAlerts() {
  const texts = useTexts();
  const { reply, items } = useOpenAlerts();
  return (
    <Section title={texts.now.alerts} link={{ href: "/alerts", text: texts.common.all }}>
      <Loaded reply={reply} waiting={<div className="h-12" />}>
        {() =>
          items.length === 0 ? (
            <p className="text-soft">{texts.now.noAlerts}</p>
          ) : (
            items.slice(0, 5).map((alert) => <AlertRow key={alert.id} alert={alert} />)
          )
        }
      </Loaded>
    </Section>
  );
}

function Latest() {
  const texts = useTexts();
  const events = useReply(eventRoutes.listEvents, latest);
  const rest = useReply(eventRoutes.listEvents, unreviewed);
  const [arrived, setArrived] = useState(0);
  const { refetch } = events;
  const listen = useCallback((message: JournalMessage) => {
    if (message.type === "event" && message.data.kind === "event") setArrived((count) => count + 1);
  }, []);
  useMessages(listen);
  const show = (): void => {
    setArrived(0);
    void refetch();
    void rest.refetch();
  };
  return (
    <Section title={texts.now.latest} link={{ href: "/review", text: texts.now.toReview(rest.data?.pagination.total ?? 0) }}>
      <NewPill count={arrived} onShow={show} />
      <Loaded reply={events} waiting={<div className="h-96" />}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-soft">{texts.now.noEvents}</p>
          ) : (
            <div className="grid gap-1 lg:grid-cols-2">
              {items.map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

function Cameras() {
  const texts = useTexts();
  const cameras = useReply(cameraRoutes.listCameras, everyCamera);
  return (
    <Section title={texts.now.cameras}>
      <Loaded reply={cameras} waiting={<div className="h-64" />}>
        {(data) =>
          data.cameras.length === 0 ? (
            <Empty title={texts.now.noCameras} hint={texts.now.noCamerasHint} />
          ) : (
            <ul className="grid grid-cols-2 gap-3 md:grid-cols-3 lg:grid-cols-4">
              {[...data.cameras].sort(byNeed).map((camera) => (
                <li key={camera.camera_id}>
                  <CameraTile camera={camera} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Cameras that need attention come first, then those with the newest picture. */
function byNeed(a: CameraRecord, b: CameraRecord): number {
  const need = ({ status }: CameraRecord): number => (status === "offline" || status === "error" ? 0 : 1);
  return need(a) - need(b) || (b.last_seen_at?.getTime() ?? 0) - (a.last_seen_at?.getTime() ?? 0);
}
