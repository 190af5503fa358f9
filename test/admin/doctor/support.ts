import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { type Check, NotPossible } from "../../../src/admin/doctor/check.ts";
import { checks } from "../../../src/admin/doctor/checks.ts";
import type { Examination } from "../../../src/admin/doctor/examination.ts";
import { isNear, type Machine } from "../../../src/admin/doctor/machine.ts";
import { type CheckReport, runChecks } from "../../../src/admin/doctor/run-checks.ts";
import { findShares } from "../../../src/admin/doctor/shares.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { createHttpClient } from "../../../src/contract/http-client.ts";
import { parseConfig, WrongConfiguration } from "../../../src/platform/config/parse.ts";
import { configuredSettings, createSettings } from "../../../src/platform/config/settings.ts";
import { type DataFolderHolder, dataFolderHolder } from "../../../src/platform/database/data-folder.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { migrationStatus } from "../../../src/platform/database/migrate.ts";
import { temporaryFolder } from "../../support/temporary.ts";

/** The input of an examination. Everything that is left out describes a machine without problems. */
export interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly machine?: Partial<Machine>;
  readonly db?: Database;
  /** The daemon that answers; without it, none does. */
  readonly daemon?: { readonly url: string; readonly version?: string; readonly admitted?: boolean };
  /** As with --direct: doctor tries no daemon. */
  readonly isDirect?: boolean;
  /** The checks run in the daemon. */
  readonly isDaemon?: boolean;
  /** The folders belong to another user. */
  readonly isForeign?: boolean;
  readonly now?: Date | string;
  readonly holder?: DataFolderHolder;
}

/** Creates a temporary folder, which is deleted after the test file. */
export function ownFolder(): string {
  return temporaryFolder("doctor").path;
}

/** Creates a temporary folder with these files in it. */
export function filesIn(files: Readonly<Record<string, string>>): string {
  const path = ownFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

/** Writes a shell script, and returns its path. */
export function script(text: string): string {
  const path = join(filesIn({ tool: `#!/bin/sh\n${text}\n` }), "tool");
  chmodSync(path, 0o755);
  return path;
}

/** Builds the input of the checks. */
export function examined({
  env = {},
  machine = {},
  db,
  daemon,
  isDirect = false,
  isDaemon = false,
  isForeign = false,
  now,
  holder,
}: Given = {}): Examination {
  const home = ownFolder();
  const parsed = (() => {
    try {
      return parseConfig({ env: { DATA_DIR: join(home, "data"), ...env }, isRoot: false, home, cwd: home });
    } catch (error) {
      if (error instanceof WrongConfiguration) return error;
      throw error;
    }
  })();
  const config = () => {
    if (parsed instanceof Error) throw new NotPossible("the configuration has errors");
    return parsed.config;
  };
  const clock = now === undefined ? systemClock : { now: () => new Date(now), monotonic: () => performance.now() };
  const database = async () => db ?? Promise.reject(new NotPossible("this test has no database"));
  const lookForDaemon: Examination["lookForDaemon"] = async () => {
    if (isDirect) return { absent: "--direct uses no daemon", asked: false };
    if (!daemon) return { absent: "No homesec daemon answers at http://127.0.0.1:8000 (ECONNREFUSED)", asked: true };
    const { url, version = "1.2.3", admitted = true } = daemon;
    return { url, version, admitted, isNear: isNear(url, machineOf), client: createHttpClient({ url, timeoutMs: 2_000 }) };
  };
  const machineOf: Machine = {
    nodeVersion: "20.20.0",
    timeZone: "Europe/Berlin",
    zoneVariable: undefined,
    uid: 1000,
    hostName: "nas",
    addresses: ["127.0.0.1", "::1", "192.168.1.5"],
    environmentNames: Object.keys(env),
    cwd: home,
    configPath: undefined,
    proc: "/proc",
    run: "/run",
    cgroup: "/sys/fs/cgroup",
    ffmpeg: "ffmpeg",
    nvidiaSmi: "nvidia-smi",
    stat: "stat",
    getent: "getent",
    statfs,
    ...machine,
  };
  return {
    machine: machineOf,
    isDaemon,
    clock,
    version: "1.2.3",
    parsed,
    config,
    isForeign: async () => isForeign,
    shares: async () => await findShares(machineOf, config()),
    holder: async () => holder ?? (await dataFolderHolder(config().dataDir)),
    database,
    migrations: async () => await migrationStatus(await database()),
    rows: database,
    settings: async () => {
      if (!db) return configuredSettings(config());
      const settings = createSettings({ db, config: config(), log: silentLog, clock });
      await settings.load();
      return settings.current();
    },
    lookForDaemon,
    daemon: async () => {
      const found = await lookForDaemon();
      if (!("client" in found)) throw new NotPossible("no daemon answers");
      return found;
    },
  };
}

/** Runs one check. */
export async function make(check: string | Check, given: Given | Examination = {}): Promise<CheckReport> {
  const chosen = typeof check === "string" ? checks.find(({ id }) => id === check) : check;
  if (!chosen) throw new Error(`there is no check ${String(check)}`);
  const [report] = await runChecks([chosen], "config" in given ? given : examined(given));
  return report as CheckReport;
}

/** Runs a check that must find something, and returns its text: `finding -> fix`. */
export async function finds(check: string | Check, given: Given | Examination, severity?: "error" | "warning"): Promise<string> {
  const report = await make(check, given);
  expect(report, `${report.id}: ${report.detail}`).toMatchObject({ status: "finding", severity: severity ?? expect.any(String) });
  expect(report.remedy, report.id).toMatch(/\S{3}/);
  expect(report.elapsed_ms).toBeGreaterThanOrEqual(0);
  return `${report.finding} -> ${report.remedy}`;
}

/** Runs a check that must find nothing, and returns its detail. */
export async function well(check: string | Check, given: Given | Examination = {}): Promise<string> {
  const report = await make(check, given);
  expect(report, `${report.id}: ${report.finding ?? report.detail}`).toMatchObject({
    status: "ok",
    severity: null,
    finding: null,
    remedy: null,
  });
  return report.detail ?? "";
}

/** Runs a check with any result, and returns its text: `finding -> fix`, or the detail. For tests that concern only a part of the text. */
export async function says(check: string | Check, given: Given | Examination = {}): Promise<string> {
  const { finding, remedy, detail } = await make(check, given);
  return finding === null ? (detail ?? "") : `${finding} -> ${remedy}`;
}

/** Runs a check that must be skipped, and returns the reason. */
export async function skips(check: string | Check, given: Given | Examination = {}): Promise<string> {
  const report = await make(check, given);
  expect(report, `${report.id}: ${report.finding}`).toMatchObject({ status: "skipped", severity: null, finding: null });
  return report.detail ?? "";
}
