import { allModes } from "../../alerting/modes/modes-repository.ts";
import { readState } from "../../alerting/modes/state-repository.ts";
import type { Silence } from "../../alerting/silences/silence.ts";
import { activeSilences } from "../../alerting/silences/silences-repository.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { HomeNow } from "./home.ts";
import { camerasNow, deletedCameras, openAlerts } from "./home-repository.ts";

/** Maximum number of silences that are read. No home has more at once. */
const mostSilences = 1_000;

/**
 * Reads what MQTT says of the home. `classes` are those that each camera has ever seen; `seenSince` says which detections count as seen
 * lately.
 */
export async function readHome(
  sql: Sql,
  { classes, seenSince, now }: { readonly classes: ReadonlyMap<string, readonly string[]>; readonly seenSince: Date; readonly now: Date },
): Promise<HomeNow> {
  const { state: mode } = await readState(sql);
  const modes = (await allModes(sql)).map(({ name }) => name);
  const silences = (await activeSilences(sql, now, mostSilences)).filter(({ rule_id }) => rule_id === null);
  const alerts = await openAlerts(sql, now);
  const cameras = await camerasNow(sql, seenSince);
  return {
    ...{ mode, modes, alerts },
    deletedCameras: await deletedCameras(sql),
    silencedUntil: lastEnd(silences.filter(({ camera_id }) => camera_id === null)),
    cameras: cameras.map((camera) => ({
      ...camera,
      classes: [...new Set([...(classes.get(camera.id) ?? []), ...Object.keys(camera.seen)])].toSorted(),
      silencedUntil: lastEnd(silences.filter(({ camera_id }) => camera_id === null || camera_id === camera.id)),
    })),
  };
}

function lastEnd(silences: readonly Silence[]): Date | null {
  return silences.reduce<Date | null>((last, { ends_at }) => (last === null || ends_at > last ? ends_at : last), null);
}
