import { isDeepStrictEqual } from "node:util";
import type { Reply } from "../../contract/route.ts";
import type { configRoutes } from "../../contract/routes/system-config.ts";
import { type Config, configKey } from "../../platform/config/config.ts";
import { configuredSettings, settingNames, storedValues } from "../../platform/config/settings.ts";
import { maskedValue } from "../../platform/config/variable.ts";
import { type VariableName, variable, variableNames } from "../../platform/config/variables.ts";
import type { OperationContext } from "../../work/operations/operation.ts";

type Variables = Reply<typeof configRoutes.listVariables>;
type Entry = Variables["variables"][number];

/** Returns every variable with its value in force. Without a daemon that follows files, each source but `settings` is `default`. */
export async function configVariables({ config, db, log, runtime }: OperationContext): Promise<Variables> {
  const loaded = runtime?.configuration();
  const stored = await storedValues(db, log);
  const entryOf = (name: VariableName): Entry => ({
    ...described(name),
    ...(stored.has(name)
      ? { value: maskedValue(variable(name), stored.get(name)), source: "settings" as const }
      : { value: maskedValue(variable(name), config[configKey(name)]), source: loaded?.sources[name] ?? "default" }),
    restart_needed: loaded !== undefined && isWaiting(name, loaded.config, config),
  });
  return { variables: [...variableNames.map(entryOf), thresholds(config, stored)], files: [...(loaded?.files ?? [])] };
}

/** Whether the files have another value than the running daemon. */
function isWaiting(name: VariableName, next: Config, running: Config): boolean {
  return !variable(name).live && !isDeepStrictEqual(next[configKey(name)], running[configKey(name)]);
}

function described(name: VariableName): Omit<Entry, "value" | "source" | "restart_needed"> {
  const spec = variable(name);
  return {
    name,
    group: spec.group,
    description: spec.description,
    default: spec.defaultNote ?? (typeof spec.default === "string" && spec.default !== "" ? spec.default : null),
    allowed: spec.kind.allowed,
    unit: spec.unit ?? null,
    secret: spec.secret ?? false,
    live: spec.live ?? false,
    setting: settingNames.get(name) ?? null,
  };
}

/** The lower bounds of the risk levels are a setting without a variable. */
function thresholds(config: Config, stored: ReadonlyMap<string, unknown>): Entry {
  const name = "RISK_SCORE_THRESHOLDS";
  const initial = configuredSettings(config).riskScoreThresholds;
  return {
    ...{ name, group: "pipeline", description: "Lower bounds of the risk levels", allowed: "scores from 0 to 100 that ascend", unit: null },
    ...{ secret: false, live: false, restart_needed: false, setting: "risk_score_thresholds" },
    ...{ value: stored.get(name) ?? initial, source: stored.has(name) ? "settings" : "default", default: JSON.stringify(initial) },
  };
}
