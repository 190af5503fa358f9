import { useQueryClient } from "@tanstack/react-query";
import { alertRoutes } from "../../src/contract/routes/alerts.ts";
import { call } from "../api/client.ts";
import { forget, useReply } from "../api/use-reply.ts";
import { useTexts } from "../texts/texts.tsx";
import type { AlertRecord } from "./alert-row.tsx";
import { useToast } from "./toast.tsx";

/** Tells whether an alert waits for somebody to acknowledge or dismiss it. */
export function isOpen({ status }: Pick<AlertRecord, "status">): boolean {
  return status === "pending" || status === "delivered";
}

/** The requests for the open alerts of each status. */
export const openAlerts = [{ query: { status: "pending", limit: 1000 } }, { query: { status: "delivered", limit: 1000 } }] as const;

/** Returns the open alerts, newest first (the newest thousand of each status). */
export function useOpenAlerts() {
  const pending = useReply(alertRoutes.listAlerts, openAlerts[0]);
  const delivered = useReply(alertRoutes.listAlerts, openAlerts[1]);
  const items = [...(pending.data?.items ?? []), ...(delivered.data?.items ?? [])]
    .filter(isOpen)
    .toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime());
  // A list that changed by a live message may hold an alert under both
  return { reply: delivered.data ? pending : delivered, items: [...new Map(items.map((alert) => [alert.id, alert])).values()] };
}

/** Returns what can be done with open alerts. Each step says what it did, or why it could not. */
export function useAlertActions() {
  const texts = useTexts();
  const toast = useToast();
  const cache = useQueryClient();
  const change = async (act: () => Promise<string>): Promise<void> => {
    try {
      toast(await act());
    } catch (error) {
      toast(texts.fault(error));
    }
    await forget(cache, alertRoutes.listAlerts);
  };
  return {
    acknowledge: (ids: readonly string[]) =>
      change(async () => {
        const done = await Promise.allSettled(ids.map((id) => call(alertRoutes.acknowledgeAlert, { params: { id } })));
        const refused = done.find(({ status }) => status === "rejected");
        const acknowledged = done.filter(({ status }) => status === "fulfilled").length;
        if (acknowledged === 0 && refused?.status === "rejected") throw refused.reason;
        return texts.alerts.acknowledged(acknowledged);
      }),
    dismiss: (id: string) =>
      change(async () => {
        await call(alertRoutes.dismissAlert, { params: { id } });
        return texts.alerts.dismissed;
      }),
  };
}
