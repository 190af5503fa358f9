import type { z } from "zod";
import { Problem, type ProblemItem } from "../../contract/problem.ts";
import type { Request } from "../../contract/route.ts";
import type { configRoutes, SystemConfig } from "../../contract/routes/system-config.ts";
import { detectorAddress, detectorList } from "../../platform/config/detector-address.ts";
import type { LiveSettings, SettingsPatch } from "../../platform/config/settings.ts";
import { refusalOf } from "../../platform/outbound/address.ts";
import type { OperationContext } from "../../work/operations/operation.ts";

type Changes = Request<typeof configRoutes.updateConfig>["body"];

type Name = Exclude<keyof Changes, "reset">;

/** Internal names of the settings in the interface. */
const settingOf: Readonly<Record<Name, keyof LiveSettings>> = {
  batch_timeout_seconds: "batchWindowSeconds",
  batch_idle_timeout_seconds: "batchIdleTimeoutSeconds",
  retention_days: "retentionDays",
  detection_confidence_threshold: "detectionConfidenceThreshold",
  detector_second_opinion_below: "detectorSecondOpinionBelow",
  risk_score_thresholds: "riskScoreThresholds",
  detector_url: "detectorUrl",
  vision_url: "visionUrl",
  embedder_url: "embedderUrl",
  enrichment_url: "enrichmentUrl",
  vision_extraction_enabled: "visionExtractionEnabled",
  reid_enabled: "reidEnabled",
  scene_change_enabled: "sceneChangeEnabled",
};

const urlFields = {
  detector_url: "detectorUrl",
  vision_url: "visionUrl",
  embedder_url: "embedderUrl",
  enrichment_url: "enrichmentUrl",
} as const;
const urlNames = Object.keys(urlFields) as readonly (keyof typeof urlFields)[];
const isUrl = (name: Name): name is keyof typeof urlFields => Object.hasOwn(urlFields, name);

/** Returns the live settings under their interface names. */
export function configRecord(settings: LiveSettings): z.output<typeof SystemConfig> {
  return {
    batch_timeout_seconds: settings.batchWindowSeconds,
    batch_idle_timeout_seconds: settings.batchIdleTimeoutSeconds,
    retention_days: settings.retentionDays,
    detection_confidence_threshold: settings.detectionConfidenceThreshold,
    detector_second_opinion_below: settings.detectorSecondOpinionBelow,
    risk_score_thresholds: { ...settings.riskScoreThresholds },
    detector_url: settings.detectorUrl,
    vision_url: settings.visionUrl,
    embedder_url: settings.embedderUrl,
    enrichment_url: settings.enrichmentUrl,
    vision_extraction_enabled: settings.visionExtractionEnabled,
    reid_enabled: settings.reidEnabled,
    scene_change_enabled: settings.sceneChangeEnabled,
  };
}

/**
 * Stores changes and returns the whole record. Throws `Problem("forbidden")` if a remote client without a key would make homesec call new
 * addresses, and `Problem("invalid")` for values that are not accepted.
 */
export async function changeConfig(context: OperationContext, changes: Changes): Promise<z.output<typeof SystemConfig>> {
  const { settings, caller } = context;
  const before = configRecord(settings.current());
  // Any client may send back a record that it has read.
  const newUrls = urlNames.filter((name) => changes[name] !== undefined && changes[name] !== before[name]);
  const reset = namesToReset(changes);
  const changedUrls = [...newUrls, ...reset.filter(isUrl)];
  if (changedUrls.length > 0 && caller && !caller.isLocal && !caller.access) {
    throw new Problem(
      "forbidden",
      `${changedUrls.join(", ")} can be changed from this machine, or with an API key, only; use \`homesec config set\` there`,
    );
  }
  const items = (await Promise.all(newUrls.map((name) => refusedUrl(name, changes[name])))).flat();
  if (items.length > 0) throw new Problem("invalid", items.map(({ loc, msg }) => `${loc[1]}: ${msg}`).join("; "), { items });
  return configRecord(
    await settings.patch(
      patchOf(changes),
      reset.map((name) => settingOf[name]),
    ),
  );
}

/** Returns the settings to reset to their configured value. Throws `Problem("invalid")` if one of them also gets a value. */
function namesToReset(changes: Changes): readonly Name[] {
  const named = changes.reset ?? [];
  const twice = named.filter((name) => changes[name] !== undefined && (isUrl(name) || changes[name] !== null));
  if (twice.length > 0) {
    const msg = `Give ${twice.join(", ")} a value or reset it, not both`;
    throw new Problem("invalid", msg, { items: [{ loc: ["body", "reset"], msg, type: "value_error" }] });
  }
  const nulls = (Object.keys(settingOf) as Name[]).filter((name) => changes[name] === null && !isUrl(name));
  return [...new Set([...named, ...nulls])];
}

/** Returns why the outbound rules refuse a URL; storing it checks that it is a URL at all. */
async function refusedUrl(name: string, url: string | null | undefined): Promise<readonly ProblemItem[]> {
  const addresses = name === "detector_url" ? detectorList(url).map((address) => detectorAddress(address).url) : [url ?? ""];
  const refusals = await Promise.all(addresses.filter((address) => URL.canParse(address)).map((address) => refusalOf(address)));
  const refusal = refusals.find((each) => each !== undefined);
  return refusal === undefined ? [] : [{ loc: ["body", name], msg: `Must not be called: ${refusal}`, type: "value_error" }];
}

function patchOf(changes: Changes): SettingsPatch {
  const patch: { -readonly [K in keyof SettingsPatch]?: SettingsPatch[K] | undefined } = {
    batchWindowSeconds: changes.batch_timeout_seconds ?? undefined,
    batchIdleTimeoutSeconds: changes.batch_idle_timeout_seconds ?? undefined,
    retentionDays: changes.retention_days ?? undefined,
    detectionConfidenceThreshold: changes.detection_confidence_threshold ?? undefined,
    detectorSecondOpinionBelow: changes.detector_second_opinion_below ?? undefined,
    riskScoreThresholds: changes.risk_score_thresholds ? given(changes.risk_score_thresholds) : undefined,
    detectorUrl: changes.detector_url,
    visionUrl: changes.vision_url,
    embedderUrl: changes.embedder_url,
    enrichmentUrl: changes.enrichment_url,
    visionExtractionEnabled: changes.vision_extraction_enabled ?? undefined,
    reidEnabled: changes.reid_enabled ?? undefined,
    sceneChangeEnabled: changes.scene_change_enabled ?? undefined,
  };
  return given(patch) as SettingsPatch;
}

/** Returns the entries that have a value. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
