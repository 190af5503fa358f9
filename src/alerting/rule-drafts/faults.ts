import type { Reply } from "../../contract/route.ts";
import type { ruleDraftRoutes } from "../../contract/routes/rule-drafts.ts";
import { liveCameras } from "../../monitoring/cameras/cameras-repository.ts";
import { allZones } from "../../monitoring/zones/zones-repository.ts";
import type { Sql } from "../../platform/database/database.ts";
import { availabilityWithPhones, type ChannelConfig } from "../channels/availability.ts";
import { targetsOf } from "../channels/targets.ts";
import { classFaults, zoneFaults } from "../rules/dead-values.ts";
import type { RuleDefinition } from "../rules/rule.ts";

type Fault = Reply<typeof ruleDraftRoutes.backtestDefinition>["faults"][number];

/**
 * Returns the values of a definition that can never match or be sent: a class that no detector reports, a camera that does not exist or is
 * deleted, a zone that no camera has, and a channel that cannot be used with this configuration.
 */
export async function faultsOf(
  sql: Sql,
  { object_types, camera_ids, zones, not_zones, channels }: RuleDefinition,
  config: ChannelConfig,
): Promise<readonly Fault[]> {
  const cameras = camera_ids ? new Set((await liveCameras(sql)).map(({ camera_id }) => camera_id)) : new Set<string>();
  const known = zones || not_zones ? (await allZones(sql)).map(({ name }) => name) : [];
  const targets = await targetsOf(sql, channels ?? [], await availabilityWithPhones(sql, config));
  return [
    ...classFaults(object_types ?? []).map((message) => ({ field: "object_types" as const, message: capitalized(message) })),
    ...(camera_ids ?? [])
      .filter((id) => !cameras.has(id))
      .map((id) => ({ field: "camera_ids" as const, message: `Camera ${id} does not exist or is deleted; remove it from the rule` })),
    ...zoneFaults(zones ?? [], known).map((message) => ({ field: "zones" as const, message: capitalized(message) })),
    ...zoneFaults(not_zones ?? [], known).map((message) => ({ field: "not_zones" as const, message: capitalized(message) })),
    ...targets.flatMap(({ channel, reason }) =>
      reason === null ? [] : [{ field: "channels" as const, message: capitalized(`${channel} cannot be used: ${reason}`) }],
    ),
  ];
}

function capitalized(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}
