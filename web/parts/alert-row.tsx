import { Fragment } from "react";
import { Link } from "wouter";
import type { z } from "zod";
import type { Alert } from "../../src/contract/routes/alerts.ts";
import { DaemonText } from "../texts/daemon-text.tsx";
import { Ago } from "../texts/format.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { channelName, useCameraNames } from "./names.tsx";
import { isOpen, useAlertActions } from "./open-alerts.ts";
import { Risk } from "./risk.tsx";

/** An alert as the API returns it. */
export type AlertRecord = z.output<typeof Alert>;

interface AlertRowProps {
  readonly alert: AlertRecord;
  /** It stands on the page of its event. */
  readonly isOnEvent?: boolean;
  /** The keys act on it. */
  readonly isCurrent?: boolean;
}

/** An alert: what it is about, whom it reached, and what can be done. */
export function AlertRow({ alert, isOnEvent = false, isCurrent = false }: AlertRowProps) {
  const texts = useTexts();
  const nameOf = useCameraNames();
  const { acknowledge, dismiss } = useAlertActions();
  return (
    <article aria-current={isCurrent || undefined} className="mb-2 rounded-xl border border-line bg-card p-3 aria-[current]:border-accent">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <span className="flex flex-wrap items-center gap-x-3">
          <Risk level={alert.severity} />
          <Link href={`/events/${alert.event_id}`} className="font-medium underline-offset-4 hover:underline">
            {nameOf(alert.camera_id)}
          </Link>
          <span className="text-sm text-soft">{alert.alert_metadata.rule_name || texts.alerts.ruleGone}</span>
        </span>
        <Ago time={alert.created_at} className="text-sm text-soft" />
      </div>
      <p className="mt-1 text-sm text-soft">
        <Channels alert={alert} />
      </p>
      {isOpen(alert) && (
        <div className="mt-2 flex flex-wrap gap-2">
          <Button look="main" onClick={() => void acknowledge([alert.id])}>
            {texts.alerts.acknowledge}
          </Button>
          <Button onClick={() => void dismiss(alert.id)}>{texts.alerts.dismiss}</Button>
          {!isOnEvent && (
            <Link href={`/events/${alert.event_id}`} className="inline-flex min-h-10 items-center px-3 text-sm text-accent hover:underline">
              {texts.alerts.beOn}
            </Link>
          )}
        </div>
      )}
    </article>
  );
}

/** Where an alert was sent, and why not. */
function Channels({ alert }: { readonly alert: AlertRecord }) {
  const texts = useTexts();
  const { channels, reason } = alert.alert_metadata;
  const status = texts.alerts.status[alert.status];
  const isOver = alert.status === "acknowledged" || alert.status === "dismissed";
  if (channels.length === 0) return isOver ? status : reason ? <DaemonText>{reason}</DaemonText> : texts.alerts.nobody;
  return (
    <>
      {status}
      {channels.map(({ channel, status: result, reason: why }, at) => (
        <Fragment key={channel}>
          {at === 0 ? " · " : ", "}
          {channelName(texts, channel)}: {texts.alerts.result[result]}
          {why !== null && result !== "sent" && (
            <>
              {" ("}
              <DaemonText>{why}</DaemonText>)
            </>
          )}
        </Fragment>
      ))}
    </>
  );
}
