import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { channelRoutes } from "../../../src/contract/routes/channels.ts";
import { notificationRoutes } from "../../../src/contract/routes/notifications.ts";
import { forget } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { useToast } from "../../parts/toast.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useTexts } from "../../texts/texts.tsx";
import type { ChannelRecord } from "./phone/draft.ts";
import { notifyHere, notifyHereNoMore, type Obstacle, ObstacleError, obstacleHere, ownChannel } from "./push.ts";

const ownKey = ["this device"];

interface ThisDeviceProps {
  /** Called with the channel of this browser when it was switched on. */
  readonly onChannel?: (channel: ChannelRecord) => void;
}

/** Lets this browser receive alerts, or says why it cannot. */
export function ThisDevice({ onChannel }: ThisDeviceProps) {
  const texts = useTexts();
  const { phones } = useAdminTexts();
  const toast = useToast();
  const cache = useQueryClient();
  const [obstacle, setObstacle] = useState<Obstacle | undefined>(obstacleHere);
  const [isBusy, setBusy] = useState(false);
  const isPossible = obstacle === undefined || obstacle === "service" || obstacle === "certificate";
  const { data: own } = useQuery({ queryKey: ownKey, queryFn: async () => (await ownChannel()) ?? null, enabled: isPossible });
  const toggle = async (): Promise<void> => {
    setBusy(true);
    try {
      if (own) await notifyHereNoMore();
      const channel = own ? undefined : await notifyHere();
      setObstacle(undefined);
      toast(channel === undefined ? phones.deviceOff : phones.deviceOn(channel.name));
      if (channel) onChannel?.(channel);
    } catch (error) {
      if (error instanceof ObstacleError) setObstacle(error.obstacle);
      else toast(texts.fault(error));
    } finally {
      await Promise.all([
        cache.invalidateQueries({ queryKey: ownKey }),
        ...[channelRoutes.listChannels, notificationRoutes.getNotificationConfig].map((route) => forget(cache, route)),
      ]);
      setBusy(false);
    }
  };
  return (
    <div className="mb-2 rounded-xl border border-line bg-card p-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="font-semibold">{phones.device}</span>
        <Button
          role="switch"
          aria-checked={Boolean(own)}
          aria-label={phones.device}
          onClick={() => void toggle()}
          isBusy={isBusy}
          disabled={!isPossible}
        >
          {own ? texts.common.on : texts.common.off}
        </Button>
      </div>
      <p className="text-sm text-soft">{phones.deviceHint}</p>
      {obstacle !== undefined && (
        <p role="status" className="mt-2 text-sm text-medium">
          {phones.obstacles[obstacle]}
        </p>
      )}
    </div>
  );
}
