import { z } from "zod";
import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { configNames } from "../../contract/constants.ts";
import { fromOutside, problemItems } from "../../contract/issues.ts";
import { Problem, type ProblemItem } from "../../contract/problem.ts";
import type { Database } from "../database/database.ts";
import type { Config } from "./config.ts";
import type { Kind } from "./kinds.ts";
import { forgetSettings, lockSettings, readSettings, type SettingRow, writeSettings } from "./settings-repository.ts";
import { type VariableName, variables } from "./variables.ts";

/** Lower bounds of the risk bands; `low` is always 0 and they ascend. */
export interface RiskScoreThresholds {
  readonly low: number;
  readonly medium: number;
  readonly high: number;
  readonly critical: number;
}

/** Current values of the settings that can change while the daemon runs (PATCH /api/system/config). */
export interface LiveSettings {
  readonly batchWindowSeconds: number;
  readonly batchIdleTimeoutSeconds: number;
  readonly retentionDays: number;
  readonly detectionConfidenceThreshold: number;
  /** A picture whose best detection is below this is shown to a second detector; 0: none is. */
  readonly detectorSecondOpinionBelow: number;
  readonly riskScoreThresholds: RiskScoreThresholds;
  /** Addresses separated by commas, see `detectorList`; null for the built-in detector. */
  readonly detectorUrl: string | null;
  /** Null if none is configured. */
  readonly visionUrl: string | null;
  readonly embedderUrl: string | null;
  readonly enrichmentUrl: string | null;
  readonly visionExtractionEnabled: boolean;
  readonly reidEnabled: boolean;
  readonly sceneChangeEnabled: boolean;
}

/** Gives access to the live values. Read them at each use and never keep them. */
export interface Settings {
  current(): LiveSettings;
}

/** Values to change; thresholds that it does not name stay as they are. */
export interface SettingsPatch extends Partial<Omit<LiveSettings, "riskScoreThresholds">> {
  readonly riskScoreThresholds?: Partial<RiskScoreThresholds>;
}

/** Settings that can be changed. */
export interface ChangeableSettings extends Settings {
  /**
   * Stores values; they apply in this process when the promise resolves, in other processes a moment later. Settings in `reset` return to
   * their configured values. Throws `Problem("invalid")` if a value is out of range, or if the thresholds would not start at 0 and
   * ascend.
   */
  patch(patch: SettingsPatch, reset?: readonly (keyof LiveSettings)[]): Promise<LiveSettings>;
}

/** The settings of a running process: they follow the changes of all processes. */
export interface StoredSettings extends ChangeableSettings {
  /** Reads the stored values once, which is enough for a command. Throws if the database cannot be read. */
  load(): Promise<void>;
  /** Reads the stored values and follows their changes. Throws if the database cannot be read. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Tells whether a value was changed at run time (`settings`) or is configured. */
  source(name: keyof LiveSettings): "settings" | "configuration";
}

export interface SettingsOptions {
  readonly db: Database;
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
}

type ConfigName = (typeof configNames)[number];

/** Describes how a live value is stored and checked, and its name in request bodies. */
interface Field {
  /** Key of the row: the name of the variable, if there is one. */
  readonly key: string;
  /** Name in the body of PATCH /api/system/config. */
  readonly wire: ConfigName;
  readonly schema: z.ZodType;
}

/** Delay after a change that could not be read. */
const retryMs = 1_000;

const Score = z.int().min(0).max(100);
const Thresholds = z
  .object({ low: Score, medium: Score, high: Score, critical: Score })
  .refine(({ low, medium, high, critical }) => low === 0 && low < medium && medium < high && high < critical, {
    error: ({ input }) => `Must start at 0 and ascend, but would be ${JSON.stringify(input)}`,
  });

const fields: Readonly<Record<keyof LiveSettings, Field>> = {
  batchWindowSeconds: number("BATCH_WINDOW_SECONDS", "batch_timeout_seconds"),
  batchIdleTimeoutSeconds: number("BATCH_IDLE_TIMEOUT_SECONDS", "batch_idle_timeout_seconds"),
  retentionDays: number("RETENTION_DAYS", "retention_days"),
  detectionConfidenceThreshold: number("DETECTION_CONFIDENCE_THRESHOLD", "detection_confidence_threshold"),
  detectorSecondOpinionBelow: number("DETECTOR_SECOND_OPINION_BELOW", "detector_second_opinion_below"),
  riskScoreThresholds: { key: "RISK_SCORE_THRESHOLDS", wire: "risk_score_thresholds", schema: Thresholds },
  detectorUrl: serviceUrl("DETECTOR_URL", "detector_url"),
  visionUrl: serviceUrl("VISION_URL", "vision_url"),
  embedderUrl: serviceUrl("EMBEDDER_URL", "embedder_url"),
  enrichmentUrl: serviceUrl("ENRICHMENT_URL", "enrichment_url"),
  visionExtractionEnabled: { key: "VISION_EXTRACTION_ENABLED", wire: "vision_extraction_enabled", schema: z.boolean() },
  reidEnabled: { key: "REID_ENABLED", wire: "reid_enabled", schema: z.boolean() },
  sceneChangeEnabled: { key: "SCENE_CHANGE_ENABLED", wire: "scene_change_enabled", schema: z.boolean() },
};

/** A URL has the format of its variable; null removes the configured one. */
function serviceUrl(key: VariableName, wire: ConfigName): Field {
  const { schema, allowed } = variables[key].kind as Kind<string>;
  const isGood = (text: string): boolean => schema.safeParse(text).success;
  const address = z.string().refine(isGood, { error: `Must be ${allowed}`, params: { type: "url_parsing" }, abort: true });
  return { key, wire, schema: address.pipe(schema).nullable() };
}

/** A number that is also a variable has the bounds of that variable. */
function number(key: VariableName, wire: ConfigName): Field {
  return {
    key,
    wire,
    schema: z
      .number()
      .transform(String)
      .pipe(variables[key].kind.schema as z.ZodType<unknown, string>),
  };
}

const names = Object.keys(fields) as readonly (keyof LiveSettings)[];

/** Names of the settings in request bodies, by their variable (and `RISK_SCORE_THRESHOLDS`). */
export const settingNames: ReadonlyMap<string, ConfigName> = new Map(Object.values(fields).map(({ key, wire }) => [key, wire]));

/** Returns the configured values, without changes at run time. */
export function configuredSettings(config: Config): LiveSettings {
  return {
    batchWindowSeconds: config.batchWindowSeconds,
    batchIdleTimeoutSeconds: config.batchIdleTimeoutSeconds,
    retentionDays: config.retentionDays,
    detectionConfidenceThreshold: config.detectionConfidenceThreshold,
    detectorSecondOpinionBelow: config.detectorSecondOpinionBelow,
    riskScoreThresholds: { low: 0, medium: 30, high: 60, critical: 80 },
    detectorUrl: config.detectorUrl ?? null,
    visionUrl: config.visionUrl ?? null,
    embedderUrl: config.embedderUrl ?? null,
    enrichmentUrl: config.enrichmentUrl ?? null,
    visionExtractionEnabled: config.visionExtractionEnabled,
    reidEnabled: config.reidEnabled,
    sceneChangeEnabled: config.sceneChangeEnabled,
  };
}

/** Returns the stored values by the name of the variable (and `RISK_SCORE_THRESHOLDS`), for read-only callers. */
export async function storedValues(db: Pick<Database, "query">, log: Log): Promise<ReadonlyMap<string, unknown>> {
  const stored = parseRows(await db.query(readSettings), log);
  return new Map(names.flatMap((name) => (stored[name] === undefined ? [] : [[fields[name].key, stored[name]]])));
}

/** Creates the settings: values in the `settings` table take precedence over the configuration, and changes apply in every process. */
export function createSettings({ db, config, log, clock }: SettingsOptions): StoredSettings {
  let stored: Partial<LiveSettings> = {};
  let unlisten: (() => Promise<void>) | undefined;
  let loading: Promise<void> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;

  // The configuration may change at run time
  const current = (): LiveSettings => ({ ...configuredSettings(config), ...stored });
  /** Reads one at a time, so that an older result never replaces a newer one. */
  const load = (): Promise<void> => {
    const next = loading.then(async () => {
      stored = parseRows(await db.query(readSettings), log);
    });
    loading = next.catch(() => {});
    return next;
  };
  // This change is not announced again
  const reload = (): void => {
    load().catch((error: unknown) => {
      if (!unlisten) return;
      log.warn({ err: error }, "changed settings could not be read; the previous ones stay in force until then");
      retry ??= setTimeout(() => {
        retry = undefined;
        reload();
      }, retryMs);
    });
  };

  return {
    current,
    load,
    source: (name) => (stored[name] === undefined ? "configuration" : "settings"),
    async start() {
      await load();
      unlisten = await db.listen("homesec_settings", reload, reload);
    },
    async stop() {
      const end = unlisten;
      unlisten = undefined;
      clearTimeout(retry);
      await end?.();
      await loading;
    },
    async patch(patch, reset = []) {
      await db.transaction(async (sql) => {
        await lockSettings(sql);
        const before = { ...configuredSettings(config), ...parseRows(await readSettings(sql), log) };
        await writeSettings(sql, checkedRows(before, patch), clock.now());
        if (reset.length > 0) {
          await forgetSettings(
            sql,
            reset.map((name) => fields[name].key),
          );
        }
      });
      await load();
      return current();
    },
  };
}

/** Skips values that this program cannot use, written by another version. */
function parseRows(rows: readonly SettingRow[], log: Log): Partial<LiveSettings> {
  const known: Record<string, unknown> = {};
  for (const row of rows) {
    const name = names.find((each) => fields[each].key === row.key);
    const value = name && fields[name].schema.safeParse(row.value);
    if (name && value?.success) known[name] = value.data;
    else log.warn({ setting: row.key }, "a stored setting is invalid and has no effect");
  }
  return known as Partial<LiveSettings>;
}

function checkedRows(before: LiveSettings, patch: SettingsPatch): readonly SettingRow[] {
  const items: ProblemItem[] = [];
  const rows: SettingRow[] = [];
  for (const name of names) {
    if (patch[name] === undefined) continue;
    const value = name === "riskScoreThresholds" ? { ...before.riskScoreThresholds, ...patch.riskScoreThresholds } : patch[name];
    const { key, wire, schema } = fields[name];
    items.push(...problemItems(schema.safeParse(value, fromOutside).error?.issues ?? [], value, ["body", wire]));
    rows.push({ key, value });
  }
  if (items.length > 0)
    throw new Problem("invalid", items.map((item) => `${item.loc.slice(1).join(".")}: ${item.msg}`).join("; "), { items });
  return rows;
}
