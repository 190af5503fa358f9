import { useState } from "react";
import type { z } from "zod";
import { alertRoutes } from "../../../src/contract/routes/alerts.ts";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { type Rule, ruleRoutes } from "../../../src/contract/routes/rules.ts";
import { webhookRoutes } from "../../../src/contract/routes/webhooks.ts";
import { useReply } from "../../api/use-reply.ts";
import type { CameraRecord } from "../../parts/camera-tile.tsx";
import { everyCamera } from "../../parts/names.tsx";

/** A rule as the API returns it. */
export type RuleRecord = z.output<typeof Rule>;

/** How far the first steps are; undefined while it is not known. */
export interface Progress {
  readonly cameras: readonly CameraRecord[] | undefined;
  /** The rules that are on. */
  readonly rules: readonly RuleRecord[] | undefined;
  /** Whether a message has reached someone: an alert, a webhook, or a test from this browser. */
  readonly hasMessage: boolean | undefined;
  /** Notes that a test message was taken. */
  readonly noteMessage: () => void;
}

/** A camera appears with its first picture, which the page waits for. */
const live = { everyMs: 5_000 } as const;
/** The page itself changes rules and messages; only other clients are followed. All together stay within 60 requests a minute. */
const slow = { everyMs: 20_000 } as const;
const messageName = "homesec-message";

/** Follows the first steps. They also change without this page, so that it asks again every few seconds. */
export function useProgress(): Progress {
  const [isTested, setTested] = useState(() => localStorage.getItem(messageName) !== null);
  const cameras = useReply(cameraRoutes.listCameras, everyCamera, live);
  const rules = useReply(ruleRoutes.listRules, { query: { enabled: true, limit: 1000 } }, slow);
  const alerts = useReply(alertRoutes.listAlerts, { query: { limit: 50 } }, slow);
  const webhooks = useReply(webhookRoutes.listWebhooks, { query: { limit: 1000 } }, slow);
  const isSent = alerts.data?.items.some(({ alert_metadata }) => alert_metadata.channels.some(({ status }) => status === "sent"));
  const isAccepted = webhooks.data?.webhooks.some(({ successful_deliveries }) => successful_deliveries > 0);
  const isKnown = alerts.data !== undefined && webhooks.data !== undefined;
  return {
    cameras: cameras.data?.cameras,
    rules: rules.data?.items,
    hasMessage: isTested || isSent || isAccepted || (isKnown ? false : undefined),
    noteMessage: () => {
      localStorage.setItem(messageName, "tested");
      setTested(true);
    },
  };
}

/** The start page no longer leads to the first steps in this browser. */
export function leaveWelcome(): void {
  localStorage.setItem("homesec-welcome", "left");
}
