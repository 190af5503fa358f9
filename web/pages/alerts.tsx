import { lazy, Suspense, useEffect, useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { alertRoutes } from "../../src/contract/routes/alerts.ts";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { useList } from "../api/use-list.ts";
import { useMay } from "../api/use-may.tsx";
import { useReply } from "../api/use-reply.ts";
import { useKeys } from "../keys/keys.tsx";
import { type AlertRecord, AlertRow } from "../parts/alert-row.tsx";
import { Button } from "../parts/button.tsx";
import { everyCamera } from "../parts/names.tsx";
import { isOpen, useAlertActions, useOpenAlerts } from "../parts/open-alerts.ts";
import { Page } from "../parts/page.tsx";
import { Empty, Failure } from "../parts/states.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";
import { useSilence } from "./silence-hour.ts";

/** The open alerts or all, newest first; those that are open can be acknowledged together. */
export default function AlertsPage() {
  const texts = useTexts();
  const [search, setSearch] = useSearchParams();
  const isAll = search.get("show") === "all";
  const open = useOpenAlerts();
  const { acknowledge } = useAlertActions();
  return (
    <Page
      title={texts.alerts.title}
      actions={
        <div className="flex flex-wrap gap-2">
          {open.items.length > 1 && (
            <Button look="main" onClick={() => void acknowledge(open.items.map(({ id }) => id))}>
              {texts.alerts.acknowledgeAll(open.items.length)}
            </Button>
          )}
          <Button aria-pressed={isAll} onClick={() => setSearch(isAll ? {} : { show: "all" })}>
            {isAll ? texts.alerts.open : texts.common.all}
          </Button>
        </div>
      }
    >
      {isAll ? <AllAlerts /> : <OpenAlerts {...open} />}
    </Page>
  );
}

function OpenAlerts({ reply, items }: ReturnType<typeof useOpenAlerts>) {
  const texts = useTexts();
  if (reply.error && !reply.data) return <Failure error={reply.error} onRetry={() => void reply.refetch()} />;
  if (!reply.data) return null;
  return (
    <>
      <Rows alerts={items} nothing={texts.now.noAlerts} />
      <Expected />
      <ForResident />
    </>
  );
}

function AllAlerts() {
  const texts = useTexts();
  const list = useList(alertRoutes.listAlerts, { query: { limit: 100 } });
  if (list.error && !list.data) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return null;
  return (
    <>
      <Rows alerts={list.data.pages.flatMap(({ items }) => items)} nothing={texts.alerts.empty} />
      {list.hasNextPage && (
        <Button className="mt-3 w-full" isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {texts.common.more}
        </Button>
      )}
      <Expected />
      <ForResident />
    </>
  );
}

/** For someone who expected an alert: the camera says what happened at any time. */
function Expected() {
  const { expected } = useMoreTexts();
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  if (!data || data.cameras.length === 0) return null;
  return (
    <section aria-labelledby="expected" className="mt-8">
      <h2 id="expected" className="text-lg font-semibold">
        {expected.title}
      </h2>
      <p className="mb-3 text-sm text-soft">{expected.hint}</p>
      <ul className="flex flex-wrap gap-2">
        {data.cameras.map(({ camera_id, name }) => (
          <li key={camera_id}>
            <Link
              href={`/cameras/${encodeURIComponent(camera_id)}#why`}
              className="inline-flex min-h-11 items-center rounded-lg border border-line bg-card px-4 text-sm font-medium hover:bg-raised"
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const ThisDevice = lazy(async () => ({ default: (await import("./settings/this-device.tsx")).ThisDevice }));

/** Lets a resident get alerts on this device. An owner finds it in the settings. */
function ForResident() {
  if (useMay("owner")) return null;
  return (
    <div className="mt-8">
      <Suspense fallback={null}>
        <ThisDevice />
      </Suspense>
    </div>
  );
}

interface RowsProps {
  readonly alerts: readonly AlertRecord[];
  /** What stands instead of an empty list. */
  readonly nothing: string;
}

function Rows({ alerts, nothing }: RowsProps) {
  const texts = useTexts();
  const at = useAlertKeys(alerts);
  if (alerts.length === 0) return <Empty title={nothing} hint={texts.alerts.emptyHint} />;
  return (
    <>
      {alerts.map((alert, index) => (
        <AlertRow key={alert.id} alert={alert} isCurrent={index === at} />
      ))}
    </>
  );
}

/** Binds the keys to the alerts, and returns the place of the one that they act on. */
function useAlertKeys(alerts: readonly AlertRecord[]): number {
  const [chosen, setChosen] = useState(-1);
  const at = Math.min(chosen, alerts.length - 1);
  const alert = alerts[at];
  const [, go] = useLocation();
  const silence = useSilence();
  const { acknowledge, dismiss } = useAlertActions();
  useKeys({
    next: () => setChosen(Math.min(at + 1, alerts.length - 1)),
    previous: () => setChosen(Math.max(at - 1, 0)),
    ...(alert && { open: () => go(`/events/${alert.event_id}`), silence: () => void silence(alert.camera_id) }),
    ...(alert && isOpen(alert) && { acknowledge: () => void acknowledge([alert.id]), dismiss: () => void dismiss(alert.id) }),
  });
  useEffect(() => {
    if (at >= 0) document.querySelectorAll("article")[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return at;
}
